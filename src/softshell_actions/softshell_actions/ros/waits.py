"""Waiting in the executor, until a result comes, none can come any more, or the node ends."""

import time
from collections.abc import Callable
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future

from softshell_actions.performing.robot import PerformError

#: Period in which it is checked what is waited for [s, wall].
LOOK_PERIOD = 0.25
#: Time between two checks beyond which this process was paused or starved [s, wall].
LONGEST_LOOK = 2 * LOOK_PERIOD


def duration_clock(node: Node) -> Clock:
    """A clock for durations: of the stack's time if that is simulated, else one that never jumps.

    The node's own clock is the wall clock otherwise, which may be set back by hours.
    """
    if node.get_parameter('use_sim_time').value:
        return node.get_clock()
    return Clock(clock_type=ClockType.STEADY_TIME)


class Waits:
    """What coroutines of a node wait for.

    Args:
        node: whose executor runs the callbacks.
        on_look: called at each check.

    Attributes:
        time: for which this process has run [s]. Time in which it was paused or starved does not
            count: it could not have received an answer then.
    """

    def __init__(self, node: Node, on_look: Callable[[], None]) -> None:
        self._node, self._on_look = node, on_look
        self._futures: dict[Future, Callable[[], bool]] = {}
        self._error: PerformError | None = None
        self.time, self._last = 0.0, time.monotonic()
        self._clock = duration_clock(node)
        # On the wall's steady clock: simulated time may be what has stopped.
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        node.create_timer(LOOK_PERIOD, self._look, clock=self._steady)

    async def answer(self, future: Future, in_vain: Callable[[], bool]) -> Any:
        """The result of a future; None if no result can come any more.

        Args:
            future: set by other code.
            in_vain: asked again and again whether no result can come any more.

        Raises:
            PerformError: waiting was ended.
        """
        self.check()
        self._futures[future] = in_vain
        try:
            result = await future
        finally:
            del self._futures[future]
        self.check()
        return result

    async def sleep(self, duration: float, in_vain: Callable[[], bool]) -> None:
        """Let time pass on the clock of the stack; see `answer`.

        Args:
            duration: [s]; nothing happens if it is not positive.
            in_vain: as in `answer`.
        """
        if duration > 0:
            await self._timer(duration, self._clock, in_vain)

    async def within(self, duration: float, condition: Callable[[], bool]) -> bool:
        """Whether a condition becomes true before a duration [s], in terms of `time`, is over."""
        end = self.time + duration
        while not condition():
            if self.time > end:
                return False
            await self._timer(0.05, self._steady, lambda: False)
        return True

    @property
    def ended(self) -> bool:
        """Whether waiting was ended."""
        return self._error is not None

    def end(self, error: PerformError) -> None:
        """End all waiting, now and later, with an error."""
        self._error = error
        for future in list(self._futures):
            if not future.done():
                future.set_result(None)

    def check(self) -> None:
        """Raise the PerformError with which waiting was ended, if it was."""
        if self._error is not None:
            raise self._error

    async def _timer(self, duration: float, clock: Clock, in_vain: Callable[[], bool]) -> None:
        future = Future()
        timer = self._node.create_timer(
            duration, lambda: future.done() or future.set_result(None), clock=clock
        )
        try:
            await self.answer(future, in_vain)
        finally:
            self._node.destroy_timer(timer)

    def _look(self) -> None:
        now = time.monotonic()
        self.time += min(now - self._last, LONGEST_LOOK)
        self._last = now
        self._on_look()
        for future, in_vain in list(self._futures.items()):
            if not future.done() and in_vain():
                future.set_result(None)
