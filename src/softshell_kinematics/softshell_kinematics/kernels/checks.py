"""Looking through what a caller gives, before anything is solved."""

import math

from softshell_kinematics.kernels.bundles import Floats, Integers
from softshell_kinematics.kernels.compiled import entry


@entry
def find_wrong(
    sizes: Integers, goals: Floats, farthest: Floats, seeds: Floats, largest: Floats
) -> tuple[int, int]:
    """The first goal and the first seed that cannot be used.

    Args:
        sizes: (limbs,) each chain's number of variables.
        goals: (limbs, points, 6), NaN where free.
        farthest: (limbs, 6) magnitude that each coordinate of a goal may have.
        seeds: (limbs, 1 or points, most variables)
        largest: (limbs, most variables) magnitude that each variable may have.

    Returns:
        Place in (limbs, points, 7) of the goals, the last column for a point of which all is free,
        and place in the seeds; each -1 if there is none.
    """
    goal, seed = -1, -1
    for limb in range(goals.shape[0]):
        for p in range(goals.shape[1]):
            free = 0
            for c in range(6):
                value = goals[limb, p, c]
                free += math.isnan(value)
                if goal < 0 and abs(value) > farthest[limb, c]:
                    goal = (limb * goals.shape[1] + p) * 7 + c
            if goal < 0 and free == 6:
                goal = (limb * goals.shape[1] + p) * 7 + 6
        for s in range(seeds.shape[1]):
            for i in range(sizes[limb]):
                if seed < 0 and not abs(seeds[limb, s, i]) <= largest[limb, i]:
                    seed = (limb * seeds.shape[1] + s) * seeds.shape[2] + i
    return goal, seed
