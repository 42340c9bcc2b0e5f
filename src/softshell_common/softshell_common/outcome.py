"""How an action ended, as a type and in words; needs no ROS."""

from enum import IntEnum


class Status(IntEnum):
    """How an action ended; the constants of `softshell_interfaces/ActionOutcome`."""

    INTERNAL_ERROR = 0
    SUCCEEDED = 1
    UNKNOWN_ACTION = 2
    BAD_PARAMETER = 3
    UNREACHABLE = 4
    REJECTED = 5
    GOAL_MISSED = 6
    CANCELED = 7
    PREEMPTED = 8
    NOT_READY = 9
    STOPPED = 10

    @classmethod
    def _missing_(cls, value: object) -> 'Status | None':
        """INTERNAL_ERROR for a number that this version does not know."""
        return cls.INTERNAL_ERROR if isinstance(value, int) else None

    @property
    def words(self) -> str:
        """The status for a person, e.g. `goal missed`."""
        return self.name.lower().replace('_', ' ')


def outcome_text(name: str, status: Status, message: str) -> str:
    """One line that says how an action ended.

    Args:
        name: name of the action.
        status: how it ended.
        message: text from the action manager; may be empty.
    """
    # The manager's text often begins with the action's name, or with the words of the status.
    message = message.removeprefix(f'{name}: ')
    if message.startswith(status.words):
        return f'{name}: {message}'
    return f'{name}: {status.words}' + (f': {message}' if message else '')
