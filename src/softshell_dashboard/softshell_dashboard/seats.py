"""The visitors of the page: one of them drives, the others watch."""

import itertools
from dataclasses import dataclass

#: A page that has sent nothing for this long counts as closed [s]. A page may be busy with drawing
#: for a while; keys that it held count as released much earlier (`hold_timeout`).
SILENCE = 20.0


@dataclass
class Visitor:
    """An open page in a browser.

    Attributes:
        name: for people, e.g. `visitor 2`.
        heard: time of its last message [s].
    """

    name: str
    heard: float


class Seats:
    """The visitors, of whom at most one drives.

    Attributes:
        driver: the visitor who drives; None: nobody.
    """

    def __init__(self) -> None:
        self._visitors: list[Visitor] = []
        self._numbers = itertools.count(1)
        self.driver: Visitor | None = None

    @property
    def visitors(self) -> tuple[Visitor, ...]:
        """All visitors, in the order in which they came."""
        return tuple(self._visitors)

    def join(self, now: float) -> Visitor:
        """Add a visitor, who drives if there is no other visitor.

        Args:
            now: the time [s].
        """
        visitor = Visitor(f'visitor {next(self._numbers)}', now)
        if not self._visitors:
            self.driver = visitor
        self._visitors.append(visitor)
        return visitor

    def take(self, visitor: Visitor) -> Visitor | None:
        """Make a visitor the driver; returns the driver before, None if there was no other."""
        before, self.driver = self.driver, visitor
        return before if before is not visitor else None

    def leave_wheel(self, visitor: Visitor) -> bool:
        """End a visitor's driving; returns whether it drove. Then nobody drives."""
        if self.driver is not visitor:
            return False
        self.driver = None
        return True

    def leave(self, visitor: Visitor) -> bool:
        """Remove a visitor; returns whether it drove."""
        if visitor in self._visitors:
            self._visitors.remove(visitor)
        return self.leave_wheel(visitor)

    def silent(self, now: float) -> list[Visitor]:
        """Visitors that have sent nothing for longer than `SILENCE`."""
        return [one for one in self._visitors if now - one.heard > SILENCE]
