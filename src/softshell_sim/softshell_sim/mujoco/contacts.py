"""MuJoCo's contacts and kinetic energy, in the form that all engines have."""

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_sim.bodies import Body
from softshell_sim.contact.contact_table import ContactTable
from softshell_sim.mujoco.arrays import Places


def contact_table(
    model: Any, data: Any, bodies: tuple[Body, ...], owner: NDArray[np.int64]
) -> ContactTable:
    """The table of all contacts.

    Args:
        model, data: of MuJoCo.
        bodies: of the world.
        owner: (MuJoCo's bodies, 2) place in `bodies` that each belongs to, and place of the link.
    """
    if not data.ncon:
        return ContactTable.empty(bodies)
    contact = data.contact
    rows = contact.efc_address
    kept = np.flatnonzero(rows >= 0)
    frames = contact.frame[kept].reshape(-1, 3, 3)
    parts = data.efc_force[rows[kept][:, None] + np.arange(3)]
    # In MuJoCo normals point to the second body, and forces act on it.
    ends = owner[model.geom_bodyid[contact.geom[kept][:, ::-1]]]
    return ContactTable(
        bodies,
        ends[..., 0],
        ends[..., 1],
        contact.pos[kept],
        frames[:, 0],
        contact.includemargin[kept] - contact.dist[kept],
        np.einsum('kp,kpx->kx', parts, frames),
        contact.friction[kept, 1],  # across the axis, if it is anisotropic
    )


def kinetic_energy(model: Any, data: Any, places: Places, own: Array) -> float:
    """Kinetic energy of a body [J]: v·Mv/2 over its own coordinates; NaN if one is not finite.

    Args:
        model, data: of MuJoCo, with frames and centres of mass computed.
        places: of the body.
        own: (2, velocities) `dof_armature` and `dof_M0` without springs and driven bodies.
    """
    speed = np.zeros(model.nv)
    speed[places.velocity] = data.qvel[places.velocity]
    if places.free is not None:
        first = places.free[1]
        speed[first : first + 6] = data.qvel[first : first + 6]
    if not np.isfinite(speed).all():
        return float('nan')
    momentum, heavy = np.zeros(model.nv), (model.dof_armature.copy(), model.dof_M0.copy())
    model.dof_armature[:], model.dof_M0[:] = own
    mujoco.mj_makeM(model, data)
    mujoco.mj_mulM(model, data, momentum, speed)
    model.dof_armature[:], model.dof_M0[:] = heavy
    return 0.5 * float(speed @ momentum)
