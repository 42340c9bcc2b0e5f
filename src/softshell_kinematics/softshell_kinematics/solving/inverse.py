"""Inverse kinematics of one chain."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TypeGuard

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.kernels.batch import solve_batch
from softshell_kinematics.model.chain import SerialChain
from softshell_kinematics.model.configurations import Configuration
from softshell_kinematics.solving.goals import Goals, goal_rows
from softshell_kinematics.solving.limbs import NOTHING, Limbs, chosen_options
from softshell_kinematics.solving.search import FOUND, MARKS
from softshell_kinematics.solving.solution import IkOptions, IkResult

#: Shape of one goal.
SIX = (6,)


@lru_cache(maxsize=256)
def limbs_of(chain: SerialChain) -> Limbs:
    """`Limbs` of this chain alone, kept for the next call."""
    return Limbs([chain])


def solve_ik(
    chain: SerialChain,
    goals: Goals,
    seed: Configuration | None = None,
    options: IkOptions | None = None,
    locked: Iterable[str] | None = NOTHING,
    posture: Configuration | None = None,
) -> IkResult:
    """Inverse kinematics of one chain, at one point or at many; see `Limbs.solve`.

    Args:
        chain: the chain.
        goals: of the tip in the base: coordinates (6,) or (points, 6) x, y, z [m], yaw, pitch,
            roll [rad], NaN where free; poses (4, 4) or (points, 4, 4); or a tuple of positions
            (3,) or (points, 3) and quaternions x, y, z, w (4,) or (points, 4).
        seed: (n,) or (points, n) [rad] or [m], or by name; variables that are not named start at
            the middle of their range. None: as in `Limbs.solve`.
        options, locked: as in `Limbs.solve`.
        posture: (n,) or (points, n), or by name, as in `Limbs.solve`.

    Returns:
        One result; for one goal alone it has no axis of points: q is (n,).

    Raises:
        OutOfRangeError: as `Limbs.solve`.
        NonFiniteError: as `Limbs.solve`.
        UnknownNameError: as `Limbs.solve`.
        SoftshellError: as `Limbs.solve`.
    """
    limbs, chosen = limbs_of(chain), chosen_options(options)
    plain = locked is NOTHING and posture is None and chosen.time_step is None
    if plain and _is_row(goals, SIX) and (seed is None or _is_row(seed, chain.lower.shape)):
        # The usual call in a loop over goals: almost nothing is done beside the kernel's work.
        return _solved_alone(limbs, goals, seed, chosen)
    rows, alone = goal_rows(goals)
    if plain and alone and (seed is None or _is_row(seed, chain.lower.shape)):
        return _solved_alone(limbs, rows[0], seed, chosen)
    starts = None if seed is None else limbs.seeds([seed])
    rather = None if posture is None else [posture]
    result = limbs.solve(rows[None], starts, chosen, locked, rather)[0]
    return result.at(0) if alone else result


def _solved_alone(limbs: Limbs, goal: Array, seed: Array | None, options: IkOptions) -> IkResult:
    """The solution for one goal (6,), from one seed."""
    arguments = limbs.arguments_of_one(goal, seed, options)
    if not solve_batch(0, 1, 0, 1, *arguments):
        limbs.refuse_wrong(arguments)
    return IkResult(arguments[FOUND][0, 0], arguments[MARKS][0, 0])


def _is_row(values: Any, shape: tuple[int, ...]) -> TypeGuard[Array]:
    return type(values) is np.ndarray and values.shape == shape
