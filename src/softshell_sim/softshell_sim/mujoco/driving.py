"""Driven links in MuJoCo: they follow their path whatever they touch.

Such a link has an armature far above all masses, so that no force changes its velocity, and in
contacts its inverse mass is 0. Before each step it gets the velocity that brings it to its next
pose; that of a robot with joints gets the force that leads there, so that the joints feel how it
is accelerated. Two driven links, or a driven and a fixed one, would still stop each other: so they
do not touch.
"""

from typing import Any

import numpy as np
from numba import njit

from softshell_kinematics.arrays import Array
from softshell_sim.changing.pose_path import turn_in_body
from softshell_sim.mujoco.arrays import Places, pair_links

#: Armature of a driven link [kg] and [kg m^2]: a force of 10 kN shifts it by 1e-11 m in 1 ms.
HEAVY = 1e9
#: Tolerance of the solver, MuJoCo's default.
TOLERANCE = 1e-8
#: Contact margin of pairs that never touch [m].
NEVER = -1e9


def make_heavy(model: Any, places: Places) -> None:
    """Make a root link so heavy that no force moves it, in a model that was just compiled."""
    assert places.free is not None
    first = places.free[1]
    model.dof_armature[first : first + 6] = HEAVY
    # The inertia that MuJoCo uses for bodies whose axes are their principal ones.
    model.dof_M0[first : first + 6] += HEAVY
    model.body_invweight0[places.links[0]] = 0.0
    # The solver scales its tolerance by the largest inertia.
    model.opt.tolerance = TOLERANCE / HEAVY


def keep_apart(model: Any, driven: list[int], still: list[int]) -> None:
    """Switch off contacts between driven links, and between driven and fixed ones.

    Args:
        model: MuJoCo's model.
        driven, still: MuJoCo's body numbers of the driven links, and of the fixed root links.
    """
    ends = pair_links(model)
    moved, fixed = np.isin(ends, driven), np.isin(ends, driven + still)
    model.pair_margin[moved.any(axis=1) & fixed.all(axis=1)] = NEVER


@njit(cache=True)
def aim(
    qpos: Array, qvel: Array, q: int, v: int, position: Array, orientation: Array, step: float
) -> None:
    """Set the velocity of a root link so that it reaches a pose after one step.

    Args:
        qpos, qvel: (nq,) and (nv,) positions and velocities of all bodies in MuJoCo.
        q, v: first places of the root link in them.
        position, orientation: (3,) [m] and (4,) quaternion x, y, z, w in the world.
        step: duration of the step [s].
    """
    qvel[v : v + 6] = _velocity(qpos, q, position, orientation, step)


@njit(cache=True)
def push(
    qpos: Array, qvel: Array, qfrc: Array, q: int, v: int, position: Array, orientation: Array,
    step: float,
) -> None:  # fmt: skip
    """Add the force by which a root link gets the velocity that `aim` would set.

    Args:
        qpos, qvel: as of `aim`.
        qfrc: (nv,) forces on all bodies in MuJoCo.
        q, v, position, orientation, step: as of `aim`.
    """
    wanted = _velocity(qpos, q, position, orientation, step)
    qfrc[v : v + 6] += HEAVY * (wanted - qvel[v : v + 6]) / step


@njit(cache=True)
def _velocity(qpos: Array, q: int, position: Array, orientation: Array, step: float) -> Array:
    """(6,) velocity with which a root link reaches a pose after one step, as in `qvel`."""
    here = np.array([qpos[q + 4], qpos[q + 5], qpos[q + 6], qpos[q + 3]])
    turn = turn_in_body(here, orientation)
    found = np.empty(6)
    for axis in range(3):
        found[axis] = (position[axis] - qpos[q + axis]) / step
        found[3 + axis] = turn[axis] / step
    return found
