"""Static stability of a legged robot on flat ground."""

import numpy as np
from numpy.typing import ArrayLike

from softshell_kinematics.arrays import Array, as_numbers
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.limits import checked_finite


def support_polygon(feet: ArrayLike) -> Array:
    """Convex hull of the stance feet seen from above, counter-clockwise.

    Args:
        feet: (legs, 2 or 3) [m]; a third column, the height, is ignored.

    Returns:
        (corners, 2) [m]; fewer than three if the feet are on a line or a point.

    Raises:
        SoftshellError: the shape is another, or a number is not finite.
    """
    points = as_numbers(feet, 'feet')
    if points.ndim != 2 or points.shape[1] not in (2, 3) or not np.isfinite(points).all():
        raise SoftshellError(f'feet have shape {points.shape}; expected finite (legs, 2 or 3)')
    ordered = np.unique(points[:, :2], axis=0)
    if len(ordered) < 3:
        return ordered

    def chain(corners: Array) -> list[Array]:
        # Monotone chain (A. M. Andrew, 1979): keep the corners at which the way turns left.
        kept: list[Array] = []
        for corner in corners:
            while len(kept) > 1 and _cross(kept[-1] - kept[-2], corner - kept[-1]) <= 0.0:
                kept.pop()
            kept.append(corner)
        return kept[:-1]

    return np.array(chain(ordered) + chain(ordered[::-1]))


def static_margin(centre_of_mass: ArrayLike, feet: ArrayLike) -> float:
    """Distance [m] of the centre of mass, seen from above, to the support polygon's edge.

    R. B. McGhee, A. A. Frank, "On the stability properties of quadruped creeping gaits",
    Mathematical Biosciences 3, 1968.

    Args:
        centre_of_mass: (2 or 3,) [m].
        feet: (legs, 2 or 3) [m] of the legs in stance.

    Returns:
        Positive inside: how far it may move in any direction before the robot tips over. Negative
        outside, and at most 0 where the feet span no area.

    Raises:
        SoftshellError: no foot is in stance, a shape is wrong, or a number is NaN or infinite.
    """
    point = checked_finite(centre_of_mass, 'centre of mass')
    if point.shape not in ((2,), (3,)):
        raise SoftshellError(f'centre of mass has shape {point.shape}; expected (2,) or (3,)')
    point = point[:2]
    polygon = support_polygon(feet)
    if len(polygon) == 0:
        raise SoftshellError('no foot is in stance; expected one or more')
    starts, ways = polygon, np.roll(polygon, -1, axis=0) - polygon
    squares = np.maximum(np.sum(ways * ways, axis=1), 1e-300)
    along = np.clip(np.sum((point - starts) * ways, axis=1) / squares, 0.0, 1.0)
    nearest = starts + along[:, None] * ways
    distance = float(np.linalg.norm(point - nearest, axis=1).min())
    inside = len(polygon) > 2 and bool(np.all(_cross(ways, point - starts) >= 0.0))
    return distance if inside else -distance


def _cross(a: Array, b: Array) -> Array:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
