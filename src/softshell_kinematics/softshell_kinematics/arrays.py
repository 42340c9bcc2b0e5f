"""The array type of every signature; shapes and units stand in the docstrings."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def for_kernel(values: ArrayLike) -> Array:
    """Values as kernels take them: a contiguous, writable array of floats; copied if need be.

    For an array of any other kind numba would compile the kernel again, which takes a minute. The
    shape (...,) stays.
    """
    result = np.ascontiguousarray(values, np.float64)
    return result if result.flags.writeable else result.copy()
