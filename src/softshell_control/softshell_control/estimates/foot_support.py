"""How likely each foot stands, from its contact force.

A foot in the air may seem to touch: the noise of its force often passes a threshold. But feet that
stand carry the robot, so the load is a surer sign than the touch.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array

#: Share of the load, as a part of an equal one, at which a foot stands with a likelihood of 0.5,
#: and the standard deviation of the normal distribution about it.
LIGHT, SOFTNESS = 0.3, 0.1


@njit(cache=True)
def support(touching: NDArray[np.bool_], force: Array) -> Array:
    """(feet,) how likely each foot stands, 0 to 1: the normal distribution of its share of load.

    Source: G. Bledt, P. M. Wensing, S. Ingersoll, S. Kim, "Contact model fusion for event-based
    locomotion in unstructured terrains", ICRA 2018, on contact by a measured force.

    Args:
        touching: (feet,) whether each foot touches anything; only such a foot can stand.
        force: (feet, 3) in odom [N]; if none points upwards, forces count as not measured and
            touching alone counts.
    """
    count = len(touching)
    upwards, stands = np.zeros(count), np.zeros(count)
    for i in range(count):
        if touching[i]:
            stands[i] = 1.0
            if 0.0 < force[i, 2] < math.inf:
                upwards[i] = force[i, 2]
    load = upwards.sum()
    if load > 0.0:
        for i in range(count):
            share = count * upwards[i] / load
            stands[i] *= 0.5 * math.erfc((LIGHT - share) / (SOFTNESS * math.sqrt(2.0)))
    return stands
