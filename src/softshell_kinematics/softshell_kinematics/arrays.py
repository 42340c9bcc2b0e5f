"""The array type of every signature; shapes and units stand in the docstrings."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def for_kernel(values: ArrayLike) -> Array:
    """An array as kernels take it: of floats, without gaps, writable.

    Of any other kind a kernel would be compiled anew, which takes a minute.
    """
    result = np.ascontiguousarray(values, np.float64)
    return result if result.flags.writeable else result.copy()
