"""MuJoCo's arrays: where a body is in them, and reading them quickly."""

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_sim.mujoco.loading import Member


@dataclass(frozen=True, eq=False)
class Places:
    """Where a body is in MuJoCo's arrays.

    Args:
        links: numbers of its links.
        position, velocity: (joints,) places of its joints.
        free: first places of its root's position and velocity; None: it stands still.
    """

    links: list[int]
    position: NDArray[np.int64]
    velocity: NDArray[np.int64]
    free: tuple[int, int] | None


def find(model: Any, number: int, member: Member) -> Places:
    """Where a body is in the arrays of a model; `number`: its place among the members."""
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
    """MuJoCo's angular velocity is along the body's own axes, its quaternion w, x, y, z."""
    w, x, y, z = qpos[q + 3], qpos[q + 4], qpos[q + 5], qpos[q + 6]
    orientation[0], orientation[1], orientation[2], orientation[3] = x, y, z, w
    for axis in range(3):
        position[axis], linear[axis] = qpos[q + axis], qvel[v + axis]
    a, b, c = qvel[v + 3], qvel[v + 4], qvel[v + 5]
    # v + 2 u × (u × v + w v)
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
    """Sum the forces of contacts on each link of a body, (links, 3)."""
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
