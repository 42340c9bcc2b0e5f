"""Reports of a bridge, requests to it, and calls of its backend that must not fail."""

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


class Requests:
    """Calls that other threads ask of one thread, which makes them when it has time."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Callable[[], str], Future[str]]] = deque()

    def add(self, change: Callable[[], str]) -> 'Future[str]':
        """Ask for a call; from any thread.

        Returns:
            Its result later, or the error that it raises.
        """
        future: Future[str] = Future()
        self._waiting.append((change, future))
        return future

    def answer(self) -> None:
        """Make the calls that were asked for, except those that were cancelled."""
        while self._waiting:
            change, future = self._waiting.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(change())
            except Exception as error:
                future.set_exception(error)


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
