"""Errors of a measured orientation: a small rotation and rounding; compiled."""

import math

import numpy as np
from numba import njit

from softshell_control.quaternion_kernel import product
from softshell_kinematics.arrays import Array


@njit(cache=True)
def turned(truth: Array, turn: Array, resolution: float) -> Array:
    """(4,) quaternion x, y, z, w: the truth, turned about the body's own axes, then rounded.

    Args:
        truth: (4,) quaternion of length 1.
        turn: (3,) rotation vector in the axes of the body [rad].
        resolution: step to which yaw, pitch and roll are rounded [rad]; 0: they are not.
    """
    angle = math.sqrt(turn[0] ** 2 + turn[1] ** 2 + turn[2] ** 2)
    part = math.sin(0.5 * angle) / angle if angle > 0.0 else 0.5
    error = np.array([part * turn[0], part * turn[1], part * turn[2], math.cos(0.5 * angle)])
    q = np.array(product(truth, error))
    if resolution > 0.0:
        rounded = _from_angles(np.rint(_angles(q) / resolution) * resolution)
        # Of the two quaternions of an orientation, the one nearer to the truth.
        q = -rounded if np.sum(rounded * q) < 0.0 else rounded
    return q


@njit(cache=True)
def _angles(q: Array) -> Array:
    """(yaw, pitch, roll) [rad] of a quaternion, as `transforms.angles_from_rotation`."""
    x, y, z, w = q
    forward, aside = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z)
    cosine = math.hypot(forward, aside)
    pitch = math.atan2(2.0 * (w * y - x * z), cosine)
    if cosine < 1e-12:
        return np.array([math.atan2(2.0 * (w * z - x * y), 1.0 - 2.0 * (x * x + z * z)), pitch, 0])
    roll = math.atan2(2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y))
    return np.array([math.atan2(aside, forward), pitch, roll])


@njit(cache=True)
def _from_angles(angles: Array) -> Array:
    """(4,) quaternion of Rz(yaw) Ry(pitch) Rx(roll)."""
    (cy, cp, cr), (sy, sp, sr) = np.cos(0.5 * angles), np.sin(0.5 * angles)
    return np.array(
        [
            cy * cp * sr - sy * sp * cr,
            cy * sp * cr + sy * cp * sr,
            sy * cp * cr - cy * sp * sr,
            cy * cp * cr + sy * sp * sr,
        ]
    )
