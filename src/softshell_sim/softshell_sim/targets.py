"""Where the motors are to bring the joints, from step to step."""

import numpy as np

from softshell_kinematics.arrays import Array


class Targets:
    """Positions and velocities that all movable joints are to have.

    Args:
        joints: number of them.

    Attributes:
        position: (joints,) [rad] or [m].
        velocity: (joints,) [rad/s] or [m/s].
    """

    def __init__(self, joints: int) -> None:
        self.position, self.velocity = np.zeros(joints), np.zeros(joints)
        self._from, self._to = np.zeros(joints), np.zeros(joints)

    def hold(self, position: Array) -> None:
        """Have the joints rest at (joints,) positions [rad] or [m]."""
        self.position[:] = self._to[:] = position
        self.velocity[:] = 0.0

    def begin(self, position: Array | None, velocity: Array | None) -> None:
        """Go from where the joints were to be at the end of the last way to somewhere else.

        Args:
            position: (joints,) at the end of the way [rad] or [m]; None: they stay.
            velocity: (joints,) all along it [rad/s] or [m/s]; None: 0.
        """
        self._from[:] = self._to
        if position is not None:
            self._to[:] = position
        self.velocity[:] = 0.0 if velocity is None else velocity

    def advance(self, part: float) -> None:
        """Be at a part of the way, 0 to 1, along straight lines."""
        np.subtract(self._to, self._from, out=self.position)
        self.position *= part
        self.position += self._from

    def save(self) -> Array:
        """What decides how the targets go on."""
        return np.stack((self.position, self.velocity, self._to))

    def restore(self, saved: Array) -> None:
        """Go on as from when this was saved."""
        self.position[:], self.velocity[:], self._to[:] = saved
