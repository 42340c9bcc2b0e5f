"""Postures asked of the robot one at a time, so that a refusal reaches the user."""

from collections.abc import Callable
from typing import Protocol

from softshell_client.errors import ActionFailedError
from softshell_common.outcome import outcome_text
from softshell_kinematics.errors import SoftshellError
from softshell_teleop.posture import Posture

#: What the user reads as the name of the request.
NAME = 'posture'


class Question(Protocol):
    """A posture that was asked for."""

    def done(self) -> bool:
        """Whether it has been answered."""

    def answer(self) -> None:
        """Raises why the base is not there."""


class PostureRequests:
    """Asks for one posture at a time.

    A posture that is wanted while another is on its way is asked for once that one has been
    answered; of several the newest.

    Args:
        begin: asks for a posture, without waiting for the answer.
        say: prints one line: text and whether it is a problem.
    """

    def __init__(
        self, begin: Callable[[Posture], Question], say: Callable[[str, bool], None]
    ) -> None:
        self._begin, self._say = begin, say
        self._question: Question | None = None
        self._waiting: Posture | None = None
        self._refused = False

    def ask(self, posture: Posture) -> None:
        """Ask for a posture, now or after the one on its way."""
        if self._question is not None:
            self._waiting = posture
            return
        try:
            self._question = self._begin(posture)
        except SoftshellError as error:
            self._refuse(f'{NAME}: {error}')

    def look(self) -> None:
        """See whether the one on its way has been answered; the one that waits comes next."""
        if self._question is None or not self._question.done():
            return
        question, self._question = self._question, None
        try:
            question.answer()
        except ActionFailedError as error:
            self._refuse(outcome_text(NAME, error.status, error.message))
        except SoftshellError as error:  # nobody is there to be asked again
            self.forget_waiting()
            self._refuse(str(error))
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self.ask(waiting)

    def forget_waiting(self) -> None:
        """Do not ask for what waits for its turn."""
        self._waiting = None

    def take_refusal(self) -> bool:
        """Whether a posture was refused since the last call."""
        refused, self._refused = self._refused, False
        return refused

    def _refuse(self, text: str) -> None:
        self._refused = True
        self._say(text, True)
