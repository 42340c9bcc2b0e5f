"""The plane on which feet stand: how the base of a robot that rests on level ground is tilted."""

import itertools

import numpy as np
from scipy.spatial.transform import Rotation

from softshell_kinematics.arrays import Array

#: Feet this near to the plane stand on it [m].
STANDING_MARGIN = 0.01
#: A foot is no deeper than this below the plane of others [m].
DEPTH = 1e-9
#: The z axis of a base on its feet leans no further than this [rad].
STEEPEST = 0.6


def feet_plane(feet: Array) -> tuple[Rotation, float]:
    """How the base is tilted over the plane that carries it, and how high.

    A rigid body rests on the face of its convex hull that its weight, taken to be in the origin of
    the base, goes through: a plane through three feet above which are all others. All feet that
    are nearly on it fit it then by least squares.

    Args:
        feet: (legs, 3) [m] in the base.

    Returns:
        Orientation of the base over the plane, without yaw, and height of its origin [m]. Where no
        three feet carry it, it is level over the lowest.
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
    """Places of the feet on the plane that carries the base; None where there is none."""
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
    """Whether the origin, seen along a normal, is within a triangle."""
    corners = ((one, other), (other, third), (third, one))
    sides = [float(np.cross(end - begin, -begin) @ normal) for begin, end in corners]
    return min(sides) >= -DEPTH or max(sides) <= DEPTH
