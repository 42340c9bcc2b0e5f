"""Coroutines that begin in the order in which they were asked for."""

from itertools import count

from rclpy.task import Future


class Line:
    """A queue with tickets: coroutines of one executor begin in the order of their tickets.

    Where several coroutines are due at once, rclpy begins with the one that was asked for last.
    `ask` may be called in any thread, everything else only in the one that spins.
    """

    def __init__(self) -> None:
        self._tickets = count()
        self._due = 0
        self._waiting: dict[int, Future] = {}
        self._left: set[int] = set()

    def ask(self) -> int:
        """A new ticket, the last in the queue."""
        return next(self._tickets)

    async def begin(self, ticket: int) -> None:
        """Return once all earlier tickets have begun or left."""
        if ticket != self._due:
            self._waiting[ticket] = Future()
            await self._waiting[ticket]
            del self._waiting[ticket]
        self._pass(ticket)

    def leave(self, ticket: int) -> None:
        """Take a ticket out of the queue; does nothing if it has begun."""
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
