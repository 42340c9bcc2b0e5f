"""Coroutines that begin in the order in which they were asked for."""

from itertools import count

from rclpy.task import Future


class Line:
    """Lets coroutines of one executor begin in order.

    rclpy begins those first that were asked for last, where several are due at once. Tickets may
    be asked for in any thread; everything else belongs to the one that spins.
    """

    def __init__(self) -> None:
        self._tickets = count()
        self._due = 0
        self._waiting: dict[int, Future] = {}
        self._left: set[int] = set()

    def ask(self) -> int:
        """The ticket of a coroutine that is to begin."""
        return next(self._tickets)

    async def begin(self, ticket: int) -> None:
        """Return once all that were asked for before have begun, or left."""
        if ticket != self._due:
            self._waiting[ticket] = Future()
            await self._waiting[ticket]
            del self._waiting[ticket]
        self._pass(ticket)

    def leave(self, ticket: int) -> None:
        """Let the others go on without a coroutine; nothing happens if it has begun."""
        if ticket > self._due:
            self._left.add(ticket)
        elif ticket == self._due:
            self._pass(ticket)

    def _pass(self, ticket: int) -> None:
        self._due = ticket + 1
        while self._due in self._left:
            self._left.remove(self._due)
            self._due += 1
        if self._due in self._waiting:
            self._waiting[self._due].set_result(None)
