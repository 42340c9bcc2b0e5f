"""The target positions and velocities of the joints, interpolated from step to step."""

import math

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError


class Targets:
    """Target positions and velocities of all movable joints.

    Args:
        limits: (2, joints) lowest and highest positions [rad] or [m].

    Attributes:
        position: (joints,) present target [rad] or [m].
        velocity: (joints,) present target [rad/s] or [m/s].
    """

    def __init__(self, limits: Array) -> None:
        self._limits, joints = limits, limits.shape[1]
        self.position, self.velocity = np.zeros(joints), np.zeros(joints)
        self._from, self._to = np.zeros(joints), np.zeros(joints)

    def hold(self, position: Array, velocity: Array | float = 0.0) -> None:
        """Set the targets to (joints,) positions [rad] or [m] and velocities, at once."""
        self.position[:] = self._to[:] = position
        self.velocity[:] = velocity

    def begin(self, position: Array | None, velocity: Array | None) -> None:
        """Begin an interpolation from the last targets to new ones.

        Args:
            position: (joints,) targets at its end [rad] or [m]; None: the last ones.
            velocity: (joints,) targets throughout [rad/s] or [m/s]; None: 0.
        """
        self._from[:] = self._to
        if position is not None:
            self._to[:] = position
        self.velocity[:] = 0.0 if velocity is None else velocity

    def refuse_unfit(self, position: Array | None, velocity: Array | None) -> None:
        """Check new targets.

        Args:
            position, velocity: expected to be (joints,) and finite; None: not given.

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
            # The sum of squares is finite only if all numbers are; this is quick for every step.
            if array.shape != self.position.shape or not math.isfinite(array.dot(array)):
                raise SoftshellError(
                    f'target {name} is {values!r}; expected {len(self.position)} finite numbers, '
                    'one for each joint that moves'
                )

    def within_limits(self, offset: Array) -> tuple[Array, Array]:
        """True positions and velocities of joints that are at their targets, within their limits.

        Args:
            offset: (joints,) by how much targets are more than true positions [rad] or [m].

        Returns:
            (joints,) positions, clipped to the limits, and (joints,) velocities, 0 where clipped.
        """
        wanted = self.position - offset
        position = np.clip(wanted, *self._limits)
        return position, np.where(position == wanted, self.velocity, 0.0)

    def advance(self, part: float) -> None:
        """Set the targets to a part, 0 to 1, of the interpolation, which is linear."""
        np.subtract(self._to, self._from, out=self.position)
        self.position *= part
        self.position += self._from

    def save(self) -> Array:
        """A copy of the state."""
        return np.stack((self.position, self.velocity, self._to))

    def restore(self, saved: Array) -> None:
        """Bring back what `save` returned."""
        self.position[:], self.velocity[:], self._to[:] = saved
