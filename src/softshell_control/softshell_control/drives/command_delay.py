"""Commands that take effect some time after they are given."""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array


class CommandDelay:
    """Delays the targets of joints, each joint's by its own time, rounded to whole steps.

    Before the first target is due, it is what comes out.

    Args:
        late: (joints,) delay of each joint's targets [s].
        step: time until the next targets [s]; see `set_step`.
    """

    def __init__(self, late: Array, step: float) -> None:
        self._late, joints = late, len(late)
        # Rows by their number, in a ring: targets, and when they were given.
        self._kept, self._times = np.zeros((1, 2, joints)), np.zeros(1)
        self._due, self._given = np.zeros(joints, dtype=np.int64), 0
        self._now = 0.0
        self._out = np.zeros((2, joints))
        self.set_step(step)

    def set_step(self, step: float) -> None:
        """Change the time between targets, from the next ones on [s]; earlier ones stay."""
        self._step = step
        rows = math.ceil(float(self._late.max()) / step) + 3
        old = len(self._times)
        if rows <= old:
            return
        numbers = np.arange(max(self._given - old, 0), self._given)
        kept, times = np.zeros((rows, *self._kept.shape[1:])), np.zeros(rows)
        kept[numbers % rows], times[numbers % rows] = (
            self._kept[numbers % old],
            self._times[numbers % old],
        )
        self._kept, self._times = kept, times

    def pass_on(self, position: Array, velocity: Array) -> tuple[Array, Array]:
        """Take (joints,) target positions and velocities; returns those that are due now."""
        _pass_on(
            position, velocity, self._kept, self._times, self._given, self._now, self._late,
            self._step, self._due, self._out,
        )  # fmt: skip
        self._given += 1
        self._now += self._step
        return self._out[0], self._out[1]

    def forget(self) -> None:
        """Forget all targets."""
        self._due[:] = 0
        self._given, self._now = 0, 0.0

    def save(self) -> tuple[Array, Array, NDArray[np.int64], int, float]:
        """A copy of the state."""
        return (
            self._kept.copy(), self._times.copy(), self._due.copy(), self._given, self._now,
        )  # fmt: skip

    def restore(self, content: tuple[Array, Array, NDArray[np.int64], int, float]) -> None:
        """Go on from what `save` gave."""
        kept, times, due, self._given, self._now = content
        self._kept, self._times, self._due = kept.copy(), times.copy(), due.copy()


@njit(cache=True)
def _pass_on(
    position: Array,
    velocity: Array,
    kept: Array,
    times: Array,
    given: int,
    now: float,
    late: Array,
    step: float,
    due: NDArray[np.int64],
    out: Array,
) -> None:
    """Keep targets as row number `given`, and write those that are due."""
    rows = len(times)
    place = given % rows
    times[place] = now
    for joint in range(len(late)):
        kept[place, 0, joint], kept[place, 1, joint] = position[joint], velocity[joint]
        # Half a step and a little for rounding: the nearest row, of two the later one.
        newest = now - late[joint] + 0.500001 * step
        while due[joint] < given and times[(due[joint] + 1) % rows] <= newest:
            due[joint] += 1
        row = due[joint] % rows
        out[0, joint], out[1, joint] = kept[row, 0, joint], kept[row, 1, joint]
