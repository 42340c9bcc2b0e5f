"""Keeping a loop in step with the wall clock: no drift, and no burst after a stall."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

#: A delay that is longer than this is not made up for [s]; a shorter one is, step by step.
FORGIVEN = 0.1
#: Least time between two steps while a delay is made up for [periods].
CATCH_UP = 0.8
#: A `StackClock` that stands still for so long is no longer waited for [s].
STILL = 0.5
#: Times that differ by less are the same [s].
ROUNDING = 1e-6
#: A loop that never has to wait lets other threads of its process run this often [s]: even a sleep
#: of no time costs some 75 µs, as much as a whole step of the mock.
BREATH = 0.005
#: Least and most time between two looks at a `StackClock` [s].
SHORTEST_NAP, LONGEST_NAP = 0.0005, 0.005


@dataclass(frozen=True)
class Pace:
    """How a loop kept its pace over a while.

    Args:
        real_time_factor: achieved: loop time over wall time; 0 while the clock stands still.
        jitter_rms, jitter_max: of the time between steps against the intended one [s]; against
            their mean where steps come as fast as possible.
        busy: mean time of a step's own work [s].
        steps: number of steps.
        missed: number of steps that ended after the next one was due.
    """

    real_time_factor: float
    jitter_rms: float
    jitter_max: float
    busy: float
    steps: int
    missed: int = 0


class StackClock:
    """A clock that another node advances, and waiting by it.

    Args:
        now: returns its time [s].
        ending: returns whether to stop waiting.
        wall: sleeps for a wall time [s].
    """

    def __init__(
        self,
        now: Callable[[], float],
        ending: Callable[[], bool],
        wall: Callable[[float], None] = time.sleep,
    ) -> None:
        self.now = now
        self._ending, self._wall = ending, wall

    def wait_until(self, when: float) -> None:
        """Wait until a time [s]; returns early if the clock stands still or jumps back."""
        latest = self.now()
        left = STILL
        while left > 0.0 and not self._ending():
            now = self.now()
            if now < latest or now >= when - ROUNDING:
                return
            left = left if now == latest else STILL
            latest = now
            nap = min(max(0.5 * (when - now), SHORTEST_NAP), LONGEST_NAP)
            self._wall(nap)
            left -= nap


def wait_until(when: float) -> None:
    """Wait until a time of `time.perf_counter` [s]."""
    time.sleep(max(when - time.perf_counter(), 0.0))


class Pacer:
    """Waits, step by step, until it is time for the next one.

    Args:
        period: loop time of a step [s].
        factor: loop time over wall time; 0: as fast as possible.
        clock: monotonic [s].
        until: waits until a time of that clock [s].
    """

    def __init__(
        self,
        period: float,
        factor: float,
        clock: Callable[[], float] = time.perf_counter,
        until: Callable[[float], None] = wait_until,
    ) -> None:
        self.period = period
        self.factor = factor
        self._clock = clock
        self._until = until
        self._due = self._woke = self._since = self._rested = clock()
        self._intervals = np.zeros(4096)
        self._busy = 0.0
        self._steps = self._missed = 0

    def wait(self, idle: bool = False) -> None:
        """End one step: return when the next one is due.

        Args:
            idle: whether the loop's time stands still; then a step takes at least a period of
                the clock, so that a paused loop leaves the processor to other threads.
        """
        now = self._clock()
        self._busy += now - self._woke
        if idle and not 0.0 < self.factor <= 1.0:
            begin = self._due = now + self.period
        elif self.factor > 0.0:
            interval = self.period / self.factor
            self._due += interval
            self._missed += now > self._due + ROUNDING
            if now - self._due > FORGIVEN or now < self._woke:
                self._due = now
            self._woke = min(self._woke, now)  # where the clock jumped back
            begin = max(self._due, self._woke + CATCH_UP * interval)
        else:
            begin = self._due = now
        if begin > now or not 0.0 <= now - self._rested < BREATH:
            self._until(begin)
            self._rested = now
        woke = self._clock()
        self._intervals[self._steps % len(self._intervals)] = woke - self._woke
        self._steps += 1
        self._woke = woke

    def report(self) -> Pace | None:
        """How the pace was kept since the last report; None before the first step."""
        if self._steps == 0:
            return None
        elapsed = self._woke - self._since
        intervals = self._intervals[: min(self._steps, len(self._intervals))]
        aim = self.period / self.factor if self.factor > 0.0 else intervals.mean()
        pace = Pace(
            real_time_factor=self._steps * self.period / elapsed if elapsed > 0.0 else 0.0,
            jitter_rms=float(np.sqrt(np.mean((intervals - aim) ** 2))),
            jitter_max=float(np.abs(intervals - aim).max()),
            busy=self._busy / self._steps,
            steps=self._steps,
            missed=self._missed,
        )
        self._since, self._busy, self._steps, self._missed = self._woke, 0.0, 0, 0
        return pace
