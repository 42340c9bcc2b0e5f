"""Why a servo does not follow an instruction, and what it finds wrong with itself."""

from enum import Enum, IntFlag


class Refusal(Enum):
    """Why a servo did not do what it was asked."""

    RANGE = 'a value outside its range'
    LENGTH = 'a part of a register, or none'
    ACCESS = 'what nobody may write, or not now'
    INSTRUCTION = 'an instruction it does not know'


class Trouble(IntFlag):
    """What a servo tells of itself: the bits of AX' error, and those of X' hardware error."""

    VOLTAGE = 0x01
    OVERHEATING = 0x04
    OVERLOAD = 0x20
