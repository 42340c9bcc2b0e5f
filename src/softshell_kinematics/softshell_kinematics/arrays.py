"""The array type of every signature; shapes and units stand in the docstrings."""

import sys
from reprlib import repr as shortened

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softshell_kinematics.errors import SoftshellError

Array = NDArray[np.float64]


def as_numbers(values: ArrayLike, subject: str) -> Array:
    """Values as an array of floats (...,), the same one where they are such an array.

    Args:
        values: the numbers.
        subject: what the message calls them.

    Raises:
        SoftshellError: they are not numbers, too large for a float, or rows of different lengths.
    """
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        error = no_numbers(values, subject)
        raise error from None


def is_number(value: object) -> bool:
    """Whether a value is one real number that a float can be; NaN and infinity are."""
    if isinstance(value, int):
        return abs(value) <= sys.float_info.max
    return isinstance(value, float | np.integer | np.floating)


def no_numbers(values: object, subject: str) -> SoftshellError:
    """Make the error for values that are not numbers, or rows of different lengths.

    Args:
        values: that were given.
        subject: what the message calls them.
    """
    return SoftshellError(
        f'{subject}: {shortened(values)} is no array of numbers; expected numbers, in rows of '
        'equal length'
    )


def own(values: Array, given: object) -> Array:
    """Values (...,), copied where they might change with what a caller gave.

    Args:
        values: an array that was made of it.
        given: by the caller.
    """
    return values.copy() if values is given or values.base is not None else values


def for_kernel(values: ArrayLike, subject: str) -> Array:
    """Values as kernels take them: a contiguous, writable array of floats; copied if need be.

    For an array of any other kind numba would compile the kernel again, which takes a minute. The
    shape (...,) stays.

    Args:
        values: the numbers.
        subject: what the message calls them.

    Raises:
        SoftshellError: they are not numbers, or rows of different lengths.
    """
    result = np.ascontiguousarray(as_numbers(values, subject))
    return result if result.flags.writeable else result.copy()
