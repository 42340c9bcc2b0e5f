"""From the independent joints to all movable ones: who follows whom."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array


@dataclass(frozen=True, eq=False)
class JointMap:
    """All movable joints: the independent ones first, then those that follow one of them.

    Args:
        names: (movable,) names.
        independent: number of independent joints.
        source: (movable,) the independent joint that each one follows; its own place for those.
        multiplier, offset: (movable,) position = multiplier · source + offset.
    """

    names: tuple[str, ...]
    independent: int
    source: NDArray[np.int64]
    multiplier: Array
    offset: Array

    @classmethod
    def of(cls, robot: RobotModel) -> 'JointMap':
        """The map of a robot."""
        count = len(robot.joints)
        followers = tuple(robot.mimics)
        sources = [robot.index(mimic.source) for mimic in followers]
        return cls(
            names=robot.joint_names + tuple(mimic.name for mimic in followers),
            independent=count,
            source=np.array([*range(count), *sources], dtype=np.int64),
            multiplier=np.array([*np.ones(count), *(mimic.multiplier for mimic in followers)]),
            offset=np.array([*np.zeros(count), *(mimic.offset for mimic in followers)]),
        )

    def positions(self, independent: Array, movable: Array) -> None:
        """Write (movable,) positions from (independent,) ones [rad]."""
        np.take(independent, self.source, out=movable, mode='clip')
        movable *= self.multiplier
        movable += self.offset

    def rates(self, independent: Array, movable: Array) -> None:
        """Write (movable,) velocities from (independent,) ones [rad/s]."""
        np.take(independent, self.source, out=movable, mode='clip')
        movable *= self.multiplier

    def complete(self, positions: Mapping[str, float]) -> dict[str, float]:
        """Positions by name, with those of the joints that follow one of them and are not named.

        Args:
            positions: of some joints [rad] or [m].
        """
        complete = dict(positions)
        for place, name in enumerate(self.names):
            source = self.names[self.source[place]]
            if source in positions and name not in complete:
                complete[name] = float(
                    self.multiplier[place] * positions[source] + self.offset[place]
                )
        return complete
