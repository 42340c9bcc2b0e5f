"""Checks of goals, seeds and held variables: errors name the chain and the number."""

from collections.abc import Sequence

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.kernels.bundles import Floats, Integers, Tables
from softshell_kinematics.kernels.checks import find_wrong
from softshell_kinematics.limits import held_outside
from softshell_kinematics.model.chain import SerialChain
from softshell_kinematics.solving.goals import coordinate_error


def refuse_wrong(
    chains: Sequence[SerialChain], layout: tuple[Floats, Integers], goals: Array, seeds: Array
) -> None:
    """Refuse the first goal or seed that cannot be used.

    Args:
        chains: one for each limb.
        layout: of them, from `pack`.
        goals: (limbs, points, 6), NaN where free.
        seeds: (limbs, 1 or points, most variables)

    Raises:
        OutOfRangeError: it is larger than `limits` allow.
        NonFiniteError: a goal is infinite, or a seed is NaN or infinite.
        SoftshellError: a goal has all coordinates free.
    """
    goal, seed = find_wrong(*layout, goals, seeds)
    if goal >= 0:
        limb, point, coordinate = (int(i) for i in np.unravel_index(goal, (*goals.shape[:2], 7)))
        value = float(goals[limb, point, min(coordinate, 5)])
        subject = f'goal {point} of {chains[limb].name!r}'
        error = coordinate_error(subject, coordinate, value, chains[limb].ranges.farthest)
        raise error
    if seed >= 0:
        limb, point, i = (int(i) for i in np.unravel_index(seed, seeds.shape))
        subject = f'seed {point} of {chains[limb].name!r}'
        more = '; a variable that a seed by name leaves out starts at the middle of its range'
        error = chains[limb].beyond(subject, i, float(seeds[limb, point, i]), more)
        raise error


def refuse_held_outside(
    chains: Sequence[SerialChain], tables: Tables, seeds: Array, held: Array
) -> None:
    """Refuse to hold a variable at a value outside its limits.

    Args:
        chains, tables: of the limbs.
        seeds: (limbs, 1 or points, most variables)
        held: (limbs, most variables) not 0 where a variable is held.

    Raises:
        OutOfRangeError: a variable is held outside its limits.
    """
    lower, upper = tables.lower[:, None], tables.upper[:, None]
    outside = (held[:, None] != 0) & ~((seeds >= lower) & (seeds <= upper))
    if outside.any():
        limb, point, i = (int(place) for place in np.argwhere(outside)[0])
        chain = chains[limb]
        error = held_outside(
            f'{chain.variables[i]} of {chain.name!r}',
            float(seeds[limb, point, i]),
            float(lower[limb, 0, i]),
            float(upper[limb, 0, i]),
            chain.ranges.units[i],
        )
        raise error
