"""Checks of goals and seeds before anything is solved."""

import math

from softshell_kinematics.kernels.bundles import Floats, Integers, Tables
from softshell_kinematics.kernels.compiled import compiled, entry
from softshell_kinematics.kernels.layout import unpack


@compiled
def first_wrong(
    tables: Tables, goals: Floats, seeds: Floats, part: tuple[int, int, int, int]
) -> tuple[int, int]:
    """The first goal and the first seed of a part that cannot be used; see `find_wrong`."""
    first_limb, last_limb, first_point, last_point = part
    goal, seed = -1, -1
    for limb in range(first_limb, last_limb):
        for p in range(first_point, last_point):
            free = 0
            for c in range(6):
                value = goals[limb, p, c]
                free += math.isnan(value)
                if goal < 0 and abs(value) > tables.farthest[limb, c]:
                    goal = (limb * goals.shape[1] + p) * 7 + c
            if goal < 0 and free == 6:
                goal = (limb * goals.shape[1] + p) * 7 + 6
        one = seeds.shape[1] == 1
        for s in range(0 if one else first_point, 1 if one else last_point):
            for i in range(tables.chains[limb, 2]):
                if seed < 0 and not abs(seeds[limb, s, i]) <= tables.largest[limb, i]:
                    seed = (limb * seeds.shape[1] + s) * seeds.shape[2] + i
    return goal, seed


@entry
def find_wrong(
    floats: Floats, integers: Integers, goals: Floats, seeds: Floats
) -> tuple[int, int]:
    """The first goal and the first seed that cannot be used.

    Args:
        floats, integers: of all limbs, from `pack`.
        goals: (limbs, points, 6), NaN where free.
        seeds: (limbs, 1 or points, most variables)

    Returns:
        Flat index into (limbs, points, 7) of the goals, whose last column stands for a point with
        all coordinates free, and flat index into the seeds; each -1 if all can be used.
    """
    part = (0, goals.shape[0], 0, goals.shape[1])
    return first_wrong(unpack(floats, integers), goals, seeds, part)
