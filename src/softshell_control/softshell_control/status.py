"""Reports of a bridge, requests to it, and calls of its backend that must not fail."""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from softshell_common.bridge_mode import BridgeMode
from softshell_common.reason import Reason, ReasonCode
from softshell_control.backend import Backend, StopPolicy
from softshell_control.fault import reason_of
from softshell_control.trajectories.goal_event import GoalEvent


@dataclass(frozen=True)
class Status:
    """A report of the bridge.

    Args:
        mode: what it is doing.
        goal: the trajectory whose state changed last.
        reasons: why it does not drive, what was limited since the last report, warnings.
    """

    mode: BridgeMode
    goal: GoalEvent
    reasons: tuple[Reason, ...] = ()


Call = tuple[Callable[[], str], 'Future[str]', bool]


class Requests:
    """Calls that other threads ask of one thread, which makes them when it has time.

    Args:
        interrupt: has the call that is being made end soon, with an error; from any thread.
        resume: takes that back.
    """

    def __init__(
        self,
        interrupt: Callable[[], None] = lambda: None,
        resume: Callable[[], None] = lambda: None,
    ) -> None:
        self._interrupt, self._resume = interrupt, resume
        self._waiting: deque[Call] = deque()
        # Both threads use these under the lock, so that no stop is asked for unseen.
        self._lock = threading.Lock()
        self._yields = False

    def add(self, change: Callable[[], str], stops: bool = False) -> 'Future[str]':
        """Ask for a call; from any thread.

        Args:
            change: the call.
            stops: whether it is urgent: calls before it end soon, if they are none that stop.

        Returns:
            Its result later, or the error that it raises.
        """
        future: Future[str] = Future()
        with self._lock:
            self._waiting.append((change, future, stops))
            if stops and self._yields:
                self._interrupt()
        return future

    def answer(self) -> None:
        """Make the calls that were asked for, except those that were cancelled."""
        while (call := self._next()) is not None:
            change, future, _ = call
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(change())
            except Exception as error:
                future.set_exception(error)

    def _next(self) -> Call | None:
        with self._lock:
            call = self._waiting.popleft() if self._waiting else None
            self._yields = call is not None and not call[2]
            if self._yields and any(stops for _, _, stops in self._waiting):
                self._interrupt()
            if call is not None and call[2]:
                self._resume()
        return call


def stop(backend: Backend, policy: StopPolicy) -> tuple[Reason, ...]:
    """Stop a backend; an error of it becomes a reason, so that the bridge can report it."""
    try:
        backend.stop(policy)
    except Exception as error:
        text = f'the backend did not stop: {reason_of(error)}'
        return (Reason(ReasonCode.STOP_FAILED, text),)
    return ()


def warnings_of(backend: Backend) -> tuple[Reason, ...]:
    """The warnings of a backend; if asking for them fails, that is the warning."""
    try:
        return tuple(backend.warnings())
    except Exception as error:
        return (reason_of(error),)
