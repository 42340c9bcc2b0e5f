"""Measures a commanded robot, in each control period."""

import numpy as np

from softshell_common.gravity import GRAVITY
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import rotation_from_quaternion, transform
from softshell_studies.commanded_robot import PERIOD, CommandedRobot


class Meter:
    """Measures a motion of a robot, from now on; replaces what the robot's `watch` was.

    Args:
        robot: that moves.

    Attributes:
        work: of all joints; braking counts as positive work [J].
        tilt: largest angle of the base from the vertical [rad].
        speed: largest speed of the base [m/s].
    """

    def __init__(self, robot: CommandedRobot) -> None:
        self._robot = robot
        self._begin, self._since = base_pose(robot), robot.time
        self._squares: list[float] = []
        self.work = self.tilt = self.speed = 0.0
        robot.watch = self._look

    @property
    def seconds(self) -> float:
        """Time since the start of the measurement [s]."""
        return self._robot.time - self._since

    @property
    def tracking(self) -> float:
        """Root-mean-square difference between joints and their commands [rad]."""
        return float(np.sqrt(np.mean(self._squares))) if self._squares else float('nan')

    def way(self, direction: float) -> tuple[float, float]:
        """How far the base has moved in a direction, and to the left of it [m].

        Args:
            direction: angle from the x axis of the base at the start, to the left [rad].
        """
        heading = np.arctan2(self._begin[1, 0], self._begin[0, 0]) + direction
        moved = base_pose(self._robot)[:2, 3] - self._begin[:2, 3]
        ahead = np.array([np.cos(heading), np.sin(heading)])
        return float(moved @ ahead), float(moved @ [-ahead[1], ahead[0]])

    def turned(self) -> float:
        """How far the base has turned to the left since the start, from -π to π [rad]."""
        turn = self._begin[:3, :3].T @ base_pose(self._robot)[:3, :3]
        return float(np.arctan2(turn[1, 0], turn[0, 0]))

    def cost(self, distance: float) -> float:
        """Cost of transport: work / (weight · distance), for a distance in [m]."""
        weight = GRAVITY * self._robot.robot.urdf.mass
        return self.work / (weight * distance)

    def _look(self) -> None:
        """Add the measurements of a control period."""
        core = self._robot.core
        measured, count = core.measured, len(self._robot.robot.joint_names)
        assert measured.base is not None
        # The effort of a joint that others mimic is the sum of all.
        power = np.abs(measured.effort[:count] * measured.velocity[:count])
        self.work += PERIOD * float(power.sum())
        self.tilt = max(self.tilt, self._robot.tilt_now())
        self.speed = max(self.speed, float(np.linalg.norm(measured.base.linear_velocity)))
        errors = core.command.value[:count] - measured.channels[:count]
        self._squares.append(float(np.mean(errors**2)))


def base_pose(robot: CommandedRobot) -> Array:
    """(4, 4) pose of the base in the world."""
    base = robot.core.measured.base
    assert base is not None
    return transform(rotation_from_quaternion(base.orientation), base.position)
