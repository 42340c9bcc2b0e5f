"""How an action ended, as a type and in words; needs no ROS."""

from enum import IntEnum


class Status(IntEnum):
    """How an action ended; the constants of `softshell_interfaces/ActionOutcome`."""

    SUCCEEDED = 0
    UNKNOWN_ACTION = 1
    BAD_PARAMETER = 2
    UNREACHABLE = 3
    REJECTED = 4
    GOAL_MISSED = 5
    CANCELED = 6
    PREEMPTED = 7
    NOT_READY = 8
    STOPPED = 9

    @property
    def words(self) -> str:
        """The status for a person, e.g. `goal missed`."""
        return self.name.lower().replace('_', ' ')


def outcome_text(name: str, status: Status, message: str) -> str:
    """One line that says how an action ended.

    Args:
        name: of the action.
        status: how it ended.
        message: of the action manager; may be empty.
    """
    # The manager's messages often begin with the action's name.
    message = message.removeprefix(f'{name}: ')
    return f'{name}: {status.words}' + (f': {message}' if message else '')
