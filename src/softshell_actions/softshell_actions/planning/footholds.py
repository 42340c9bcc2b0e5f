"""Where a foot has to land, so that half-way through its stance it is at rest under the robot."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from softshell_actions.curves import footprint
from softshell_actions.planning.rolling import RollingFeet
from softshell_kinematics.arrays import Array

#: Number of moments at which the first half of a stance is evaluated.
HALF_STANCE = 9
#: Number of results that are kept.
REMEMBERED = 256


@dataclass(frozen=True)
class Landing:
    """The next landing of a foot, of a robot that keeps its velocity.

    Args:
        velocity: (3,) x, y [m/s] and yaw [rad/s] of the footprint.
        rotation, origin: pose of the base in the footprint, origin (3,) [m].
        remaining: time until the landing [s].
        stands_for: time for which the foot then stands [s].
    """

    velocity: Array
    rotation: Rotation
    origin: Array
    remaining: float
    stands_for: float

    def foothold(self, rest: Array, rolling: RollingFeet, leg: str) -> tuple[Array, Array]:
        """(3,) where a foot lands [m], and (3,) its velocity then [m/s], in the footprint now.

        Args:
            rest: (3,) its place under the robot half-way through the stance [m].
            rolling: feet that roll while they stand.
            leg: whose foot it is.
        """
        half = self.stands_for / 2
        ahead = footprint.planar_exponential(self.velocity * (self.remaining + half))
        turned = footprint.planar_rotation(ahead[2] - self.velocity[2] * half)
        rolled, velocity = turned.apply(self._half_stance(rest, rolling, leg))
        return footprint.from_footprint(ahead, rest[None])[0] - rolled, velocity

    def _half_stance(self, rest: Array, rolling: RollingFeet, leg: str) -> Array:
        """(2, 3) the result of `_rolled`, which is kept for equal questions."""
        given = (self.velocity, self.rotation.as_quat(), self.origin, rest)
        key = (leg, self.stands_for, *(values.tobytes() for values in given))
        if key not in rolling.known:
            if len(rolling.known) >= REMEMBERED:
                rolling.known.clear()
            rolling.known[key] = self._rolled(rest, rolling, leg)
        return rolling.known[key]

    def _rolled(self, rest: Array, rolling: RollingFeet, leg: str) -> Array:
        """(2, 3) how far the foot rolls till it is at `rest` [m], and how fast at first [m/s].

        In the footprint at the landing. It is computed twice: first as if the foot landed where it
        does without rolling, then from the landing place that follows from that.
        """
        rolled, path = np.zeros(3), np.zeros((HALF_STANCE, 3))
        if leg not in rolling.feet or not np.any(self.velocity):
            return path[:2]
        times = np.linspace(0.0, self.stands_for / 2, HALF_STANCE)
        poses = np.array([footprint.planar_exponential(self.velocity * time) for time in times])
        base = footprint.planar_rotation(poses[:, 2]) * self.rotation
        origins = [footprint.from_footprint(pose, self.origin[None])[0] for pose in poses]
        end = footprint.from_footprint(poses[-1], rest[None])[0]
        for _ in range(2):
            goals = base.inv().apply(end - rolled - np.array(origins))
            path = rolling.feet[leg].path(goals, base.as_matrix(), rolling.stand)
            rolled = path[-1]
        # Of the parabola through the first three points.
        velocity = (4.0 * path[1] - 3.0 * path[0] - path[2]) / (times[2] - times[0])
        return np.array([rolled, velocity])
