"""Turning a cube by a fixed schedule: two fingers hold and turn it while the others go back."""

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_studies.gym.hand import LARGEST, Hand
from softshell_studies.gym.policy import Policy
from softshell_studies.soft.hand_cube import LEAD, moments


class ScriptedHand(Policy):
    """Follows the schedule of pressures of the published hand.

    Args:
        task: that is played.
    """

    def __init__(self, task: Hand) -> None:
        self._period = task.period
        self.begin()

    def begin(self) -> None:
        self._time = -LEAD

    def act(self, observation: Array) -> Array:
        self._time += self._period
        return np.tile((moments(self._time) / LARGEST).ravel(), 2)
