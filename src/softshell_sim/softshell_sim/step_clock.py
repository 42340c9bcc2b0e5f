"""The time of a world, and the steps that it passes in."""

import math
from collections.abc import Callable

from softshell_kinematics.errors import SoftshellError

#: Part of a step by which a time may miss a whole number of them.
ROUNDING = 1e-6


class StepClock:
    """Counts steps of one length; what passed in steps of other lengths comes before them.

    Args:
        step: the longest step [s]; also the first.
        told: are called with the present step [s] whenever it may have become another one.

    Attributes:
        step: the present one [s].
        steps: of that length, which have passed.
    """

    def __init__(self, step: float, *told: Callable[[float], None]) -> None:
        self._longest = self.step = step
        self._told = told
        self._since, self.steps = 0.0, 0

    @property
    def time(self) -> float:
        """Since the last reset [s]."""
        return self._since + self.steps * self.step

    def reset(self) -> None:
        """Begin at 0 with the longest step."""
        self._take(0.0, 0, self._longest)

    def divide(self, seconds: float) -> int:
        """Take the step of which the fewest pass in a time [s], and say how many these are.

        Raises:
            SoftshellError: no time can pass so.
        """
        if not 0.0 < seconds < math.inf:
            raise SoftshellError(f'seconds is {seconds}; expected more than 0, and finite')
        count = max(math.ceil(seconds / self._longest - ROUNDING), 1)
        # No other step for what differs by rounding: runs repeat bit for bit.
        even = abs(seconds - count * self._longest) < ROUNDING * seconds
        step = self._longest if even else seconds / count
        if step != self.step:
            self._take(self.time, 0, step)
        return count

    def save(self) -> tuple[float, int, float]:
        """What the time depends on."""
        return self._since, self.steps, self.step

    def restore(self, saved: tuple[float, int, float]) -> None:
        """Go on as from when this was saved."""
        self._take(*saved)

    def _take(self, since: float, steps: int, step: float) -> None:
        self._since, self.steps, self.step = since, steps, step
        for tell in self._told:
            tell(step)
