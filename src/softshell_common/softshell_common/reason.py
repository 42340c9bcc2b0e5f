"""Reasons of limits, refusals, stops and warnings, as a type; needs no ROS."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum


class ReasonCode(IntEnum):
    """Kinds of reasons: the constants of `softshell_interfaces/ReasonCode`, explained there."""

    NONE = 0
    NOT_FINITE = 1
    OUT_OF_RANGE = 2
    RATE = 3
    ACCELERATION = 4

    UNKNOWN_CHANNEL = 10
    DUPLICATE_CHANNEL = 11
    SIZE = 12
    TIME = 13
    STAMP = 14
    QUEUE_FULL = 15
    NOT_DRIVEN = 16
    OVERTAKEN = 17

    REPLACED = 20
    CANCELLED = 21
    TOLERANCE = 22
    NOT_MEASURED = 23
    DROPPED = 24
    DEACTIVATED = 25
    RESET = 26
    ENDING = 27
    MOVED = 28

    BACKEND = 40
    EMERGENCY_STOP = 41
    STOP_FAILED = 42
    REFUSED = 43
    TIMEOUT = 44
    CLOCK = 45
    INTERNAL = 46
    STALL = 47

    STALE = 60
    TEMPERATURE = 61
    VOLTAGE = 62
    TRACKING = 63
    OVERLOAD = 64
    BUS = 65
    SERVO = 66
    LIMITS = 67
    CALIBRATION = 68

    @classmethod
    def _missing_(cls, value: object) -> 'ReasonCode | None':
        """NONE for a number that this version does not know."""
        return cls.NONE if isinstance(value, int) else None


@dataclass(frozen=True)
class Reason:
    """One reason, for programs and for people.

    Args:
        code: kind of the reason.
        text: the reason in words, one line.
    """

    code: ReasonCode = ReasonCode.NONE
    text: str = ''

    def __str__(self) -> str:
        return self.text


#: What the safety gate limits in normal work: these reasons are no sign of a fault.
LIMITED = frozenset(
    {ReasonCode.NOT_FINITE, ReasonCode.OUT_OF_RANGE, ReasonCode.RATE, ReasonCode.ACCELERATION}
)


def texts(reasons: Iterable[Reason]) -> list[str]:
    """The words of each reason."""
    return [reason.text for reason in reasons]


def codes(reasons: Iterable[Reason]) -> list[int]:
    """The code of each reason, as messages hold it."""
    return [int(reason.code) for reason in reasons]
