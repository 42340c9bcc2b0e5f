"""A path of poses, and the velocities along it; compiled, as it is used in every step."""

import math

import numpy as np
from numba import njit
from scipy.spatial.transform import Rotation

from softshell_control.quaternion_kernel import product
from softshell_kinematics.arrays import Array
from softshell_sim.sensing.orientation_error import turned


class PosePath:
    """Poses at given times, at constant velocity from each to the next.

    Positions are interpolated linearly, orientations by slerp along the shorter arc (Shoemake,
    "Animating rotation with quaternion curves", 1985). After the last time the pose is the last.

    Args:
        times: (poses,) increasing [s].
        poses: (poses, 7) position [m] and quaternion x, y, z, w of length 1.
    """

    def __init__(self, times: Array, poses: Array) -> None:
        self._times, self._poses = np.array(times, dtype=np.float64), np.array(poses, np.float64)
        turns = Rotation.from_quat(self._poses[:, 3:])
        # From each orientation to the next, in the axes of the first.
        several = len(self._poses) > 1
        self._turns = (turns[:-1].inv() * turns[1:]).as_rotvec() if several else np.zeros((0, 3))

    def at(self, seconds: float) -> tuple[Array, Array]:
        """(3,) position [m] and (4,) quaternion x, y, z, w at a time [s], not before the first."""
        position, orientation = _at(self._times, self._poses, self._turns, seconds)
        return position, orientation

    def speeds(self) -> tuple[Array, Array]:
        """(poses − 1,) speeds [m/s] and (poses − 1,) turning rates [rad/s] between poses."""
        seconds = np.diff(self._times)
        ways = np.linalg.norm(np.diff(self._poses[:, :3], axis=0), axis=1)
        return ways / seconds, np.linalg.norm(self._turns, axis=1) / seconds


@njit(cache=True)
def _at(times: Array, poses: Array, turns: Array, seconds: float) -> tuple[Array, Array]:
    if seconds >= times[-1]:
        return poses[-1, :3].copy(), poses[-1, 3:].copy()
    place = max(int(np.searchsorted(times, seconds, side='right')) - 1, 0)
    part = (seconds - times[place]) / (times[place + 1] - times[place])
    first, last = poses[place], poses[place + 1]
    position = first[:3] + part * (last[:3] - first[:3])
    return position, turned(first[3:], part * turns[place], 0.0)


@njit(cache=True)
def turn_in_body(one: Array, other: Array) -> Array:
    """(3,) rotation vector from a (4,) orientation to another, in the frame of the first [rad]."""
    return _rotation_vector(product(_inverse(one), other))


@njit(cache=True)
def turn_in_world(one: Array, other: Array) -> Array:
    """(3,) rotation vector from a (4,) orientation to another, in the world frame [rad]."""
    return _rotation_vector(product(other, _inverse(one)))


@njit(cache=True)
def _inverse(q: Array) -> Array:
    return np.array([-q[0], -q[1], -q[2], q[3]])


@njit(cache=True)
def _rotation_vector(q: tuple[float, float, float, float]) -> Array:
    sign = -1.0 if q[3] < 0.0 else 1.0
    length = math.sqrt(q[0] ** 2 + q[1] ** 2 + q[2] ** 2)
    part = 2.0 * math.atan2(length, sign * q[3]) / length if length > 1e-150 else 2.0
    return sign * part * np.array([q[0], q[1], q[2]])
