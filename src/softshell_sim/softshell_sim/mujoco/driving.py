"""Links of MuJoCo that go their way whatever they meet.

Such a link has an armature far above all masses, so that no force changes its velocity, and in
contacts counts as one that stands still; each step begins with the velocity that ends where it is
to be. Two that nothing moves would still stop each other, so they do not touch.
"""

from typing import Any

import numpy as np
from numba import njit

from softshell_kinematics.arrays import Array
from softshell_sim.mujoco.arrays import Places
from softshell_sim.pose_path import turn_in_body

#: Armature of a driven link [kg] and [kg m^2]: a force of 10 kN bends its way by 1e-11 m.
HEAVY = 1e9
#: Of the solver, MuJoCo's default.
TOLERANCE = 1e-8
#: Distance at which two touch that do not [m].
NEVER = -1e9


def make_heavy(model: Any, places: Places) -> None:
    """Let nothing change the velocity of a root link, in a model that was just made."""
    assert places.free is not None
    first = places.free[1]
    model.dof_armature[first : first + 6] = HEAVY
    # What MuJoCo takes for the inertia of a body whose axes are its principal ones.
    model.dof_M0[first : first + 6] += HEAVY
    model.body_invweight0[places.links[0]] = 0.0
    # It is measured against the largest inertia.
    model.opt.tolerance = TOLERANCE / HEAVY


def keep_apart(model: Any, driven: list[int], still: list[int]) -> None:
    """Let no shape of a driven link touch one of a link that is driven or stands still.

    Args:
        model: MuJoCo's model.
        driven, still: numbers of the links.
    """
    ends = np.stack([model.geom_bodyid[model.pair_geom1], model.geom_bodyid[model.pair_geom2]], 1)
    moved, fixed = np.isin(ends, driven), np.isin(ends, driven + still)
    model.pair_margin[moved.any(axis=1) & fixed.all(axis=1)] = NEVER


@njit(cache=True)
def aim(
    qpos: Array, qvel: Array, q: int, v: int, position: Array, orientation: Array, step: float
) -> None:
    """Give a root link the velocity that brings it to a pose within a step [s]."""
    here = np.array([qpos[q + 4], qpos[q + 5], qpos[q + 6], qpos[q + 3]])
    turn = turn_in_body(here, orientation)
    for axis in range(3):
        qvel[v + axis] = (position[axis] - qpos[q + axis]) / step
        qvel[v + 3 + axis] = turn[axis] / step
