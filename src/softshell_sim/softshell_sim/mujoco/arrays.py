"""MuJoCo's arrays: the places of a body in them, and compiled reading."""

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_sim.mujoco.member import Member


@dataclass(frozen=True, eq=False)
class Places:
    """The places of a body in MuJoCo's arrays.

    Args:
        links: MuJoCo's body numbers of its links.
        position, velocity: (joints,) places of its joints in qpos and qvel.
        free: first places of its root link in qpos and qvel; None: the root link stands still.
    """

    links: list[int]
    position: NDArray[np.int64]
    velocity: NDArray[np.int64]
    free: tuple[int, int] | None


def find(model: Any, number: int, member: Member) -> Places:
    """The places of a body in the arrays of a model; `number`: its place among the members."""
    links = [
        mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, f'{number}/{place}')
        for place in range(len(member.body.links))
    ]
    joints = [
        mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, f'{number}/{name}')
        for name in member.body.joints
    ]
    free = None
    if not member.fixed:
        root = model.body_jntadr[links[0]]
        free = int(model.jnt_qposadr[root]), int(model.jnt_dofadr[root])
    return Places(
        links,
        np.array([model.jnt_qposadr[joint] for joint in joints], dtype=np.int64),
        np.array([model.jnt_dofadr[joint] for joint in joints], dtype=np.int64),
        free,
    )


def pair_links(model: Any) -> NDArray[np.int32]:
    """(pairs, 2) MuJoCo's body numbers of the pairs of shapes that may touch."""
    shapes = np.stack([model.pair_geom1, model.pair_geom2], 1)
    links: NDArray[np.int32] = model.geom_bodyid[shapes]
    return links


@njit(cache=True)
def read_root(
    qpos: Array,
    qvel: Array,
    q: int,
    v: int,
    position: Array,
    orientation: Array,
    linear: Array,
    angular: Array,
) -> None:
    """Write pose and velocity of a root link, all in the world.

    In MuJoCo the angular velocity is in the frame of the body, and quaternions are w, x, y, z.

    Args:
        qpos, qvel: (nq,) and (nv,) positions and velocities of all bodies in MuJoCo.
        q, v: first places of the root link in them.
        position, orientation: (3,) [m] and (4,) quaternion x, y, z, w, are overwritten.
        linear, angular: (3,) [m/s] and (3,) [rad/s], are overwritten.
    """
    w, x, y, z = qpos[q + 3], qpos[q + 4], qpos[q + 5], qpos[q + 6]
    orientation[0], orientation[1], orientation[2], orientation[3] = x, y, z, w
    for axis in range(3):
        position[axis], linear[axis] = qpos[q + axis], qvel[v + axis]
    a, b, c = qvel[v + 3], qvel[v + 4], qvel[v + 5]
    # Rotation of a vector v by a quaternion (u, w): v + 2 u × (u × v + w v).
    d, e, f = y * c - z * b + w * a, z * a - x * c + w * b, x * b - y * a + w * c
    angular[0] = a + 2.0 * (y * f - z * e)
    angular[1] = b + 2.0 * (z * d - x * f)
    angular[2] = c + 2.0 * (x * e - y * d)


@njit(cache=True)
def add_forces(
    geoms: NDArray[np.int32],
    frames: Array,
    rows: NDArray[np.int32],
    forces: Array,
    body_of: NDArray[np.int32],
    owner: NDArray[np.int64],
    number: int,
    force: Array,
) -> None:
    """Add the forces of contacts on each link of a body to `force`.

    Args:
        geoms: (contacts, 2) shapes that touch.
        frames: (contacts, 9) rows normal, first and second tangent, in the world.
        rows: (contacts,) first row of each contact among the constraints; negative: it has none.
        forces: (constraints,) [N].
        body_of: (shapes,) MuJoCo's body of each shape.
        owner: (MuJoCo's bodies, 2) number of the body that each belongs to, and place of the link.
        number: of the body.
        force: (links, 3) in the world [N].
    """
    for contact in range(len(rows)):
        row = rows[contact]
        if row < 0:
            continue
        for axis in range(3):
            value = 0.0
            for part in range(3):
                value += forces[row + part] * frames[contact, 3 * part + axis]
            for side in range(2):
                end = body_of[geoms[contact, side]]
                if owner[end, 0] == number:
                    force[owner[end, 1], axis] += value if side == 1 else -value
