"""The faults of servos and lines that a walking robot is to survive, as data."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from walker import Walker

from softshell_common.reason import ReasonCode

LEG = ('lower_2_yaw', 'lower_2_pitch', 'lower_2_knee')
KNEE = 'lower_2_knee'


@dataclass(frozen=True)
class Fault:
    """Something that breaks while a robot walks.

    Args:
        number: in the list of the specification.
        name: for people.
        begin, end: what breaks, and how it is mended; end None: nobody can.
        codes: of the reason that is published; empty: the robot goes on.
        families: of servos that it can happen to.
        patience: until it has to be found [s] beside k readings and two periods: what builds up.
    """

    number: str
    name: str
    begin: Callable[[Walker], object]
    codes: tuple[ReasonCode, ...]
    end: Callable[[Walker], object] | None = None
    families: tuple[str, ...] = ('ax', 'x')
    patience: float = 0.0


def inject(where, fault, on=True, off=False):
    """How a fault of the emulator begins and ends."""

    def at(value):
        def change(walker: Walker) -> None:
            for each in (where,) if isinstance(where, str) else where:
                walker.emulated.inject(each, fault, value)

        return change

    return {'begin': at(on), 'end': at(off)}


STALE = (ReasonCode.STALE, ReasonCode.BUS)
#: A joint that does not follow is waited for so long [s]; how far it is off then depends on where
#: strides end, so that it is one that goes far from one end to the next.
TRACKING = 0.5

FAULTS = (
    Fault('1', 'port unplugged and back', codes=(ReasonCode.BUS,), **inject('body', 'unplugged')),
    Fault('2', 'adapter silent but open', codes=(ReasonCode.BUS,), **inject('body', 'silent')),
    Fault('3', 'one servo dead', codes=STALE, **inject(KNEE, 'dead')),
    Fault('4', "one leg's servos dead", codes=STALE, **inject(LEG, 'dead')),
    Fault('5a', 'one byte in 100 damaged', codes=(), **inject('body', 'damage', 0.01, 0.0)),
    Fault('5b', 'one byte in 5 damaged', codes=STALE, **inject('body', 'damage', 0.2, 0.0)),
    Fault('6', 'answers from a wrong id', codes=(ReasonCode.BUS,), **inject('body', 'foreign')),
    Fault('7', 'answers 16 ms late', codes=STALE, **inject('body', 'late', 0.016, 0.0)),
    Fault('8', 'two servos with one id', codes=STALE, **inject(KNEE, 'twin')),
    Fault('10', 'overload', codes=(ReasonCode.OVERLOAD,), begin=lambda w: w.emulated.inject(
        KNEE, 'overload', True)),
    Fault('11', 'overheating', codes=(ReasonCode.TEMPERATURE,), patience=3.0,
          **inject(KNEE, 'heating', 20.0, 0.0)),
    Fault('12', 'supply sags', codes=(ReasonCode.VOLTAGE,), **inject(KNEE, 'sag', 3.0, 0.0)),
    Fault('13', 'a servo restarts', codes=(ReasonCode.SERVO,), begin=lambda w: w.emulated.inject(
        KNEE, 'restart', True), patience=1.0),
    Fault('14a', 'position jumps by a turn', codes=(ReasonCode.SERVO,), families=('x',),
          **inject(KNEE, 'offset', 2.0 * math.pi, 0.0)),
    Fault('14b', 'position jumps by 1.5 rad', codes=(ReasonCode.SERVO,), families=('ax',),
          **inject(KNEE, 'offset', 1.5, 0.0)),
    Fault('14c', 'encoder sticks', codes=(ReasonCode.TRACKING,), patience=8.0 * TRACKING,
          **inject('lower_0_pitch', 'stuck')),
    Fault('15', 'a joint is blocked', codes=(ReasonCode.TRACKING,), patience=8.0 * TRACKING,
          **inject('lower_0_pitch', 'blocked')),
)  # fmt: skip
