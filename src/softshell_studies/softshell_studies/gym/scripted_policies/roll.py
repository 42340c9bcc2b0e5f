"""Rolling by opening the panels that are behind the lowest point of the ball."""

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_studies.gym.policy import Policy
from softshell_studies.gym.roll import Roll
from softshell_studies.gym.task import part_of
from softshell_studies.gym.wiring import RollWiring

#: A panel opens if the angle from the lowest point backwards to its middle is in this range [rad],
#: and its angle to the side is at most this [rad].
BEHIND, ASIDE = (0.15, 1.0), 0.9
#: How far it opens, from -1 (closed) to 1.
OPEN = 0.6
#: Panels are chosen by where they will be after this time [s].
LEAD = 0.10
#: Radius of the ball [m]; gains that turn the push against its speed [s/m] and its displacement
#: [1/m] to the side.
RADIUS, SPEED_ASIDE, WAY_ASIDE = 0.2, 1.0, 1.0


class ScriptedRoll(Policy):
    """Opens the panels that are behind the point on which the ball stands.

    Args:
        task: that is played.
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
        # A direction that is fixed in the world turns by -spin in the base.
        heading = heading - LEAD * np.cross(spin, heading)
        down = down - LEAD * np.cross(spin, down)
        across = np.cross(down, heading)
        below, ahead = self._panels @ down, self._panels @ heading
        behind = np.arctan2(-ahead, below)
        off = np.abs(np.arcsin(np.clip(self._panels @ across, -1.0, 1.0)))
        pushes = (behind > BEHIND[0]) & (behind < BEHIND[1]) & (off < ASIDE)
        return np.where(pushes, OPEN, -1.0)
