"""All movable joints of a robot, from its independent ones: which mimic one, which are elastic."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array


@dataclass(frozen=True, eq=False)
class JointMap:
    """All movable joints.

    The independent ones come first, then those that mimic one of them; motors drive these two
    kinds. Last come the elastic joints of soft manipulators, which no motor moves.

    Args:
        names: (movable,) names.
        independent: number of independent joints.
        source: (driven,) index of the independent joint that each one follows; for an independent
            joint its own index.
        multiplier, offset: (driven,) position = multiplier · position(source) + offset.
        neutral: (elastic,) rest positions of the elastic ones [rad] or [m].
    """

    names: tuple[str, ...]
    independent: int
    source: NDArray[np.int64]
    multiplier: Array
    offset: Array
    neutral: Array

    @property
    def driven(self) -> int:
        """Number of joints that motors drive."""
        return len(self.source)

    @classmethod
    def of(cls, robot: RobotModel) -> 'JointMap':
        """The map of a robot."""
        count = len(robot.joints)
        followers = tuple(robot.mimics)
        sources = [robot.index(mimic.source) for mimic in followers]
        chains = [spec.chain.neutral for spec in robot.soft.values()]
        driven = robot.joint_names + tuple(mimic.name for mimic in followers)
        return cls(
            names=driven + robot.elastic_joints,
            independent=count,
            source=np.array([*range(count), *sources], dtype=np.int64),
            multiplier=np.array([*np.ones(count), *(mimic.multiplier for mimic in followers)]),
            offset=np.array([*np.zeros(count), *(mimic.offset for mimic in followers)]),
            neutral=np.concatenate(chains) if chains else np.zeros(0),
        )

    def positions(self, independent: Array, movable: Array) -> None:
        """Write the positions of all joints, from those of the independent ones [rad] or [m].

        Args:
            independent: (independent,) positions.
            movable: to be written: (movable,), with elastic joints at rest, or (driven,).
        """
        driven = movable[: self.driven]
        np.take(independent, self.source, out=driven, mode='clip')
        driven *= self.multiplier
        driven += self.offset
        if len(movable) > self.driven:
            movable[self.driven :] = self.neutral

    def led_by(self, movable: Array) -> Array:
        """(driven,) positions [rad] or [m] that follow from the independent ones in (movable,)."""
        driven = np.empty(self.driven)
        self.positions(movable[: self.independent], driven)
        return driven

    def rates(self, independent: Array, movable: Array) -> None:
        """Write (movable,) or (driven,) velocities from (independent,) ones [rad/s] or [m/s]."""
        driven = movable[: self.driven]
        np.take(independent, self.source, out=driven, mode='clip')
        driven *= self.multiplier
        movable[self.driven :] = 0.0

    def complete(self, positions: Mapping[str, float]) -> dict[str, float]:
        """Positions by name, and those of all joints that mimic one of these.

        Args:
            positions: of some joints [rad] or [m]; a joint that is named keeps its position.
        """
        complete = dict(positions)
        for place, name in enumerate(self.names[: self.driven]):
            source = self.names[self.source[place]]
            if source in positions and name not in complete:
                complete[name] = float(
                    self.multiplier[place] * positions[source] + self.offset[place]
                )
        return complete
