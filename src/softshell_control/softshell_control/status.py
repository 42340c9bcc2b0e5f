"""What a bridge reports, what it is asked, and what its backend makes of both."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from softshell_common.bridge_mode import BridgeMode
from softshell_common.reason import Reason, ReasonCode
from softshell_control.backend import Backend, StopPolicy
from softshell_control.fault import reason_of
from softshell_control.goal_event import GoalEvent


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
    """What is asked of a thread by others, to be done when it has time."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Callable[[], str], Future[str]]] = deque()

    def add(self, change: Callable[[], str]) -> 'Future[str]':
        """Have something done; from any thread.

        Returns:
            What it returns, or the error that it raises.
        """
        future: Future[str] = Future()
        self._waiting.append((change, future))
        return future

    def answer(self) -> None:
        """Do what was asked, but for what nobody waits for any more."""
        while self._waiting:
            change, future = self._waiting.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(change())
            except Exception as error:
                future.set_exception(error)


def stop(backend: Backend, policy: StopPolicy) -> tuple[Reason, ...]:
    """Stop a backend; why it did not: whatever is broken, the bridge lives on to report it."""
    try:
        backend.stop(policy)
    except Exception as error:
        text = f'the backend did not stop: {reason_of(error)}'
        return (Reason(ReasonCode.STOP_FAILED, text),)
    return ()


def warnings_of(backend: Backend) -> tuple[Reason, ...]:
    """What a backend warns of; an error in that is one more warning, and stops nothing."""
    try:
        return tuple(backend.warnings())
    except Exception as error:
        return (reason_of(error),)
