"""Commands that take effect some steps after they are given."""

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array


class CommandDelay:
    """Targets of joints, each joint's by a number of steps of its own.

    What comes out before the first target is through is that first target.

    Args:
        steps: (joints,) by which each joint's targets are late.
    """

    def __init__(self, steps: NDArray[np.int64]) -> None:
        self._steps, self._columns = steps, np.arange(len(steps))
        self._kept = np.zeros((int(steps.max()) + 1, 2, len(steps)))
        self._out = np.zeros((2, len(steps)))
        self._next, self._is_empty = 0, True

    def pass_on(self, position: Array, velocity: Array) -> tuple[Array, Array]:
        """The (joints,) positions and velocities that are due when these are given."""
        if self._is_empty:
            self._kept[:, 0], self._kept[:, 1] = position, velocity
            self._is_empty = False
        length = len(self._kept)
        self._kept[self._next, 0], self._kept[self._next, 1] = position, velocity
        due = (self._next - self._steps) % length
        self._out[:] = self._kept[due, :, self._columns].T
        self._next = (self._next + 1) % length
        return self._out[0], self._out[1]

    def forget(self) -> None:
        """Forget what was given."""
        self._is_empty = True

    def save(self) -> tuple[Array, int, bool]:
        """What is on its way, as a copy."""
        return self._kept.copy(), self._next, self._is_empty

    def restore(self, content: tuple[Array, int, bool]) -> None:
        """Go on from what `save` gave."""
        kept, self._next, self._is_empty = content
        self._kept[:] = kept
