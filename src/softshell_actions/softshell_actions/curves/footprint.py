"""How the footprint travels over the ground: planar poses (x, y, yaw) and their curves."""

import numpy as np
from scipy.spatial.transform import Rotation

from softshell_actions.curves.curve import curve
from softshell_kinematics.arrays import Array


def planar_exponential(twist: Array) -> Array:
    """Pose reached by a constant planar twist in unit time.

    Lynch and Park, Modern Robotics, eq. 3.88, in the plane.

    Args:
        twist: (3,) x, y [m] and yaw [rad] of the moving frame, in the moving frame.

    Returns:
        (3,) x, y [m], yaw [rad] in the frame at the start.
    """
    x, y, yaw = twist
    # sin(yaw)/yaw and (1 - cos(yaw))/yaw, without cancellation at small angles.
    along = np.sinc(yaw / np.pi)
    across = np.sinc(yaw / (2 * np.pi)) * np.sin(yaw / 2)
    return np.array([along * x - across * y, across * x + along * y, yaw])


def planar_rotation(yaw: float | Array) -> Rotation:
    """Rotations about z.

    Args:
        yaw: () or (n,) angles [rad].

    Returns:
        One rotation, or n.
    """
    return Rotation.from_rotvec(np.multiply.outer(yaw, [0.0, 0.0, 1.0]))


def compose(first: Array, second: Array) -> Array:
    """(3,) x, y [m], yaw [rad] of T_first · T_second: the second pose is given in the first."""
    cosine, sine = np.cos(first[2]), np.sin(first[2])
    x, y, yaw = second
    composed: Array = first + [cosine * x - sine * y, sine * x + cosine * y, yaw]
    return composed


def seen_from(first: Array, second: Array) -> Array:
    """(3,) x, y [m], yaw [rad] of T_first⁻¹ · T_second: the second in the first; yaw -π to π."""
    cosine, sine = np.cos(first[2]), np.sin(first[2])
    x, y, yaw = second - first
    turned = np.remainder(yaw + np.pi, 2.0 * np.pi) - np.pi
    return np.array([cosine * x + sine * y, cosine * y - sine * x, turned])


def to_footprint(pose: Array, points: Array) -> Array:
    """Points of the start frame in the frame at `pose`.

    Args:
        pose: (3,) x, y [m], yaw [rad] of the footprint in the start frame.
        points: (n, 3) [m] in the start frame.
    """
    seen: Array = planar_rotation(pose[2]).inv().apply(points - [pose[0], pose[1], 0.0])
    return seen


def from_footprint(pose: Array, points: Array) -> Array:
    """Points of the frame at `pose` in the start frame; inverse of `to_footprint`.

    Args:
        pose: (3,) x, y [m], yaw [rad] of the footprint in the start frame.
        points: (n, 3) [m] in the frame at `pose`.

    Returns:
        (n, 3) [m] in the start frame.
    """
    placed: Array = planar_rotation(pose[2]).apply(points) + [pose[0], pose[1], 0.0]
    return placed


def velocity_at_end(pose: Array, paths: Array, period: float) -> Array:
    """(n, 3) velocity at the end of paths, in the frame at `pose` [m/s].

    Args:
        pose: (3,) x, y [m], yaw [rad] of the footprint in the start frame.
        paths: (points, n, 3) in the start frame, three points at least [m].
        period: between two of them [s].
    """
    before, last, end = paths[-3:]
    # Of the parabola through the last three points.
    velocity: Array = (3.0 * end - 4.0 * last + before) / (2.0 * period)
    return planar_rotation(pose[2]).inv().apply(velocity) if len(velocity) else velocity


def ramp(before: Array, after: Array, duration: float, samples: int) -> Array:
    """Path of the footprint while its velocity goes from one value to another.

    A cubic with the given velocities at its ends; along a straight line, or turning on the spot,
    the acceleration is constant.

    Args:
        before, after: (3,) x, y [m/s], yaw [rad/s] at the start and at the end, each in the
            footprint at that time.
        duration: [s].
        samples: evenly spaced in time.

    Returns:
        (samples, 3) x, y [m], yaw [rad] in the footprint at the start.
    """
    end = planar_exponential((before + after) / 2 * duration)
    arrival = planar_rotation(end[2]).apply([after[0], after[1], 0.0])
    arrival[2] = after[2]
    points = np.array([np.zeros(3), before * duration / 3, end - arrival * duration / 3, end])
    return curve(points, (1.0,) * 4, samples)
