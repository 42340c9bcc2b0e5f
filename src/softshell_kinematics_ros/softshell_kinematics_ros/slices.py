"""Large requests in slices, between which an executor does what else there is to do."""

import time
from collections.abc import Awaitable, Callable, Generator
from itertools import count
from typing import Any

from softshell_kinematics.mechanism_search import MechanismSearch
from softshell_kinematics.search import Search

#: A slice ends after so long [s]: so long something small waits for something large.
SLICE = 0.02
#: Points of the first call, before it is known how long they take; how much more the next may be.
FIRST_POINTS = 4
GROWTH = 4.0

#: A task in slices: after each but the last it yields how many points are left.
Slices = Generator[int, None, None]


class Clock:
    """Tells how many points to do next, and when a slice is over.

    Attributes:
        points: to do next.
        spent: time in all slices so far [s].
    """

    def __init__(self) -> None:
        self.points = FIRST_POINTS
        self.spent = 0.0
        self._slice = 0.0

    def time(self, work: Callable[[], None]) -> bool:
        """Do the next points; whether that ends a slice."""
        begin = time.perf_counter()
        work()
        took = time.perf_counter() - begin
        self.spent += took
        self._slice += took
        fitting = self.points * SLICE / max(took, 1e-9)
        self.points = max(1, int(min(fitting, GROWTH * self.points)))
        if self._slice < SLICE:
            return False
        self._slice = 0.0
        return True


def solve_in_slices(search: Search | MechanismSearch, limbs: int, clock: Clock) -> Slices:
    """Solve all points of so many limbs."""
    while not search.done:
        if clock.time(lambda: search.go_on(clock.points)) and not search.done:
            yield (search.points - search.solved) * limbs


class Turns:
    """Takes large tasks in turns with whatever else an executor has to do.

    A task that ends with its first slice is done at once. Of the others the one with least left
    goes on, and the rest wait.

    Args:
        wake: makes the executor look for work without waiting.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._waiting: set[tuple[int, int]] = set()
        self._arrivals = count()

    async def run(self, task: Slices) -> None:
        """Run a task to its end; what it raises is raised here."""
        arrival = next(self._arrivals)
        for left in task:
            ticket = (left, arrival)
            self._waiting.add(ticket)
            try:
                await self._turn(ticket)
            finally:
                self._waiting.remove(ticket)
        if self._waiting:
            self._wake()

    async def _turn(self, ticket: tuple[int, int]) -> None:
        """Wait until others had a chance and no task that waits is smaller."""
        first = False
        while not first:
            if ticket == min(self._waiting):
                self._wake()
            await _Pause()
            first = ticket == min(self._waiting)


class _Pause(Awaitable[None]):
    """Returns when the executor comes by again."""

    def __await__(self) -> Generator[Any, Any, None]:
        yield
