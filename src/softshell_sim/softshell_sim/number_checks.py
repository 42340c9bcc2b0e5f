"""Checks of numbers against a range; and the largest numbers that a body may have."""

import math
from collections.abc import Iterator
from numbers import Integral, Real

#: The largest length of a shape [m], mass [kg] and thickness of a layer [m] of a body: above them
#: engines lose the precision that contacts need.
LONGEST, HEAVIEST, THICKEST = 1e4, 1e6, 1.0


def is_number(value: object) -> bool:
    """Whether a value is a real number; a bool, a text or an array is none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def number_problems(
    name: str, value: object, unit: str = '', largest: float = math.inf, above: bool = False
) -> Iterator[str]:
    """What is wrong with a number that has to be finite and 0 or more; one line, or nothing.

    Args:
        name: what the message calls the number.
        value: that was given.
        unit: of `value` and `largest`; empty: they have none.
        largest: allowed value; infinite: there is no limit.
        above: whether it has to be more than 0.
    """
    if isinstance(value, Real) and is_number(value):
        number = float(value)
        inside = number > 0.0 if above else number >= 0.0
        if inside and number <= largest and math.isfinite(number):
            return
    least = 'more than 0' if above else '0 or more'
    most = 'and finite' if math.isinf(largest) else f'at most {largest:g}{unit and " " + unit}'
    shown = f'{value}{unit and " " + unit}' if is_number(value) else repr(value)
    yield f'{name} is {shown}; expected {least}, {most}'


def whole_problems(name: str, value: object, least: int = 0) -> Iterator[str]:
    """What is wrong with a number that has to be whole and not too small; one line, or nothing.

    Args:
        name: what the message calls the number.
        value: that was given.
        least: allowed value.
    """
    if is_number(value) and isinstance(value, Integral) and int(value) >= least:
        return
    shown = value if is_number(value) else repr(value)
    yield f'{name} is {shown}; expected a whole number of {least} or more'
