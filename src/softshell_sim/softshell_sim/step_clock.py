"""The time of a world, and the length of its steps."""

import math
from collections.abc import Callable

from softshell_kinematics.errors import SoftshellError

#: Part of a step by which a time may differ from a whole number of steps.
ROUNDING = 1e-6
#: Part of a time by which steps of the longest length may differ from it: less than what rounding
#: to nanoseconds does, more than that of floating point.
EVEN = 1e-10


class StepClock:
    """Counts steps of equal length, on top of the time that passed in steps of other lengths.

    Args:
        step: the longest step [s]; the clock begins with it.
        told: functions that are called with the step [s] whenever it may have changed.

    Attributes:
        step: the present length of a step [s].
        steps: how many steps of this length have passed.
    """

    def __init__(self, step: float, *told: Callable[[float], None]) -> None:
        self._longest = self.step = step
        self._told = told
        self._since, self.steps = 0.0, 0

    @property
    def time(self) -> float:
        """Time since the last reset [s]."""
        return self._since + self.steps * self.step

    def reset(self) -> None:
        """Set the time to 0 and take the longest step."""
        self._take(0.0, 0, self._longest)

    def divide(self, seconds: float) -> int:
        """Choose the longest step of which a whole number makes up a time [s].

        Returns:
            The number of steps.

        Raises:
            SoftshellError: the time is not above 0 and finite.
        """
        if not 0.0 < seconds < math.inf:
            raise SoftshellError(f'seconds is {seconds}; expected more than 0, and finite')
        count = max(math.ceil(seconds / self._longest - ROUNDING), 1)
        # The step does not change for a rounding error, so that runs repeat bit for bit.
        even = abs(seconds - count * self._longest) < EVEN * seconds
        step = self._longest if even else seconds / count
        if step != self.step:
            self._take(self.time, 0, step)
        return count

    def save(self) -> tuple[float, int, float]:
        """All that the time depends on."""
        return self._since, self.steps, self.step

    def restore(self, saved: tuple[float, int, float]) -> None:
        """Bring back what `save` returned."""
        self._take(*saved)

    def _take(self, since: float, steps: int, step: float) -> None:
        self._since, self.steps, self.step = since, steps, step
        for tell in self._told:
            tell(step)
