"""Checks of goals, seeds and held variables: errors name the chain and the number."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.kernels.bundles import Floats, Integers, Tables
from softshell_kinematics.kernels.checks import find_wrong
from softshell_kinematics.limits import held_outside, outside, refuse_moved
from softshell_kinematics.model.chain import SerialChain
from softshell_kinematics.solving.goals import coordinate_error
from softshell_kinematics.solving.solution import IkOptions


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


def checked_locks(locked: NDArray[Any], shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """(limbs, most variables) 1 where a variable is locked, of an array that a caller gave.

    Raises:
        SoftshellError: it has another shape, numbers of a type that is not whole, or a number
            that is neither 0 nor 1.
    """
    if locked.dtype.kind not in 'biu':
        raise SoftshellError(
            f'locked has numbers of type {locked.dtype}; expected 0 and 1, or names'
        )
    if locked.shape != shape:
        raise SoftshellError(f'locked has shape {locked.shape}; expected {shape}')
    others = locked[(locked != 0) & (locked != 1)]
    if others.size:
        raise SoftshellError(f'locked has the number {others[0]}; expected 0 and 1, or names')
    return np.ascontiguousarray(locked, dtype=np.uint8)


def seeds_to_hold(
    chains: Sequence[SerialChain], tables: Tables, seeds: Array, held: Array, options: IkOptions
) -> Array:
    """Seeds that are within limits where a variable is held, to the last bit.

    Args:
        chains, tables: of the limbs.
        seeds: (limbs, 1 or points, most variables)
        held: (limbs, most variables) not 0 where a variable is held.
        options: how to search.

    Raises:
        OutOfRangeError: a variable is held outside its limits.
        SoftshellError: on a warm-started path, a variable is held at values that differ.
    """
    lower, upper = tables.lower[:, None], tables.upper[:, None]
    places = held[:, None] != 0
    refused = places & outside(seeds, lower, upper)
    if refused.any():
        limb, point, i = (int(place) for place in np.argwhere(refused)[0])
        chain = chains[limb]
        error = held_outside(
            f'{chain.variables[i]} of {chain.name!r}',
            float(seeds[limb, point, i]),
            float(lower[limb, 0, i]),
            float(upper[limb, 0, i]),
            chain.ranges.units[i],
        )
        raise error
    for limb, i in np.argwhere(held) if options.warm_start else ():
        if i < len(chains[limb]):
            name = f'{chains[limb].variables[i]} of {chains[limb].name!r}'
            refuse_moved(name, seeds[limb, :, i])
    rounded = places & ((seeds < lower) | (seeds > upper))
    return np.where(rounded, np.clip(seeds, lower, upper), seeds) if rounded.any() else seeds
