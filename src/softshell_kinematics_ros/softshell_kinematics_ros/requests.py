"""Reading the services' requests into arrays, and refusing what is wrong by status and name."""

import array
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softshell_interfaces.srv import SolveIK
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import UnknownNameError
from softshell_kinematics.transforms import COORDINATES


class RefusalError(Exception):
    """A request that cannot be served.

    Args:
        status: the response's typed status; the services agree on the values.
        message: names the thing, the value and what was expected.
    """

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)


def values(data: Any, subject: str) -> Array:
    """A float64[] field as (length,) finite numbers."""
    result = np.array(data, dtype=np.float64)
    finite = np.isfinite(result)
    if not finite.all():
        bad = np.flatnonzero(~finite)
        raise RefusalError(
            SolveIK.Response.NON_FINITE,
            f'{subject}[{bad[0]}] is {result[bad[0]]}; expected a finite number',
        )
    return result


def joint_positions(state: Any, subject: str, known: Collection[str]) -> dict[str, float]:
    """Positions by joint of a sensor_msgs/JointState.

    Args:
        state: the message.
        subject: what the request calls it.
        known: names of all movable joints.
    """
    for name in state.name:
        if name not in known:
            raise RefusalError(
                SolveIK.Response.UNKNOWN_JOINT,
                f'{subject}: {UnknownNameError("joint", name, known)}',
            )
    if len(state.name) != len(state.position):
        raise RefusalError(
            SolveIK.Response.WRONG_SIZE,
            f'{subject} has {len(state.name)} names and {len(state.position)} positions; expected '
            'as many of each',
        )
    positions = values(state.position, f'{subject}.position')
    return dict(zip(state.name, positions.tolist(), strict=True))


def known_names(names: Iterable[str], kind: str, known: Collection[str], status: int) -> None:
    """Refuse the first name that is not known."""
    for name in names:
        if name not in known:
            raise RefusalError(status, str(UnknownNameError(kind, name, known)))


def path_coordinates(path: Any, subject: str) -> Array:
    """Goals (points, 6) of a LimbPath, NaN where free."""
    free = [bool(flag) for flag in path.free]
    if all(free):
        raise RefusalError(
            SolveIK.Response.NOTHING_CONSTRAINED,
            f'{subject}: {", ".join(COORDINATES)} are all free; expected one or more constrained',
        )
    columns = [getattr(path, name) for name in COORDINATES]
    lengths = [len(column) for column in columns]
    for name, is_free, length in zip(COORDINATES, free, lengths, strict=True):
        if is_free and length:
            raise RefusalError(
                SolveIK.Response.WRONG_SIZE,
                f'{subject}: {name} is free and has {length} values; expected none',
            )
    first = free.index(False)
    points = lengths[first]
    for name, is_free, length in zip(COORDINATES, free, lengths, strict=True):
        if not is_free and (length != points or length == 0):
            expected = f'{points} as {COORDINATES[first]} has' if points else '1 or more'
            raise RefusalError(
                SolveIK.Response.WRONG_SIZE,
                f'{subject}: {name} has {length} values; expected {expected}',
            )
    result = np.full((points, 6), np.nan)
    for i, (name, column) in enumerate(zip(COORDINATES, columns, strict=True)):
        if not free[i]:
            result[:, i] = values(column, f'{subject}.{name}')
    return result


def one_length(lengths: Sequence[int], names: Sequence[str], subject: str) -> None:
    """Refuse paths of different lengths: they share one timeline."""
    for name, length in zip(names, lengths, strict=True):
        if length != lengths[0]:
            raise RefusalError(
                SolveIK.Response.WRONG_SIZE,
                f'{subject} {name!r} has {length} points; expected {lengths[0]} as {names[0]!r} '
                'has',
            )


def doubles(data: Array) -> array.array:
    """A float64[] field of numbers, without a loop over them."""
    return array.array('d', np.ascontiguousarray(data, dtype=np.float64).tobytes())


def bytes_field(data: NDArray[np.uint8]) -> array.array:
    """A uint8[] field."""
    return array.array('B', np.ascontiguousarray(data, dtype=np.uint8).tobytes())


def shorts(data: NDArray[np.uint16]) -> array.array:
    """A uint16[] field."""
    return array.array('H', np.ascontiguousarray(data, dtype=np.uint16).tobytes())
