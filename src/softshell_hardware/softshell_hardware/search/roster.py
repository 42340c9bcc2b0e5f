"""What was found on a bus, held against what the wiring expects there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from softshell_hardware.driving.enlist import CURRENT, POSITION
from softshell_hardware.driving.own_settings import ANSWERS_ALL, setting_problems
from softshell_hardware.search.scan import Found
from softshell_hardware.wiring.config import HardwareConfig
from softshell_hardware.wiring.units import Motor, Tendon


@dataclass(frozen=True)
class Row:
    """A servo that was found, expected, or both.

    Attributes:
        id: its id.
        name: of its joint or channel; empty: it belongs to none.
        found: None: it was expected, and is missing.
        wrong: what is not as expected.
        notes: what is not wrong, but good to know.
    """

    id: int
    name: str
    found: Found | None
    wrong: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def compare(config: HardwareConfig, bus: str | None, found: Sequence[Found]) -> list[Row]:
    """Everything that was found and expected on a port, by id.

    Args:
        config: the wiring.
        bus: name of the bus that is expected there; None: nothing is.
        found: what was found.
    """
    rows, left = [], list(found)
    for motor in config.on_bus(bus) if bus is not None else ():
        baud = config.buses[motor.bus].baud
        mine = [
            each
            for each in left
            if each.id == motor.id and each.family.protocol == motor.family.protocol
        ]
        mine.sort(key=lambda each: each.baud != baud)
        if not mine:
            text = f'missing; expected {motor.model or motor.family.name.upper()} at {baud} baud'
            rows.append(Row(motor.id, motor.name, None, (text,)))
            continue
        left.remove(mine[0])
        rows.append(
            Row(
                motor.id, motor.name, mine[0], tuple(_wrong(motor, mine[0], baud)),
                tuple(_notes(motor, mine[0])),
            )
        )  # fmt: skip
    for each in left:
        wrong = ['unexpected'] if bus is not None else []
        if each.damaged:
            wrong.append(_TWINS)
        rows.append(Row(each.id, '', each, tuple(wrong)))
    return sorted(rows, key=lambda row: row.id)


_TWINS = 'its answers are damaged: is there another servo with this id?'


def _wrong(motor: Motor, found: Found, baud: int) -> Iterator[str]:
    """What is not as it is expected of a servo."""
    values = found.values
    if found.damaged:
        yield _TWINS
    if found.baud != baud:
        yield f'baud rate is {found.baud}; expected {baud}'
    if found.model and found.model != (motor.model or found.model):
        yield f'is {found.model}; expected {motor.model}'
    elif found.model and values['model_number'] not in motor.family.models:
        yield f'is {found.model}; expected one of family {motor.family.name!r}'
    delay = values.get('return_delay', 0)
    if delay:
        unit = 1e6 * motor.family.delay_unit
        yield f'return delay is {delay} ({delay * unit:.0f} µs); expected 0'
    if 'return_delay' not in values and not found.damaged:
        yield f'answers pings only; expected status return level {ANSWERS_ALL}'
    yield from setting_problems(motor, values)


def _notes(motor: Motor, found: Found) -> Iterator[str]:
    """What will change by itself, or is to be done later."""
    wanted = CURRENT if isinstance(motor, Tendon) else POSITION
    mode = found.values.get('operating_mode', wanted)
    if mode != wanted:
        yield f'operating mode is {mode}; the bridge will set {wanted}'
