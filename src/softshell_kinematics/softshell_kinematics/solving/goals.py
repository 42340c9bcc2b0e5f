"""Goals in the forms that callers give, and as six coordinates, which are NaN where free."""

import numpy as np
from numpy.typing import ArrayLike

from softshell_kinematics.arrays import Array, as_numbers
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.kernels.poses import rows_of_poses, rows_of_quaternions
from softshell_kinematics.limits import LARGEST_ANGLE, beyond, checked_finite, checked_poses
from softshell_kinematics.transforms import (
    COORDINATES,
    rotation_from_quaternion,
)

#: Where the tip is to be, at one point or at many: coordinates (6,) or (points, 6) x, y, z [m],
#: yaw, pitch, roll [rad], NaN where free; poses (4, 4) or (points, 4, 4); or two arrays, positions
#: (3,) or (points, 3) and quaternions x, y, z, w (4,) or (points, 4).
Goals = ArrayLike | tuple[ArrayLike, ArrayLike]

#: Largest pitch of a rotation [rad].
QUARTER_TURN = 0.5 * np.pi


def goal_rows(goals: Goals) -> tuple[Array, bool]:
    """Goals as coordinates.

    Args:
        goals: in any of the forms of `Goals`.

    Returns:
        (points, 6), and whether one alone was given.

    Raises:
        NonFiniteError: a number of a pose, a position or a quaternion is NaN or infinite.
        SoftshellError: a shape is wrong, a pose is not rigid, or a quaternion 0.
    """
    if isinstance(goals, tuple) and len(goals) == 2:
        position, quaternion = (as_numbers(part, 'a part of the goal') for part in goals)
        shape = position.shape
        if (shape[-1:], quaternion.shape) == ((3,), (*shape[:-1], 4)) and len(shape) <= 2:
            rows = np.empty((position.size // 3, 6))
            # Copies: compiled code is for arrays that are in order and may be written to.
            places, turns = np.array(position, order='C'), np.array(quaternion, order='C')
            if rows_of_quaternions(places.reshape(-1, 3), turns.reshape(-1, 4), rows) >= 0:
                checked_finite(position, 'position of the goal')
                rotation_from_quaternion(checked_finite(quaternion, 'quaternion of the goal'))
            return rows, len(shape) == 1
    try:
        given = np.asarray(goals, dtype=float)
    except (TypeError, ValueError, OverflowError):
        given = np.empty(0)
    if given.ndim in (2, 3) and given.shape[-2:] == (4, 4):
        poses = np.array(given, order='C').reshape(-1, 4, 4)
        rows = np.empty((len(poses), 6))
        if rows_of_poses(poses, rows) >= 0:
            checked_poses(given, 'goal')
        return rows, given.ndim == 2
    if given.ndim in (1, 2) and given.shape[-1] == len(COORDINATES):
        rows = given
    else:
        what = f'have shape {given.shape}' if given.size else f'are {type(goals).__name__}'
        raise SoftshellError(
            f'goals {what}; expected (6,) or (points, 6): {", ".join(COORDINATES)}; poses (4, 4) '
            'or (points, 4, 4); or a tuple of positions (3,) and quaternions x y z w (4,)'
        )
    return np.atleast_2d(rows), rows.ndim == 1


def checked_coordinates(values: ArrayLike, largest: Array, subject: str) -> Array:
    """Return points (points, 6) [m, rad], NaN where free; refuse coordinates that are too large.

    Args:
        values: (points, 6) [m, rad].
        largest: (6,) magnitude that each coordinate may have; infinite: any finite number.
        subject: what the message calls them, e.g. `'the base path'`.

    Raises:
        OutOfRangeError: the first coordinate that is wrong is too large.
        NonFiniteError: the first coordinate that is wrong is infinite.
        SoftshellError: the shape is another.
    """
    result = as_numbers(values, subject)
    if result.ndim != 2 or result.shape[1] != 6:
        raise SoftshellError(f'{subject} has shape {result.shape}; expected (points, 6)')
    wrong = (np.abs(result) > largest) | np.isinf(result)
    if wrong.any():
        point, coordinate = (int(i) for i in np.argwhere(wrong)[0])
        value = float(result[point, coordinate])
        error = coordinate_error(f'point {point} of {subject}', coordinate, value, largest)
        raise error
    return result


def upright(goals: Array) -> Array:
    """Goals (..., 6) with a pitch that a rotation has, in [-π/2, π/2], where yaw or roll is free.

    The same rotations have pitch ±π - pitch, with yaw and roll turned by π. The array itself is
    returned if nothing is to be changed.
    """
    if goals.size == 6 and not abs(goals.item(4)) > QUARTER_TURN:
        return goals  # one goal: quicker than by arrays
    size = np.abs(goals[..., 4])
    if not (size > QUARTER_TURN).any():
        return goals
    # What is too large is refused elsewhere, as it was given.
    angles = np.abs(goals[..., 3:])
    fits = ~(angles > LARGEST_ANGLE).any(axis=-1)
    near = np.where(fits, goals[..., 4], 0.0)
    pitch = (near + np.pi) % (2.0 * np.pi) - np.pi
    free = np.isnan(goals[..., 3]) | np.isnan(goals[..., 5])
    turned = free & (np.abs(pitch) > QUARTER_TURN)
    result = goals.copy()
    result[..., 4] = np.where(turned, np.copysign(np.pi, pitch) - pitch, goals[..., 4])
    for i in (3, 5):  # towards 0, so that it stays within what is allowed
        way = np.copysign(np.pi, goals[..., i])
        result[..., i] = np.where(turned, goals[..., i] - way, goals[..., i])
    return result


def coordinate_error(
    subject: str, coordinate: int, value: float, largest: Array
) -> SoftshellError:
    """Make the error for a coordinate that is too large, or for a point whose six are all free.

    Args:
        subject: what the message calls the point.
        coordinate: its index, or 6 if all are free.
        value: that was given.
        largest: (6,) as in `checked_coordinates`.
    """
    if coordinate == len(COORDINATES):
        return SoftshellError(
            f'{subject}: all coordinates are free; expected one or more of '
            f'{", ".join(COORDINATES)}'
        )
    name = f'{subject}: {COORDINATES[coordinate]}'
    unit = 'm' if coordinate < 3 else 'rad'
    return beyond(name, value, float(largest[coordinate]), unit, ', or NaN if it is free')
