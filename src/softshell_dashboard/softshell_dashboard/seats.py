"""Who is there: one drives, the others watch, and nobody takes over unasked."""

import itertools
from dataclasses import dataclass

#: A page that says nothing for this long is gone [s]: it may well be busy drawing for a while.
#: What it held was let go long before.
SILENCE = 20.0


@dataclass
class Visitor:
    """A page in somebody's browser.

    Attributes:
        name: for people, e.g. `visitor 2`.
        heard: when it last said anything [s].
    """

    name: str
    heard: float


class Seats:
    """The visitors, of whom at most one drives."""

    def __init__(self) -> None:
        self._visitors: list[Visitor] = []
        self._numbers = itertools.count(1)
        self.driver: Visitor | None = None

    @property
    def visitors(self) -> tuple[Visitor, ...]:
        """All who are there, in the order in which they came."""
        return tuple(self._visitors)

    def join(self, now: float) -> Visitor:
        """Somebody new, who drives if nobody else is there."""
        visitor = Visitor(f'visitor {next(self._numbers)}', now)
        if not self._visitors:
            self.driver = visitor
        self._visitors.append(visitor)
        return visitor

    def take(self, visitor: Visitor) -> Visitor | None:
        """Let somebody drive; returns who did before, if that was another."""
        before, self.driver = self.driver, visitor
        return before if before is not visitor else None

    def leave_wheel(self, visitor: Visitor) -> bool:
        """Drive no more; whether it did. Nobody follows unasked."""
        if self.driver is not visitor:
            return False
        self.driver = None
        return True

    def leave(self, visitor: Visitor) -> bool:
        """Somebody has gone; whether it drove."""
        if visitor in self._visitors:
            self._visitors.remove(visitor)
        return self.leave_wheel(visitor)

    def silent(self, now: float) -> list[Visitor]:
        """Those who have said nothing for too long."""
        return [one for one in self._visitors if now - one.heard > SILENCE]
