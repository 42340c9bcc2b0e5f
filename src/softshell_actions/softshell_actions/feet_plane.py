"""The plane on which feet stand: how the base of a robot that rests on level ground is tilted."""

import itertools

import numpy as np
from scipy.spatial.transform import Rotation

from softshell_kinematics.arrays import Array

#: Feet this near to the plane stand on it [m].
STANDING_MARGIN = 0.01
#: Rounding: a foot this far below a plane still counts as on it [m].
DEPTH = 1e-9
#: Largest tilt of a base that stands on its feet [rad].
STEEPEST = 0.6


def feet_plane(feet: Array) -> tuple[Rotation, float]:
    """Tilt and height of the base over the plane on which its feet stand.

    A rigid body rests on a face of its convex hull: on a plane through three feet, with all other
    feet above it, such that the line of its weight goes through their triangle. The weight is
    taken to act at the origin of the base. The plane is then fitted, by least squares, to all feet
    within `STANDING_MARGIN` of it.

    Args:
        feet: (legs, 3) [m] in the base.

    Returns:
        Orientation of the base relative to the plane, without yaw, and height of its origin over
        the plane [m]. If no three feet carry the base, it is level, over the lowest foot.
    """
    lowest = Rotation.identity(), float(-feet[:, 2].min())
    carrying = _carrying(feet)
    if carrying is None:
        return lowest
    # z = a x + b y + c of the feet on the plane.
    own = feet[carrying]
    a, b, c = np.linalg.lstsq(np.column_stack([own[:, :2], np.ones(len(own))]), own[:, 2])[0]
    normal = np.array([-a, -b, 1.0]) / np.sqrt(a * a + b * b + 1.0)
    roll, pitch = np.arctan2(normal[1], normal[2]), -np.arcsin(normal[0])
    return Rotation.from_euler('ZYX', [0.0, pitch, roll]), float(-c * normal[2])


def _carrying(feet: Array) -> list[int] | None:
    """Indices of the feet on the plane that carries the base; None if there is no such plane."""
    for triple in itertools.combinations(range(len(feet)), 3):
        one, other, third = feet[list(triple)]
        normal = np.cross(other - one, third - one)
        normal *= np.copysign(1.0, normal[2])
        if normal[2] <= np.cos(STEEPEST) * np.linalg.norm(normal):
            continue
        normal /= np.linalg.norm(normal)
        above = (feet - one) @ normal
        if above.min() >= -DEPTH and _holds(one, other, third, normal):
            return np.flatnonzero(above <= STANDING_MARGIN).tolist()
    return None


def _holds(one: Array, other: Array, third: Array, normal: Array) -> bool:
    """Whether the origin, projected along a normal, is within a triangle."""
    corners = ((one, other), (other, third), (third, one))
    sides = [float(np.cross(end - begin, -begin) @ normal) for begin, end in corners]
    return min(sides) >= -DEPTH or max(sides) <= DEPTH
