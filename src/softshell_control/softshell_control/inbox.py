"""Messages that wait for the control loop."""

from collections import deque
from collections.abc import Iterator

from softshell_common.reason import Reason, ReasonCode
from softshell_control.controller import Instruction, Run
from softshell_control.trajectories.check import Refusal
from softshell_control.trajectories.trajectory import Identity, Trajectory

#: Messages that may wait for the next tick.
MOST_WAITING = 64

#: A trajectory or run, the refusal of one, an instruction for a run, or which one to give up.
Message = Trajectory | Run | Refusal | Instruction | Identity


class Inbox:
    """Filled by any thread, emptied by the one that ticks."""

    def __init__(self) -> None:
        self._waiting: deque[Message] = deque()

    def put(self, message: Message) -> None:
        """Add a message; a trajectory or run for which there is no room becomes a refusal."""
        if isinstance(message, Trajectory | Run) and len(self._waiting) >= MOST_WAITING:
            text = (
                f'{len(self._waiting)} messages wait for the control loop already; expected fewer '
                f'than {MOST_WAITING}'
            )
            reason = Reason(ReasonCode.QUEUE_FULL, text)
            message = Refusal(message.identity, (reason,))
        self._waiting.append(message)

    def take(self) -> Iterator[Message]:
        """Take out all messages, in their order."""
        while self._waiting:
            yield self._waiting.popleft()
