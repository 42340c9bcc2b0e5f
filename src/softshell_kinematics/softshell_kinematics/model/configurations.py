"""Values of a chain's variables as callers give them: in order, or by name."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from softshell_kinematics.arrays import Array, as_numbers
from softshell_kinematics.errors import SoftshellError, UnknownNameError

#: Values of n variables: (n,) or (points, n) in their order; or by name, for some or all of them,
#: one number or (points,) each.
Configuration = ArrayLike | Mapping[str, ArrayLike]


def locked_names(locked: Iterable[str] | None, instead: str = '') -> list[str]:
    """Names of locked variables in a list.

    Args:
        locked: the names; None: there are none.
        instead: what else is allowed, for the message.

    Raises:
        SoftshellError: `locked` is one text, not a list; or holds something else than text.
    """
    if isinstance(locked, str):
        raise SoftshellError(f'locked is {locked!r}; expected names in a list')
    if not isinstance(locked, Iterable | None):
        raise SoftshellError(f'locked is {locked!r}; expected names in a list{instead}')
    names = list(locked or ())
    for name in names:
        if not isinstance(name, str):
            raise SoftshellError(f'locked variable is {name!r}; expected a name{instead}')
    return names


def configuration_rows(
    values: Configuration, variables: Sequence[str], others: Array, subject: str
) -> Array:
    """Put values in the order of the variables.

    Args:
        values: of the variables [rad] or [m].
        variables: names of the n variables.
        others: (n,) values of the variables that are not named, where values are given by name.
        subject: what the message calls the values.

    Returns:
        (1 or points, n)

    Raises:
        UnknownNameError: a name is not one of the variables.
        SoftshellError: a shape is wrong, or a value is not a number.
    """
    n = len(variables)
    if not isinstance(values, Mapping):
        rows = np.atleast_2d(as_numbers(values, subject))
        if rows.ndim != 2 or rows.shape[1] != n:
            raise SoftshellError(
                f'{subject} has shape {rows.shape}; expected ({n},) or (points, {n}) for '
                f'{", ".join(variables)}'
            )
        return rows
    for name in values:
        if name not in variables:
            raise UnknownNameError(f'variable of {subject}', str(name), variables)
    columns = {
        name: np.atleast_1d(as_numbers(each, f'{subject}: {name}'))
        for name, each in values.items()
    }
    points = max((len(column) for column in columns.values()), default=1)
    rows = np.tile(others, (points, 1))
    for name, column in columns.items():
        if column.ndim != 1 or len(column) not in (1, points):
            raise SoftshellError(
                f'{subject}: {name} has shape {column.shape}; expected one number or ({points},)'
            )
        rows[:, variables.index(name)] = column
    return rows
