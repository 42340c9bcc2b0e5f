"""Six coordinates x, y, z, yaw, pitch, roll, of which those that are NaN are free."""

import numpy as np
from numpy.typing import ArrayLike

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.limits import beyond
from softshell_kinematics.transforms import COORDINATES


def checked_coordinates(values: ArrayLike, largest: Array, subject: str) -> Array:
    """Return points (points, 6) [m, rad], NaN where free; refuse coordinates that are too large.

    Args:
        values: the points.
        largest: (6,) magnitude that each coordinate may have; infinite: any finite number.
        subject: what the message calls them, e.g. `'the base path'`.

    Raises:
        OutOfRangeError: the first coordinate that is wrong is too large.
        NonFiniteError: the first coordinate that is wrong is infinite.
        SoftshellError: the shape is another.
    """
    result = np.asarray(values, dtype=float)
    if result.ndim != 2 or result.shape[1] != 6:
        raise SoftshellError(f'{subject} has shape {result.shape}; expected (points, 6)')
    wrong = (np.abs(result) > largest) | np.isinf(result)
    if wrong.any():
        point, coordinate = (int(i) for i in np.argwhere(wrong)[0])
        value = float(result[point, coordinate])
        error = coordinate_error(f'point {point} of {subject}', coordinate, value, largest)
        raise error
    return result


def coordinate_error(
    subject: str, coordinate: int, value: float, largest: Array
) -> SoftshellError:
    """Make the error for a coordinate that is too large, or for a point that is free in all.

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
