"""The latest commands, and how far they have moved on since a measurement."""

import numpy as np

from softshell_control.trajectories.trajectory import NANOSECONDS
from softshell_kinematics.arrays import Array

#: Commands that are kept; what was measured before the first of them counts as measured then.
LENGTH = 64
#: Times that differ by less are the same [ns].
SAME = 1000


class CommandHistory:
    """The last commands and their times.

    An old reading shows where a channel was; its command has moved on since. The reading, moved
    on by as much as the command, is where the channel is expected now: as far off its command as
    it was then.

    Args:
        channels: number of them.
    """

    def __init__(self, channels: int) -> None:
        self._times = np.zeros(LENGTH, dtype=np.int64)
        self._values = np.zeros((LENGTH, channels))
        self._last = 0

    def begin(self, value: Array, now: int) -> None:
        """Forget all but (channels,) values at a time [ns]."""
        self._times[:], self._values[:] = now, value

    def note(self, value: Array, now: int) -> None:
        """Keep (channels,) values that are commanded from a time on [ns]."""
        self._last = (self._last + 1) % LENGTH
        self._times[self._last], self._values[self._last] = now, value

    def moved(self, age: Array, stamp: int) -> Array:
        """By how much the commands have moved on since their channels were measured.

        Args:
            age: (n,) how long before the stamp each of the first n channels was measured [s].
            stamp: [ns].

        Returns:
            (n,) in the unit of each channel.
        """
        order = np.roll(np.arange(LENGTH), -self._last - 1)
        when = stamp - np.minimum(age * NANOSECONDS, float(stamp))
        places = np.searchsorted(self._times[order], when + SAME, side='right') - 1
        then = self._values[order[np.maximum(places, 0)], np.arange(len(age))]
        moved: Array = self._values[self._last, : len(age)] - then
        return moved
