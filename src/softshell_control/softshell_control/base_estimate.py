"""The estimate of the base beside, or in place of, what a backend measures of it."""

from dataclasses import replace

from softshell_control.backend import Measured
from softshell_control.imu_link import imu_of_base
from softshell_control.leg_odometry import EstimatedBase, LegOdometry
from softshell_control.trajectory import NANOSECONDS
from softshell_description.model import RobotModel


class BaseEstimate:
    """Estimates where the base is, of a robot with legs and a free base, and of no other.

    It begins with the first measurement that has an IMU or the base itself: a backend that never
    has either, like the mock, has no base that could move.

    Args:
        robot: the robot.
        wanted: whether to estimate at all.
    """

    def __init__(self, robot: RobotModel, wanted: bool = True) -> None:
        walks = wanted and robot.legs is not None and not robot.base.fixed
        self._robot = robot
        self._odometry = LegOdometry(robot) if walks else None
        self._stamp: int | None = None
        self._restart = False

    def restart(self) -> None:
        """Begin anew at the next measurement: the robot was put back where it started."""
        self._restart = True

    def update(self, measured: Measured) -> tuple[Measured, EstimatedBase | None]:
        """Take a measurement; one that is no later than the one before counts once.

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
        if self._stamp is None and measured.base is None and measured.imu is None:
            return measured, None
        last = measured.stamp if self._stamp is None else self._stamp
        if self._stamp is None or measured.stamp > last:
            seen = measured
            if measured.imu is not None and measured.imu.link:
                seen = replace(measured, imu=imu_of_base(self._robot, measured.imu))
            odometry.update(seen, (measured.stamp - last) / NANOSECONDS)
            self._stamp = measured.stamp
        if measured.base is None:
            return replace(measured, base=odometry.base), None
        return measured, odometry.base
