"""Products of vectors in compiled code."""

import numpy as np
from numba import njit

from softshell_kinematics.arrays import Array


@njit(cache=True)
def cross(a: Array, b: Array) -> Array:
    """(3,) cross product of two vectors (3,); `np.cross` is slow for these."""
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )
