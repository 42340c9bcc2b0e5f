"""Panels behind and below the ball push it on."""

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_studies.gym.policy import Policy
from softshell_studies.gym.roll import Roll
from softshell_studies.gym.task import part_of
from softshell_studies.gym.wiring import RollWiring

#: Panels open whose middle is so far behind the lowest point, from and to [rad], and no further
#: aside of the way than this [rad].
BEHIND, ASIDE = (0.15, 1.0), 0.9
#: How far, from closed to open, -1 to 1.
OPEN = 0.6
#: From how far ahead of time panels are chosen [s].
LEAD = 0.10
#: Radius of the ball [m]; how its speed aside and its way aside turn the push, [s/m] and [1/m].
RADIUS, SPEED_ASIDE, WAY_ASIDE = 0.2, 1.0, 1.0


class ScriptedRoll(Policy):
    """Opens the panels that are behind the point on which the ball stands.

    Args:
        task: that is done.
    """

    def __init__(self, task: Roll) -> None:
        assert isinstance(task.wiring, RollWiring)
        self._parts, self._panels = task.observations, task.wiring.panels
        self._period = task.period
        self.begin()

    def begin(self) -> None:
        self._aside = 0.0

    def act(self, observation: Array) -> Array:
        heading = part_of(self._parts, observation, 'heading')
        down = part_of(self._parts, observation, 'down')
        spin = part_of(self._parts, observation, 'base_spin')
        left = np.cross(heading, down)
        aside = float(RADIUS * np.cross(down, spin) @ left)
        self._aside = float(np.clip(self._aside + aside * self._period, -1.0, 1.0))
        heading = heading - (SPEED_ASIDE * aside + WAY_ASIDE * self._aside) * left
        heading /= np.linalg.norm(heading)
        # What is fixed in the world turns the other way in the base.
        heading = heading - LEAD * np.cross(spin, heading)
        down = down - LEAD * np.cross(spin, down)
        across = np.cross(down, heading)
        below, ahead = self._panels @ down, self._panels @ heading
        behind = np.arctan2(-ahead, below)
        off = np.abs(np.arcsin(np.clip(self._panels @ across, -1.0, 1.0)))
        pushes = (behind > BEHIND[0]) & (behind < BEHIND[1]) & (off < ASIDE)
        return np.where(pushes, OPEN, -1.0)
