"""PD joint torque as a servo gives it: limited by effort, and by speed."""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Part of the speed limit up to which a motor has its whole effort; from there to the limit it
#: falls to nothing.
KNEE = 0.5


@dataclass(frozen=True, eq=False)
class Motors:
    """What the motors of all movable joints can do.

    Args:
        effort: (joints,) largest torque [N m].
        velocity: (joints,) speed [rad/s] beyond which a motor drives no faster; it still brakes.
    """

    effort: Array
    velocity: Array


def joint_torques(
    position: Array,
    velocity: Array,
    target_position: Array,
    target_velocity: Array,
    kp: Array,
    kd: Array,
    motors: Motors,
    torque: Array,
) -> None:
    """Write τ = kp (θd − θ) + kd (θ̇d − θ̇), limited, for all joints. No allocation.

    Args:
        position, velocity: (joints,) measured [rad], [rad/s].
        target_position, target_velocity: (joints,) [rad], [rad/s].
        kp: (joints,) [N m/rad].
        kd: (joints,) [N m s/rad].
        motors: effort and speed limits.
        torque: (joints,) result [N m].
    """
    _torques(
        position,
        velocity,
        target_position,
        target_velocity,
        kp,
        kd,
        motors.effort,
        motors.velocity,
        torque,
    )


@njit(cache=True)
def _torques(
    position,
    velocity,
    target_position,
    target_velocity,
    kp,
    kd,
    effort,
    fastest,
    torque,
):
    for joint in range(len(position)):
        speed = velocity[joint]
        wanted = kp[joint] * (target_position[joint] - position[joint])
        wanted += kd[joint] * (target_velocity[joint] - speed)
        most = effort[joint]
        if wanted * speed > 0.0:
            most *= min(max((1.0 - abs(speed) / fastest[joint]) / (1.0 - KNEE), 0.0), 1.0)
        torque[joint] = min(max(wanted, -most), most)
