"""Postures asked of the action manager by its service, so that a refusal reaches the user."""

from collections.abc import Callable

from rclpy.node import Node
from rclpy.task import Future

from softshell_client.errors import ServerGoneError
from softshell_client.ros.messages import body_pose_request
from softshell_client.ros.peer import Peer
from softshell_common.outcome import Status, outcome_text
from softshell_interfaces.srv import SetBodyPose
from softshell_teleop.posture import Posture

#: What the user reads as the name of the request.
NAME = 'posture'


class PostureRequests:
    """Asks for one posture at a time.

    A posture that is wanted while another is on its way is asked for once that one has been
    answered; of several the newest.

    Args:
        node: that is polled; answers come in its callbacks.
        manager: the action manager, which serves the requests.
        say: prints one line: text and whether it is a problem.
    """

    def __init__(self, node: Node, manager: Peer, say: Callable[[str, bool], None]) -> None:
        self._node, self._manager, self._say = node, manager, say
        self._client = node.create_client(SetBodyPose, 'set_body_pose')
        self._answer: Future | None = None
        self._still_there: Callable[[], None] = lambda: None
        self._waiting: tuple[Posture, str] | None = None
        self._refused = False

    def ask(self, posture: Posture, frame: str) -> None:
        """Ask for a posture, now or after the one on its way.

        Args:
            posture: of the base.
            frame: in which the action manager reported the last one.
        """
        if self._answer is not None:
            self._waiting = posture, frame
            return
        if not self._client.service_is_ready():
            self._refuse(f'{NAME}: no set_body_pose service; is the action manager running?')
            return
        self._still_there = self._manager.watch(NAME)
        stamp = self._node.get_clock().now().to_msg()
        request = body_pose_request(posture.coordinates, frame, stamp)
        self._answer = self._client.call_async(request)
        self._answer.add_done_callback(self._on_answer)

    def look(self) -> None:
        """See that an answer can still come."""
        if self._answer is None:
            return
        try:
            self._still_there()
        except ServerGoneError as error:
            self._client.remove_pending_request(self._answer)
            self._answer = None
            self.forget_waiting()
            self._refuse(str(error))

    def forget_waiting(self) -> None:
        """Do not ask for what waits for its turn."""
        self._waiting = None

    def take_refusal(self) -> bool:
        """Whether a posture was refused since the last call."""
        refused, self._refused = self._refused, False
        return refused

    def _on_answer(self, answer: Future) -> None:
        if answer is not self._answer:
            return
        self._answer = None
        outcome = answer.result().outcome
        if outcome.status != Status.SUCCEEDED:
            self._refuse(outcome_text(NAME, Status(outcome.status), outcome.message))
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self.ask(*waiting)

    def _refuse(self, text: str) -> None:
        self._refused = True
        self._say(text, True)
