"""Slithering by a travelling wave, with steering towards the middle of the channel."""

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_studies.gym.policy import Policy
from softshell_studies.gym.snake import LARGEST, Snake
from softshell_studies.gym.task import part_of
from softshell_studies.soft.snake import ACTUATORS, FREQUENCY, PHASE, RISE, TORQUE

#: Steering: gains on the heading [1/rad] and on the offset of the middle [1/m]; their sum is
#: subtracted from all moments, as part of the largest.
TURN, ASIDE = 0.6, 1.0


class ScriptedSnake(Policy):
    """Slithers as SoMo's snake does, and steers.

    Args:
        task: that is played.
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
