"""What is wrong with a number that has a range; and how large the numbers of a body may be."""

import math
from collections.abc import Iterator
from numbers import Real

#: The largest length of a shape [m], mass [kg] and thickness of a layer [m] that a body has:
#: beyond them engines lose the digits that contacts need.
LONGEST, HEAVIEST, THICKEST = 1e4, 1e6, 1.0


def is_number(value: object) -> bool:
    """Whether a value is a number, not a text, a truth value or an array."""
    return isinstance(value, Real) and not isinstance(value, bool)


def number_problems(
    name: str, value: object, unit: str = '', largest: float = math.inf, above: bool = False
) -> Iterator[str]:
    """What is wrong with a number that is to be 0 or more.

    Args:
        name: what the message calls it.
        value: that was given.
        unit: of both numbers; empty: they have none.
        largest: that it may be; infinite: any finite number.
        above: whether 0 is too small.
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
