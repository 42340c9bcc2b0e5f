"""How large the numbers may be that callers give, and the checks of numbers and poses.

Goals up to these limits are all solved, by least squares where they cannot be reached. Beyond them
positions and angles lose the digits that a solution needs, so they are refused by name. NaN and
infinity are refused, except NaN in the coordinates of a goal or a path: it means free.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softshell_kinematics.arrays import Array, as_numbers
from softshell_kinematics.errors import NonFiniteError, OutOfRangeError, SoftshellError

#: Largest magnitude of an angle, given or found [rad].
LARGEST_ANGLE = 1e4
#: Largest magnitude of a position, given or found, in reaches of its chain.
REACHES = 1e4
#: Reach that a shorter chain counts with, such as a wrist whose axes meet [m].
SHORTEST_REACH = 1e-3
#: The longest that a chain may be [m]; squares of positions then stay far below overflow.
LONGEST_REACH = 1e9
#: What a slide without limits adds to the reach [m].
FREE_SLIDE = 1.0
#: How far outside its limits a variable may be held, relative to 1 plus the limit: limits that
#: come from other joints are rounded.
ROUNDING = 1e-9
#: How far an element of R Rᵀ may be from that of the identity.
RIGID = 1e-6


def largest_position(reach: float) -> float:
    """Largest magnitude of a position [m] in a chain of this reach [m]."""
    return REACHES * max(reach, SHORTEST_REACH)


def largest_coordinates(reach: float) -> Array:
    """(6,) largest magnitudes of x, y, z [m], yaw, pitch, roll [rad] in a chain of this reach."""
    return np.array([largest_position(reach)] * 3 + [LARGEST_ANGLE] * 3)


def beyond(
    subject: str, value: float, largest: float, unit: str, more: str = ''
) -> SoftshellError:
    """Make the error for a number that is too large, NaN or infinite.

    Args:
        subject: what the number is, e.g. `"goal 3 of 'arm': x"`.
        value: that was given.
        largest: magnitude that is allowed.
        unit: of both.
        more: what is allowed besides.
    """
    kind = OutOfRangeError if np.isfinite(value) else NonFiniteError
    reaches = f', {REACHES:g} times the reach of {largest / REACHES:.6g} m' if unit == 'm' else ''
    return kind(subject, value, f'{-largest:.6g} to {largest:.6g} {unit}{reaches}{more}')


def outside(values: Array, lower: Array, upper: Array) -> NDArray[np.bool_]:
    """(...,) whether values are outside limits, which rounding cannot explain, or NaN."""
    below = lower - ROUNDING * (1.0 + np.abs(lower))
    above = upper + ROUNDING * (1.0 + np.abs(upper))
    result: NDArray[np.bool_] = ~((values >= below) & (values <= above))
    return result


def refuse_moved(subject: str, values: Array) -> None:
    """Refuse to hold a variable along a warm-started path at values that differ.

    Args:
        subject: the variable.
        values: (points,) of its seeds.

    Raises:
        SoftshellError: they differ: each point starts at the one before, so only the first counts.
    """
    if np.any(values != values[0]):
        point = int(np.argmax(values != values[0]))
        raise SoftshellError(
            f'{subject} is held, and its seeds are {values[0]} and, at point {point}, '
            f'{values[point]}; expected one value on a warm-started path'
        )


def held_outside(
    subject: str, value: float, lower: float, upper: float, unit: str
) -> SoftshellError:
    """Make the error for a variable that is held at a value outside its limits.

    Args:
        subject: the variable.
        value: of its seed.
        lower, upper: its limits.
        unit: of all three.
    """
    expected = f'{lower:.6g} to {upper:.6g} {unit}, its limits'
    return OutOfRangeError(f'{subject} is held, and its seed', value, expected)


def checked_within(values: ArrayLike, largest: ArrayLike, subject: str, unit: str) -> Array:
    """Return numbers as an array; refuse those that are too large.

    Args:
        values: (...,) in `unit`.
        largest: their largest magnitude, or (last axis,) one for each.
        subject: what the message calls them.
        unit: of them.

    Raises:
        OutOfRangeError: the first number that is wrong is too large.
        NonFiniteError: the first number that is wrong is NaN or infinite.
        SoftshellError: they are not numbers.
    """
    result = as_numbers(values, subject)
    allowed = np.broadcast_to(np.asarray(largest, dtype=float), result.shape)
    wrong = ~(np.abs(result) <= allowed)
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        name = f'{subject}{list(place) if place else ""}'
        error = beyond(name, float(result[place]), float(allowed[place]), unit)
        raise error
    return result


def checked_finite(values: ArrayLike, subject: str) -> Array:
    """Return numbers (...,) as an array; refuse NaN and infinity.

    Raises:
        NonFiniteError: for the first of them.
        SoftshellError: they are not numbers.
    """
    result = as_numbers(values, subject)
    if not np.isfinite(result).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(result))[0])
        name = f'{subject}{list(place) if place else ""}'
        raise NonFiniteError(name, float(result[place]), 'a finite number')
    return result


def checked_pose(pose: ArrayLike, subject: str) -> Array:
    """A copy of a rigid transform (4, 4).

    Raises:
        NonFiniteError: a number is NaN or infinite.
        SoftshellError: the shape is another, or it is not rigid.
    """
    result = as_numbers(pose, subject).copy()
    if result.shape != (4, 4):
        raise SoftshellError(f'{subject} has shape {result.shape}; expected (4, 4)')
    return checked_poses(result, subject)


def checked_poses(values: ArrayLike, subject: str) -> Array:
    """Rigid transforms (..., 4, 4).

    Raises:
        NonFiniteError: a number is not finite.
        SoftshellError: the shape is another, or one is not rigid.
    """
    poses = checked_finite(values, subject)
    if poses.shape[-2:] != (4, 4):
        raise SoftshellError(f'{subject} has shape {poses.shape}; expected (..., 4, 4)')
    rotation = np.clip(poses[..., :3, :3], -2.0, 2.0)
    off = np.abs(rotation @ np.swapaxes(rotation, -1, -2) - np.eye(3)).max(axis=(-1, -2))
    off = np.maximum(off, np.abs(poses[..., 3, :] - (0.0, 0.0, 0.0, 1.0)).max(axis=-1))
    wrong = np.atleast_1d(~((off <= RIGID) & (np.linalg.det(rotation) > 0.0)))
    if wrong.any():
        place = f' {int(np.argmax(wrong))}' if poses.ndim > 2 else ''
        raise SoftshellError(
            f'{subject}{place} is not rigid; expected a rotation, a translation and a last row '
            '0 0 0 1'
        )
    return poses
