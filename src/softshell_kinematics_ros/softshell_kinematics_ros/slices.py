"""Large requests are solved in slices; between two the executor serves other requests."""

import time
from collections.abc import Awaitable, Callable, Generator
from itertools import count
from typing import Any

from softshell_kinematics.solving.mechanism_search import MechanismSearch
from softshell_kinematics.solving.search import Search

#: Length of a slice [s]: a small request waits for a large one about this long.
SLICE = 0.02
#: Points of the first call, when it is not known how long they take; and the largest factor from
#: the points of one call to those of the next.
FIRST_POINTS = 4
GROWTH = 4.0

#: A task in slices: after each but the last it yields how many points are left.
Slices = Generator[int, None, None]


class Clock:
    """Decides how many points to solve next, and when a slice is over.

    Attributes:
        points: to solve next.
        spent: time spent in all slices so far [s].
    """

    def __init__(self) -> None:
        self.points = FIRST_POINTS
        self.spent = 0.0
        self._slice = 0.0

    def time(self, work: Callable[[], None]) -> bool:
        """Call `work`, which solves the next points; returns whether the slice is over."""
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
    """Solve all points of a search in slices.

    Args:
        search: of a number of limbs.
        limbs: that number.
        clock: to time it by.

    Yields:
        Points left, of all limbs together.
    """
    while not search.done:
        if clock.time(lambda: search.go_on(clock.points)) and not search.done:
            yield (search.points - search.solved) * limbs


class Turns:
    """Runs tasks in slices, in turns with the other work of an executor.

    A task that ends within its first slice is done at once. Of the others the one with the fewest
    points left goes on, and the rest wait.

    Args:
        wake: makes the executor look for work at once.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._waiting: set[tuple[int, int]] = set()
        self._arrivals = count()

    async def run(self, task: Slices) -> None:
        """Run a task to its end; what it raises is raised here."""
        arrival = next(self._arrivals)
        try:
            for left in task:
                ticket = (left, arrival)
                self._waiting.add(ticket)
                try:
                    await self._turn(ticket)
                finally:
                    self._waiting.remove(ticket)
        finally:
            if self._waiting:
                self._wake()

    async def _turn(self, ticket: tuple[int, int]) -> None:
        """Wait until the executor came by, and no waiting task has fewer points left."""
        first = False
        while not first:
            if ticket == min(self._waiting):
                self._wake()
            await _Pause()
            first = ticket == min(self._waiting)


class _Pause(Awaitable[None]):
    """Ends when the executor comes by the next time."""

    def __await__(self) -> Generator[Any, Any, None]:
        yield
