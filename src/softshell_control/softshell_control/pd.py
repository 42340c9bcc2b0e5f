"""PD control of joints by motors that are limited in effort, and in effort by speed.

A motor moves a mechanism: one joint, or a joint together with all that mimic it. The joints of a
mechanism share one coordinate q, the position of the motor, by θ_i = m_i q + offset_i. Each joint
hangs on the motor like on a spring and damper of its own:

    τ_i = kp_i (θd_i − θ_i) + kd_i (θ̇d_i − θ̇_i)

What the motor has to give is the generalised force S = Σ m_i τ_i. It can give S' only, limited by
its effort and its speed. What is missing moves the motor away from its target, and with it all
joints of the mechanism alike: joint i gets c kp_i m_i more, with c = (S' − S) / Σ kp_i m_i². Then
Σ m_i τ_i = S', and loads between the joints, which the mechanism carries and no motor feels, stay
as they are. With equal gains this is m_i (S' − S) / Σ m_i². A mechanism of one joint gets S'.
A motor that gives way has S' = 0: a single joint is free, the joints of a mechanism still go
together.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_control.joint_map import JointMap
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError

#: Part of the speed limit up to which a motor has its whole effort; from there to the limit it
#: falls to nothing.
KNEE = 0.5


@dataclass(frozen=True, eq=False)
class Motors:
    """What the motors can do, one for each independent joint.

    Args:
        effort: (motors,) largest effort [N m] or [N].
        velocity: (motors,) speed [rad/s] or [m/s] at which a motor has no effort left to drive;
            it still brakes.
    """

    effort: Array
    velocity: Array

    @classmethod
    def of(cls, robot: RobotModel) -> 'Motors':
        """The motors of a robot."""
        return cls(np.array([joint.effort for joint in robot.joints]), robot.velocities)


class Drives:
    """Motors with PD control, and the efforts that they put on all movable joints.

    Args:
        motors: what the motors can do.
        source: (movable,) the motor that moves each joint.
        multiplier: (movable,) m_i: change of the joint's position with the motor's.
        offset: (movable,) position of the joint where the motor's is 0 [rad] or [m].

    Attributes:
        kp, kd: (movable,) gains [N m/rad] or [N/m], [N m s/rad] or [N s/m]; zero at first.
        effort: (movable,) on every joint, as last computed [N m] or [N].
        motor_effort: (motors,) of every motor, S' above [N m] or [N]. The power of the motors is
            the sum of this times the speeds of the independent joints; to sum `effort` times
            speed over all joints gives the same power as long as the mechanisms' joints move
            alike.

    Raises:
        SoftshellError: a motor moves no joint.
    """

    def __init__(
        self,
        motors: Motors,
        source: NDArray[np.int64] | Sequence[int],
        multiplier: Array,
        offset: Array,
    ) -> None:
        self.motors = motors
        self.source = np.array(source, dtype=np.int64)
        self.multiplier, self._offset = multiplier.copy(), offset.copy()
        joints, count = len(self.source), len(motors.effort)
        self._joints_of = np.bincount(self.source, minlength=count).astype(np.int64)
        if len(self._joints_of) != count or not self._joints_of.all():
            raise SoftshellError(
                f'{joints} joints are moved by motors {sorted(set(self.source.tolist()))}; '
                f'expected each of 0 to {count - 1} to move one or more'
            )
        self.kp, self.kd, self.effort = (np.zeros(joints) for _ in range(3))
        self.motor_effort, self._speed, self._stiffness = (np.zeros(count) for _ in range(3))
        self._nothing, self._still = np.zeros(count), np.zeros(joints)

    @classmethod
    def of(cls, robot: RobotModel, joint_map: JointMap) -> 'Drives':
        """The drives of a robot, in the order of a joint map; gains are still zero."""
        return cls(Motors.of(robot), joint_map.source, joint_map.multiplier, joint_map.offset)

    def compute(
        self, position: Array, velocity: Array, target_position: Array, target_velocity: Array
    ) -> None:
        """Write `effort` and `motor_effort`. No allocation.

        Args:
            position, velocity: (movable,) measured [rad] or [m], [rad/s] or [m/s].
            target_position, target_velocity: (movable,) likewise.
        """
        largest = self.motors.effort
        self._compute(position, velocity, target_position, target_velocity, largest)

    def release(self, position: Array, velocity: Array) -> None:
        """Write the efforts with which all motors give way.

        `motor_effort` is zero, and so is `effort` but for mechanisms of several joints, which hold
        their joints together.

        Args:
            position, velocity: (movable,) measured [rad] or [m], [rad/s] or [m/s].
        """
        # Any common target will do, for it moves the joints of a mechanism alike.
        self._compute(position, velocity, self._offset, self._still, self._nothing)

    def _compute(
        self,
        position: Array,
        velocity: Array,
        target_position: Array,
        target_velocity: Array,
        largest: Array,
    ) -> None:
        _compute(
            position,
            velocity,
            target_position,
            target_velocity,
            self.kp,
            self.kd,
            self.source,
            self.multiplier,
            self._joints_of,
            largest,
            self.motors.velocity,
            self._speed,
            self._stiffness,
            self.effort,
            self.motor_effort,
        )


@njit(cache=True)
def _compute(
    position: Array,
    velocity: Array,
    target_position: Array,
    target_velocity: Array,
    kp: Array,
    kd: Array,
    source: NDArray[np.int64],
    multiplier: Array,
    joints_of: NDArray[np.int64],
    largest: Array,
    fastest: Array,
    speed: Array,
    stiffness: Array,
    effort: Array,
    motor_effort: Array,
) -> None:
    motor_effort[:] = 0.0
    speed[:] = 0.0
    stiffness[:] = 0.0
    for joint in range(len(position)):
        motor, m = source[joint], multiplier[joint]
        # A mechanism without stiffness still has one coordinate: then all joints count alike.
        weight = max(kp[joint], 1e-12)
        wanted = kp[joint] * (target_position[joint] - position[joint])
        wanted += kd[joint] * (target_velocity[joint] - velocity[joint])
        effort[joint] = wanted
        motor_effort[motor] += m * wanted
        speed[motor] += weight * m * velocity[joint]
        stiffness[motor] += weight * m * m
    for motor in range(len(motor_effort)):
        wanted, most = motor_effort[motor], largest[motor]
        pace = speed[motor] / stiffness[motor] if stiffness[motor] > 0.0 else 0.0
        if wanted * pace > 0.0:
            most *= min(max((1.0 - abs(pace) / fastest[motor]) / (1.0 - KNEE), 0.0), 1.0)
        given = min(max(wanted, -most), most)
        motor_effort[motor] = given
        # From here on `speed` holds what each joint gets more, by weight and multiplier.
        speed[motor] = (given - wanted) / stiffness[motor] if stiffness[motor] > 0.0 else 0.0
    for joint in range(len(position)):
        motor = source[joint]
        if joints_of[motor] == 1 and multiplier[joint] == 1.0:
            # The same without rounding, however large the error of the joint.
            effort[joint] = motor_effort[motor]
        else:
            effort[joint] += speed[motor] * max(kp[joint], 1e-12) * multiplier[joint]
