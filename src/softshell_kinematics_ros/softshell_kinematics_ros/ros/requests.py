"""Reads the services' requests into arrays; refuses wrong ones with a status and a message."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from softshell_interfaces.srv import SolveIK
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import (
    NonFiniteError,
    OutOfRangeError,
    SoftshellError,
    UnknownNameError,
)
from softshell_kinematics.limits import checked_finite, checked_within, largest_coordinates
from softshell_kinematics.model.chain import SerialChain
from softshell_kinematics.model.urdf import Mimic
from softshell_kinematics.transforms import COORDINATES

#: Most points of one request, of all its chains together. A point of a chain with n variables
#: takes about (200 + 24 n) bytes while it is solved, so this many take up to 100 MB.
MOST_POINTS = 250_000

#: How far a joint of a seed that follows another may be from where it should be [rad] or [m]:
#: measured joints lag.
LAG = 0.1

#: By joint: the largest magnitude of its position, and the unit.
Largest = Mapping[str, tuple[float, str]]
#: By joint that follows another: which one and how.
Mimics = Mapping[str, Mimic]


class RefusalError(SoftshellError):
    """A request that cannot be served.

    Args:
        status: of the response; its values are the same in all services.
        message: names the thing, the value and what was expected.
    """

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)


@contextmanager
def refused_by_status() -> Iterator[None]:
    """Turn errors of the library into refusals of the request.

    Raises:
        RefusalError: a number is out of range or not finite.
    """
    try:
        yield
    except NonFiniteError as error:
        raise RefusalError(SolveIK.Response.NON_FINITE, str(error)) from None
    except OutOfRangeError as error:
        raise RefusalError(SolveIK.Response.OUT_OF_RANGE, str(error)) from None


def values(data: Any, subject: str) -> Array:
    """A float64[] field as (length,) finite numbers, or a float64 field as one.

    Raises:
        RefusalError: a number is not finite.
    """
    with refused_by_status():
        return checked_finite(np.array(data, dtype=np.float64), subject)


def check_positions(numbers: Array, joint: str, subject: str, largest: Largest) -> None:
    """Refuse positions (length,) or () [rad] or [m] of a joint that are too large for it.

    Raises:
        RefusalError: for the first of them.
    """
    if joint in largest:
        most, unit = largest[joint]
        with refused_by_status():
            checked_within(numbers, most, subject, unit)


def each_once(names: Sequence[str], subject: str) -> None:
    """Refuse what is given twice, since one position of a joint or a tip could be reached.

    Raises:
        RefusalError: for the first of them.
    """
    if len(set(names)) < len(names):
        name = next(name for name in names if list(names).count(name) > 1)
        raise RefusalError(
            SolveIK.Response.WRONG_SIZE,
            f'{subject} {name!r} is given {list(names).count(name)} times; expected once',
        )


def joint_positions(
    state: Any, subject: str, known: Collection[str], mimics: Mimics, largest: Largest
) -> dict[str, float]:
    """Positions [rad] or [m] by joint of a sensor_msgs/JointState.

    As in joint_states, it may also have joints that follow others which it names; these are left
    out of the result, and have to be within `LAG` of where they should be.

    Args:
        state: the message.
        subject: name of its field in the request.
        known: names of all joints that have a position of their own.
        mimics: the joints that follow others.
        largest: how large the positions may be.

    Raises:
        RefusalError: a joint is unknown or given twice, there are not as many positions as names,
            a position is too large or not finite, or a joint is not where it should be.
    """
    followers = [
        name for name in state.name if name in mimics and mimics[name].joint in state.name
    ]
    joint_names([name for name in state.name if name not in followers], subject, known, mimics)
    if len(state.name) != len(state.position):
        raise RefusalError(
            SolveIK.Response.WRONG_SIZE,
            f'{subject} has {len(state.name)} names and {len(state.position)} positions; expected '
            'as many of each',
        )
    each_once(state.name, f'{subject}: joint')
    numbers = values(state.position, f'{subject}.position')
    for index, name in enumerate(state.name):
        place = f'{subject}.position[{index}] of {name!r}'
        check_positions(numbers[index], name, place, largest)
    result: dict[str, float] = dict(zip(state.name, numbers.tolist(), strict=True))
    for name in followers:
        mimic, position = mimics[name], result.pop(name)
        there = mimic.multiplier * result[mimic.joint] + mimic.offset
        if abs(position - there) > LAG:
            raise RefusalError(
                SolveIK.Response.OUT_OF_RANGE,
                f'{subject}: {name!r} is at {position:.6g}, but follows {mimic.joint!r}, which '
                f'puts it at {there:.6g}; expected that within {LAG:g}, or to leave it out',
            )
    return result


def joint_names(
    names: Iterable[str], subject: str, known: Collection[str], mimics: Mimics
) -> None:
    """Refuse names of joints that do not exist or have no position of their own.

    Raises:
        RefusalError: for the first of them.
    """
    for name in names:
        if name in mimics:
            raise RefusalError(
                SolveIK.Response.UNKNOWN_JOINT,
                f'{subject}: joint {name!r} follows {mimics[name].joint!r} and has no position of '
                f'its own; expected {mimics[name].joint!r} in its place',
            )
    known_names(names, 'joint', known, SolveIK.Response.UNKNOWN_JOINT, f'{subject}: ')


def known_names(
    names: Iterable[str], kind: str, known: Collection[str], status: int, where: str = ''
) -> None:
    """Refuse names that are not known.

    Args:
        names: to be checked.
        kind: what they name, e.g. `'chain'`.
        known: the valid names.
        status: of the refusal.
        where: beginning of its message.

    Raises:
        RefusalError: for the first of them.
    """
    for name in names:
        if name not in known:
            raise RefusalError(status, f'{where}{UnknownNameError(kind, name, known)}')


def path_coordinates(path: Any, subject: str, reach: float) -> Array:
    """Goals (points, 6) of a LimbPath, NaN where free.

    Args:
        path: the message.
        subject: what the request calls it.
        reach: of the chain [m].

    Raises:
        RefusalError: all coordinates are free, a free one has values, others have none or not as
            many as each other, or a value is too large or not finite.
    """
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
    largest = largest_coordinates(reach)
    for i, (name, column) in enumerate(zip(COORDINATES, columns, strict=True)):
        if not free[i]:
            result[:, i] = values(column, f'{subject}.{name}')
            with refused_by_status():
                unit = 'm' if i < 3 else 'rad'
                checked_within(result[:, i], largest[i], f'{subject}.{name}', unit)
    return result


def limited_points(points: int, chains: int) -> int:
    """Number of points of all chains together.

    Raises:
        RefusalError: there are more than `MOST_POINTS`.
    """
    if points * chains > MOST_POINTS:
        raise RefusalError(
            SolveIK.Response.WRONG_SIZE,
            f'{points} points for each of {chains} chains are {points * chains}; expected at most '
            f'{MOST_POINTS} in one request',
        )
    return points * chains


def one_length(lengths: Sequence[int], names: Sequence[str], subject: str) -> None:
    """Refuse paths without points, and paths of different lengths: they share one timeline.

    Args:
        lengths, names: of the paths.
        subject: what a path belongs to, e.g. `'joint'`.

    Raises:
        RefusalError: for the first such path.
    """
    for name, length in zip(names, lengths, strict=True):
        if length == 0:
            raise RefusalError(
                SolveIK.Response.WRONG_SIZE,
                f'{subject} {name!r} has 0 points; expected 1 or more',
            )
        if length != lengths[0]:
            raise RefusalError(
                SolveIK.Response.WRONG_SIZE,
                f'{subject} {name!r} has {length} points; expected {lengths[0]} as {names[0]!r} '
                'has',
            )


def posture_paths(paths: Sequence[Any], points: int, largest: Largest) -> dict[str, Array]:
    """(1 or points,) positions [rad] or [m] by joint of the JointPaths of a posture.

    Args:
        paths: the messages, of joints that exist.
        points: of each limb.
        largest: how large the positions of the joints of these limbs may be; others do not matter.

    Raises:
        RefusalError: a joint is given twice, has neither one position nor one for each point, or
            one that is too large or not finite.
    """
    each_once([path.name for path in paths], 'posture: joint')
    result = {}
    for path in paths:
        subject = f'posture: position of {path.name!r}'
        if len(path.position) not in (1, points):
            expected = f'1 or {points}' if points != 1 else '1'
            raise RefusalError(
                SolveIK.Response.WRONG_SIZE,
                f'{subject} has {len(path.position)} values; expected {expected}',
            )
        numbers = values(path.position, subject)
        check_positions(numbers, path.name, subject, largest)
        if path.name in largest:
            result[path.name] = numbers
    return result


def largest_positions(chains: Sequence[SerialChain]) -> Largest:
    """By joint: the largest magnitude that all its chains allow, and its unit."""
    result: dict[str, tuple[float, str]] = {}
    for chain in chains:
        for i, name in enumerate(chain.variables):
            largest, unit = float(chain.ranges.largest[i]), chain.ranges.units[i]
            result[name] = (min(largest, result.get(name, (largest, unit))[0]), unit)
    return result
