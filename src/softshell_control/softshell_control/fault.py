"""Errors of a backend, and the reasons that a bridge reports of them."""

from softshell_common.reason import Reason, ReasonCode
from softshell_kinematics.errors import SoftshellError


class FaultError(SoftshellError):
    """Raised by a backend to make a fault of a certain kind.

    Any method may raise it, also `activate`, where any other SoftshellError is only a refusal.

    Args:
        code: the kind of the fault.
        text: what happened, to which thing, and what to do next.
    """

    def __init__(self, code: ReasonCode, text: str) -> None:
        self.code = code
        super().__init__(text)


class RefusalError(SoftshellError):
    """Raised by `activate` of a backend to refuse with a certain code; the bridge stays inactive.

    Args:
        code: why it refuses.
        text: what is wrong, with which thing, and what to do next.
    """

    def __init__(self, code: ReasonCode, text: str) -> None:
        self.code = code
        super().__init__(text)


def reason_of(error: Exception, code: ReasonCode = ReasonCode.BACKEND) -> Reason:
    """An error as a reason; the text of an error that is no SoftshellError begins with its type.

    Args:
        error: whatever was raised.
        code: of an error that has none of its own.
    """
    if isinstance(error, FaultError | RefusalError):
        return Reason(error.code, str(error))
    ours = isinstance(error, SoftshellError)
    return Reason(code, str(error) if ours else f'{type(error).__name__}: {error}')
