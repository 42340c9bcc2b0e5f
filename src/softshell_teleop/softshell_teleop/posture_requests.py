"""Asks the robot for postures one at a time, so that the user sees each refusal."""

from collections.abc import Callable
from typing import Protocol

from softshell_client.errors import ActionFailedError
from softshell_common.outcome import outcome_text
from softshell_kinematics.errors import SoftshellError
from softshell_teleop.posture import Posture

#: Name of the request in messages.
NAME = 'posture'


class Question(Protocol):
    """A request for a posture."""

    def done(self) -> bool:
        """Whether it has been answered."""

    def answer(self) -> None:
        """Return if the base has reached the posture, else raise the reason."""


class PostureRequests:
    """Asks for one posture at a time.

    While a request is not answered, further postures wait; of these only the newest is asked for
    afterwards.

    Args:
        begin: begins a request for a posture, without waiting for the answer.
        say: prints one line: its text, and whether it is a problem.
    """

    def __init__(
        self, begin: Callable[[Posture], Question], say: Callable[[str, bool], None]
    ) -> None:
        self._begin, self._say = begin, say
        self._question: Question | None = None
        self._waiting: Posture | None = None
        self._refused = False

    def ask(self, posture: Posture) -> None:
        """Ask for a posture, now or after the present request has been answered."""
        if self._question is not None:
            self._waiting = posture
            return
        try:
            self._question = self._begin(posture)
        except SoftshellError as error:
            self._refuse(f'{NAME}: {error}')

    def look(self) -> None:
        """Check whether the present request has been answered; then begin the one that waits."""
        if self._question is None or not self._question.done():
            return
        question, self._question = self._question, None
        try:
            question.answer()
        except ActionFailedError as error:
            self._refuse(outcome_text(NAME, error.status, error.message))
        except SoftshellError as error:  # there is no action manager any more
            self.forget_waiting()
            self._refuse(str(error))
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self.ask(waiting)

    def forget_waiting(self) -> None:
        """Drop the posture that waits, if there is one."""
        self._waiting = None

    def take_refusal(self) -> bool:
        """Whether a posture was refused since the last call."""
        refused, self._refused = self._refused, False
        return refused

    def _refuse(self, text: str) -> None:
        self._refused = True
        self._say(text, True)
