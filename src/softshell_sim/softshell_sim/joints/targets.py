"""Where the motors are to bring the joints, from step to step."""

import math

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError


class Targets:
    """Positions and velocities that all movable joints are to have.

    Args:
        limits: (2, joints) lowest and highest positions [rad] or [m].

    Attributes:
        position: (joints,) [rad] or [m].
        velocity: (joints,) [rad/s] or [m/s].
    """

    def __init__(self, limits: Array) -> None:
        self._limits, joints = limits, limits.shape[1]
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

    def refuse_unfit(self, position: Array | None, velocity: Array | None) -> None:
        """Check what is to be a target.

        Args:
            position, velocity: to be (joints,) and finite; None: nothing is asked for.

        Raises:
            SoftshellError: they are not.
        """
        for name, values in (('position', position), ('velocity', velocity)):
            if values is None:
                continue
            try:
                array = np.asarray(values, dtype=np.float64)
            except (TypeError, ValueError):
                array = np.zeros(())
            # One number tells: the quickest way for what is checked in every step.
            if array.shape != self.position.shape or not math.isfinite(array.dot(array)):
                raise SoftshellError(
                    f'target {name} is {values!r}; expected {len(self.position)} finite numbers, '
                    'one for each joint that moves'
                )

    def within_limits(self) -> tuple[Array, Array]:
        """(joints,) positions within the limits of the joints, and velocities; at a limit 0."""
        position = np.clip(self.position, *self._limits)
        return position, np.where(position == self.position, self.velocity, 0.0)

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
