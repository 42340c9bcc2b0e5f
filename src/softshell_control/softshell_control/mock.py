"""A backend without physics: the joints are where they are told to be."""

import numpy as np
from numpy.typing import NDArray

from softshell_control.backend import Backend, Measured
from softshell_control.gate import Command
from softshell_control.joint_map import JointMap
from softshell_description.model import RobotModel


class MockBackend(Backend):
    """Follows each command exactly, without lag or force.

    The base stays at the origin of odom whatever the legs do: nothing is integrated. Efforts are
    zero.

    Args:
        robot: the robot.
        position: (joints,) where the independent joints start [rad].
    """

    name = 'mock'

    def __init__(self, robot: RobotModel, position: NDArray[np.float64]) -> None:
        self._map = JointMap.of(robot)
        self._start = Command.at_rest(position)
        self._measured = Measured.empty(len(self._map.names))

    def reset(self) -> Measured:
        return self.step(self._start)

    def step(self, command: Command) -> Measured:
        self._map.positions(command.position, self._measured.position)
        self._map.rates(command.velocity, self._measured.velocity)
        return self._measured
