"""A wave that goes along the snake, and is bent towards the middle of the channel."""

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_studies.gym.policy import Policy
from softshell_studies.gym.snake import LARGEST, Snake
from softshell_studies.gym.task import part_of
from softshell_studies.soft.snake import ACTUATORS, FREQUENCY, PHASE, RISE, TORQUE

#: What is added to all moments, by the heading and by how far the middle is aside, as parts of
#: the largest [1/rad], [1/m].
TURN, ASIDE = 0.6, 1.0


class ScriptedSnake(Policy):
    """Slithers as SoMo's snake does, and steers.

    Args:
        task: that is done.
    """

    def __init__(self, task: Snake) -> None:
        self._parts, self._period = task.observations, task.period
        self.begin()

    def begin(self) -> None:
        self._time = 0.0

    def act(self, observation: Array) -> Array:
        self._time += self._period
        (heading,) = part_of(self._parts, observation, 'heading')
        middle = part_of(self._parts, observation, 'aside')[1]
        phases = FREQUENCY * self._time + PHASE * np.arange(ACTUATORS)
        wave = TORQUE / LARGEST * np.sin(phases) * min(self._time / RISE, 1.0)
        steer: Array = wave - TURN * heading - ASIDE * middle
        return steer
