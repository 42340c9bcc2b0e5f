"""What can be wrong with a servo, or with the line that it is on."""

import math
import random
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from softshell_kinematics.errors import SoftshellError, UnknownNameError


@dataclass
class ServoFaults:
    """What is wrong with one servo.

    Attributes:
        dead: it does not hear, does not answer, and gives way.
        twin: another servo on the line has the same id, and answers at the same time.
        stuck: its encoder shows what it showed when this began.
        offset: its encoder shows so much more [rad], e.g. a whole turn.
        blocked: something keeps its shaft where it is; it pushes with all it may.
        heating: its motor gets so much warmer [°C/s].
        sag: its supply is so much lower [V].
    """

    dead: bool = False
    twin: bool = False
    stuck: bool = False
    offset: float = 0.0
    blocked: bool = False
    heating: float = 0.0
    sag: float = 0.0


@dataclass
class LineFaults:
    """What is wrong with the line.

    Attributes:
        silent: the adapter is there, and nothing comes back.
        damage: share of all bytes, there and back, that arrive changed, 0 to 1.
        foreign: answers carry the id of another servo.
        late: answers come so much later [s].
    """

    silent: bool = False
    damage: float = 0.0
    foreign: bool = False
    late: float = 0.0
    generator: random.Random = field(default_factory=lambda: random.Random(1), repr=False)

    def damaged(self, data: bytes) -> bytes:
        """The bytes as they arrive."""
        if not self.damage > 0.0:
            return data
        draw = self.generator
        return bytes(
            byte ^ draw.randrange(1, 256) if draw.random() < self.damage else byte for byte in data
        )


#: Ranges of the faults that do not take every number.
RANGES = {
    'damage': (0.0, 1.0),
    'late': (0.0, 10.0),
    'heating': (0.0, 1e3),
    'offset': (-1e3, 1e3),
    'sag': (-1e3, 1e3),
}


def inject(faults: Any, name: str, value: Any, others: Iterable[str] = ()) -> None:
    """Set a fault by its name.

    Args:
        faults: a servo's, or a line's.
        name: of the fault.
        value: True or False, or a number, as the fault has it.
        others: further names for the message about an unknown one.

    Raises:
        UnknownNameError: there is no such fault.
        SoftshellError: the value is of another kind, or none.
    """
    assert is_dataclass(faults)
    known = {each.name: each.type for each in fields(faults) if each.repr}
    if name not in known:
        raise UnknownNameError('fault', name, [*known, *others])
    present = getattr(faults, name)
    wanted = 'True or False' if isinstance(present, bool) else 'a finite number'
    if isinstance(present, bool):
        good = isinstance(value, bool)
    else:
        good = isinstance(value, int | float) and not isinstance(value, bool)
        good = good and math.isfinite(value)
    low, high = RANGES.get(name, (-math.inf, math.inf))
    if good and not low <= value <= high:
        good, wanted = False, f'{low:g} to {high:g}' if high < math.inf else f'{low:g} or more'
    if not good:
        raise SoftshellError(f'fault {name!r} is {value!r}; expected {wanted}')
    setattr(faults, name, value if isinstance(present, bool) else float(value))


def read_value(text: str) -> bool | float:
    """The value of a fault, as a person writes it: true, false or a number; empty is true.

    Raises:
        SoftshellError: it is none of these.
    """
    words = {'': True, 'true': True, 'false': False}
    if text.strip().lower() in words:
        return words[text.strip().lower()]
    try:
        return float(text)
    except ValueError:
        raise SoftshellError(f'value {text!r}; expected true, false or a number') from None
