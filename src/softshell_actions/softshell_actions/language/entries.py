"""Numbers, names and points as the files of actions and gaits write them."""

import math
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema


def _number(written: object) -> object:
    """A number or expression, as it is written.

    Raises:
        ValueError: it is neither, or not finite.
    """
    number = isinstance(written, int | float) and not isinstance(written, bool)
    if not (number or isinstance(written, str)):
        raise ValueError('expected a number or an expression')
    if isinstance(written, float) and not math.isfinite(written):
        raise ValueError('expected a finite number or an expression')
    return written


def _names(written: object) -> object:
    """A list of names, or the word `all`, as it is written.

    Raises:
        ValueError: it is neither, or an empty list.
    """
    listed = isinstance(written, list | tuple) and all(isinstance(name, str) for name in written)
    if written != 'all' and not (listed and written):
        raise ValueError('expected a list of names, or all')
    return written


Number = Annotated[
    float | str, BeforeValidator(_number), WithJsonSchema({'type': ['number', 'string']})
]
Finite = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Names = Annotated[
    list[str] | Literal['all'],
    BeforeValidator(_names),
    WithJsonSchema(
        {
            'anyOf': [
                {'const': 'all'},
                {'type': 'array', 'items': {'type': 'string'}, 'minItems': 1},
            ]
        }
    ),
]
Coordinate = Literal['x', 'y', 'z', 'yaw', 'pitch', 'roll']
Point = dict[Coordinate, Number]
Group = Annotated[str, Field(description='of robot.yaml')]
Chains = Annotated[Names, Field(description='of the group, by name; all by default')]
Like = Annotated[
    str | None,
    Field(description='chain that the points are written for; other chains do its image'),
]
Mirrored = Annotated[
    bool | None,
    Field(description='whether images have to be mirrored, or must not; either by default'),
]
Relative = Annotated[bool, Field(description='points are added to the pose at the start')]
