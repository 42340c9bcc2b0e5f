"""Errors of requests to the stack; needs no ROS."""

from softshell_common.outcome import Status, outcome_text
from softshell_kinematics.errors import SoftshellError


class ActionFailedError(SoftshellError):
    """An action that did not succeed.

    Args:
        name: name of the action.
        status: how it ended.
        message: text from the action manager.
    """

    def __init__(self, name: str, status: Status, message: str) -> None:
        self.name, self.status, self.message = name, status, message
        super().__init__(outcome_text(name, status, message))


class RequestRefusedError(SoftshellError):
    """A request that a node refused.

    Args:
        request: what was asked for, e.g. `activate`.
        message: the reason that the node gave; may be empty.
        server: the node, e.g. `action manager`.
    """

    def __init__(self, request: str, message: str, server: str = 'bridge') -> None:
        self.request, self.message = request, message
        super().__init__(f'{request}: refused by the {server}: {message or "it gave no reason"}')


class ServerGoneError(SoftshellError):
    """A node that ended before it answered.

    Args:
        request: what was asked for.
        server: the node, e.g. `action manager`.
    """

    def __init__(self, request: str, server: str) -> None:
        self.request, self.server = request, server
        super().__init__(
            f'{request}: the {server} is gone, and did not answer; the log of the stack says why'
        )
