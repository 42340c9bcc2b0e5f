"""All that can be wrong with emulated servos, for people: names, values and meanings."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields

from softshell_hardware.emulator.faults import LineFaults, ServoFaults, read_value
from softshell_kinematics.errors import SoftshellError


@dataclass(frozen=True)
class Fault:
    """Something that can be wrong.

    Attributes:
        of: 'servo' or 'bus'.
        name: as it is asked for.
        value: what it takes, in words.
        meaning: what it does.
    """

    of: str
    name: str
    value: str
    meaning: str


def _of(kind: str, faults: type[ServoFaults] | type[LineFaults]) -> Iterator[Fault]:
    """The faults of a class, whose docstring says what each is."""
    text = inspect.getdoc(faults) or ''
    entries = re.findall(r'^    (\w+): (.*(?:\n     +.*)*)', text, re.MULTILINE)
    meanings = {name: ' '.join(meaning.split()).rstrip('.') for name, meaning in entries}
    for field in fields(faults):
        if field.name in meanings:
            value = 'true, false' if isinstance(field.default, bool) else 'a number'
            yield Fault(kind, field.name, value, meanings[field.name])


#: Those of servos, then those of buses; what happens once takes no value.
FAULTS: tuple[Fault, ...] = (
    *_of('servo', ServoFaults),
    Fault('servo', 'overload', '', 'it shuts down as after an overload'),
    Fault('servo', 'restart', '', 'it starts anew, without torque'),
    *_of('bus', LineFaults),
    Fault('bus', 'unplugged', 'true, false', 'its adapter is taken away, or comes back'),
)


def read_fault(text: str) -> tuple[str, str, bool | float]:
    """Where, which and its value, of a fault as it is typed: WHERE:FAULT or WHERE:FAULT=VALUE.

    Raises:
        SoftshellError: it is written in another way, or the value is none.
    """
    found = re.fullmatch(r'([^:=\s]+):([^:=\s]+)(?:=(\S*))?', text)
    if found is None:
        raise SoftshellError(f'fault {text!r}; expected WHERE:FAULT=VALUE, e.g. body:late=0.016')
    return found[1], found[2], read_value(found[3] or '')
