"""Checks of single numbers that callers give."""

from reprlib import repr as shortened

import numpy as np

from softshell_kinematics.arrays import is_number
from softshell_kinematics.errors import OutOfRangeError, SoftshellError


def refuse_no_number(name: str, value: object) -> None:
    """Check that a value is one real number; NaN and infinity are.

    Raises:
        SoftshellError: it is not, as a text or several numbers.
    """
    plain = value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
    if not is_number(plain):
        raise SoftshellError(f'{name} is {shortened(value)}; expected a number')


def refuse_not_positive(name: str, value: float) -> None:
    """Check that a value is more than 0, and finite.

    Raises:
        OutOfRangeError: it is not.
        SoftshellError: it is not a number.
    """
    refuse_no_number(name, value)
    if not 0.0 < value < np.inf:
        raise OutOfRangeError(name, value, 'more than 0, and finite')


def refuse_no_count(name: str, value: float) -> None:
    """Check that a value is a whole number more than 0; 10.0 is one, true is none.

    Raises:
        OutOfRangeError: it is not.
        SoftshellError: it is not a number.
    """
    if isinstance(value, bool):
        raise SoftshellError(f'{name} is {value}; expected a whole number')
    refuse_no_number(name, value)
    if not 1.0 <= value < np.inf:
        raise OutOfRangeError(name, value, '1 or more, and finite')
    if value != int(value):
        raise OutOfRangeError(name, value, 'a whole number')
