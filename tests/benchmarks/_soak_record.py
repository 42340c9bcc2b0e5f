"""What was done in a soak, and what went wrong."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from softshell_client import SoftshellError


@dataclass
class Record:
    """What was done, and what went wrong.

    Attributes:
        begin: of the soak, on the clock of `time.monotonic` [s].
        counts: how often each thing was done.
        refused: what did not succeed, and was told why, by what was told.
        problems: what must not be.
        events: when something was done [s] since the begin, and what.
        slowest: the longest time until a fault, a stop or an end was told [s], by what it was.
    """

    begin: float = field(default_factory=time.monotonic)
    counts: Counter[str] = field(default_factory=lambda: Counter(falls=0, recovered=0))
    refused: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    events: list[tuple[float, str]] = field(default_factory=list)
    slowest: dict[str, float] = field(default_factory=dict)

    @property
    def elapsed(self) -> float:
        """Time since the begin [s]."""
        return time.monotonic() - self.begin

    def did(self, what: str) -> None:
        """Count something, and note when it was done."""
        self.counts[what] += 1
        self.events.append((self.elapsed, what))

    def told(self, what: str, took: float, most: float) -> None:
        """Note after which time something was told [s]; beyond `most` it is a problem."""
        self.slowest[what] = max(took, self.slowest.get(what, 0.0))
        if took > most:
            self.problems.append(f'{what}: told after {took:.1f} s, not within {most:g} s')

    def comes(self, future: Any, patience: float) -> bool:
        """Whether the answer to a request comes within so long [s]; it is spun elsewhere."""
        end = time.monotonic() + patience
        while not future.done() and time.monotonic() < end:
            time.sleep(0.005)
        return bool(future.done())

    def must_fail(self, result: Callable[[], float], through: str) -> None:
        """Wait for the result of a walk; a problem if it has succeeded nevertheless."""
        try:
            result()
        except SoftshellError:
            return
        self.problems.append(f'a walk succeeded through {through}')
