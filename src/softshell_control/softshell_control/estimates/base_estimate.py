"""The estimate of the base beside, or in place of, what a backend measures of it."""

from dataclasses import replace

import numpy as np

from softshell_control.backend import BaseState, ImuSample, Measured
from softshell_control.estimates.aligned import Aligned
from softshell_control.estimates.imu_link import imu_of_base
from softshell_control.estimates.leg_odometry import UNIT, LegOdometry
from softshell_control.estimates.stance_motion import turned
from softshell_control.joint_map import JointMap
from softshell_control.time_flow import CLOCK_BACK
from softshell_control.trajectories.trajectory import NANOSECONDS
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import quaternion_from_rotation, rotation_from_quaternion


class BaseEstimate:
    """Estimates where the base is, for a robot with legs and a free base; for others nothing.

    It begins with the first measurement that has an IMU or the base itself: a backend that never
    measures either, such as the mock, has no base that could move.

    Args:
        robot: the robot.
        wanted: whether to estimate at all.
    """

    def __init__(self, robot: RobotModel, wanted: bool = True) -> None:
        walks = wanted and robot.legs is not None and not robot.base.fixed
        self._robot = robot
        self._odometry = LegOdometry(robot) if walks else None
        self._aligned = Aligned(JointMap.of(robot))
        self._stamp: int | None = None
        self._newest: int | None = None  # stamp of the measurement before
        self._restart = self._driven = False

    def restart(self) -> None:
        """Begin anew at the next measurement: the robot was put back where it started."""
        self._restart = True

    def update(
        self, measured: Measured, command: Array | None = None
    ) -> tuple[Measured, BaseState | None]:
        """Take a measurement; one that is no later than the one before is not counted again.

        Where the clock has gone back, time goes on from there.

        Args:
            measured: by a backend.
            command: (channels,) in force; it tells how joints moved between two readings. None:
                the joints are not driven, and may be moved by anybody.

        Returns:
            The measurement, with the estimate as its base if it has none of its own; and the
            estimate, None if there is none or it is the base already.
        """
        odometry = self._odometry
        if odometry is None:
            return measured, None
        if self._restart:
            self._restart, self._stamp = False, None
            odometry.restart()
            self._aligned.restart()
        back = 0 if self._newest is None else self._newest - measured.stamp
        if back >= CLOCK_BACK * NANOSECONDS:
            self._stamp = None  # the base stays where it was, in the new time
            self._aligned.restart()
        self._newest = measured.stamp
        if self._driven is not (command is not None):  # the first command is no motion
            self._driven = not self._driven
            self._aligned.restart()
        if self._stamp is None and measured.base is None and measured.imu is None:
            return measured, None
        seen = measured
        if measured.imu is not None and measured.imu.link:
            seen = replace(measured, imu=imu_of_base(self._robot, measured.imu))
        one_time = self._aligned.update(seen, command)
        last = one_time.stamp if self._stamp is None else self._stamp
        if self._stamp is None or one_time.stamp > last:
            odometry.update(one_time, (one_time.stamp - last) / NANOSECONDS)
            self._stamp = last = one_time.stamp
        base = odometry.base
        if one_time is not seen:
            base = _ahead(base, max(measured.stamp - last, 0) / NANOSECONDS, seen.imu)
        if measured.base is None:
            return replace(measured, base=base), None
        return measured, base


def _ahead(base: BaseState, seconds: float, imu: ImuSample | None) -> BaseState:
    """Where a base is after some time at its velocity, oriented as an IMU says by now."""
    turn = rotation_from_quaternion(base.orientation)
    rate = base.angular_velocity
    orientation = quaternion_from_rotation(turned(seconds * (turn @ rate), turn))
    if imu is not None:
        length = float(np.linalg.norm(imu.orientation))
        if abs(length - 1.0) <= UNIT:
            orientation = imu.orientation / length
        if np.isfinite(imu.angular_velocity).all():
            rate = imu.angular_velocity
    return replace(
        base,
        position=base.position + seconds * (turn @ base.linear_velocity),
        orientation=orientation,
        angular_velocity=rate,
    )
