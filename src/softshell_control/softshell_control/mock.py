"""A backend without physics: the channels are where they are commanded to be."""

import numpy as np

from softshell_control.backend import Backend, Measured, StopPolicy
from softshell_control.gate import Command
from softshell_control.joint_map import JointMap
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array


class MockBackend(Backend):
    """Follows each command exactly, without lag or force.

    It measures joints and other channels and nothing else: there is no base that could move, no
    IMU and no contact. Efforts are zero.

    Args:
        robot: the robot.
        position: (joints,) where the independent joints start [rad] or [m]; default its start
            pose, in which other channels start in any case.
    """

    name = 'mock'
    owns_time = True

    def __init__(self, robot: RobotModel, position: Array | None = None) -> None:
        self._map = JointMap.of(robot)
        self._joints = len(robot.joints)
        self._start = robot.pose(robot.start) if position is None else position.copy()
        at_start = robot.poses[robot.start]
        self._others = np.array([at_start.get(name, 0.0) for name in robot.channels])
        self._measured = Measured.zero(len(self._map.names), self._joints + len(robot.channels))

    def reset(self) -> Measured:
        self._measured.channels[: self._joints] = self._start
        places = slice(self._joints, self._joints + len(self._others))
        self._measured.channels[places] = self._others
        self._measured.velocity[:] = 0.0
        self._map.positions(self._start, self._measured.position)
        return self._measured

    def activate(self) -> Measured:
        return self._measured

    def step(self, now: int, command: Command | None) -> Measured:
        measured = self._measured
        measured.stamp = now
        measured.velocity[:] = 0.0
        if command is not None:
            measured.channels[:] = command.value
            self._map.positions(command.value[: self._joints], measured.position)
            self._map.rates(command.rate[: self._joints], measured.velocity)
        return measured

    def stop(self, policy: StopPolicy) -> None:
        """Do nothing: without physics nothing moves without a command."""
