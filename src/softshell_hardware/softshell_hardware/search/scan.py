"""Looking for servos at every baud rate, with both protocols."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from softshell_hardware.bus.bus import Failure, RateError, ServoBus
from softshell_hardware.bus.families import AX, FAMILIES, Family, X
from softshell_hardware.bus.finder import IDS, Finder, call_time, roll_time
from softshell_hardware.bus.patience import asked, said
from softshell_hardware.wiring.form import BusSpec
from softshell_kinematics.errors import SoftshellError

#: Registers that are read of a servo that was found, in groups that lie close together.
DETAILS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    AX.name: (
        (
            'model_number', 'firmware', 'return_delay', 'lowest_position', 'highest_position',
            'status_return',
        ),
    ),
    X.name: (
        ('model_number', 'firmware', 'return_delay', 'operating_mode'),
        ('status_return',),
    ),
}  # fmt: skip
#: Readings of values that differ between two servos; so many damaged ones are no accident.
TRIALS, MOST_DAMAGED = 4, 2
#: Id of a servo as it is shipped.
SHIPPED = 1


class Progress(Protocol):
    """Takes how far a search is."""

    def __call__(self, *, completed: float, what: str) -> object:
        """Take the part that is done, 0 to 1, and what is done now."""


def _unheeded(*, completed: float, what: str) -> None:
    """Ignores it."""


@dataclass(frozen=True)
class Found:
    """A servo that answered.

    Attributes:
        family: by whose registers it was read: one for each protocol.
        baud: rate at which it answered.
        id: to which it answered.
        values: its registers, as far as it told them.
        damaged: whether its answers are damaged, again and again.
    """

    family: Family
    baud: int
    id: int
    values: Mapping[str, int]
    damaged: bool = False

    @property
    def model(self) -> str:
        """Name of the model; empty if it did not tell."""
        number = self.values.get('model_number')
        known = None if number is None else self.family.models.get(number)
        return known.name if known else '' if number is None else f'model {number}'


@dataclass(frozen=True)
class Sweep:
    """A search with one protocol at one baud rate.

    Attributes:
        family: of that protocol.
        baud: the rate.
        ids: to be asked one by one; of protocol 2 those that a ping of all has not found.
    """

    family: Family
    baud: int
    ids: Collection[int]

    def seconds(self, patience: float) -> float:
        """How long it takes if nobody answers [s]."""
        single = len(self.ids) * call_time(self.baud, patience)
        return single + (roll_time(self.baud, patience) if self.family.syncs else 0.0)


def sweeps(
    spec: BusSpec | None,
    ids: Collection[int],
    bauds: Collection[int] = (),
    quick: bool = False,
) -> list[Sweep]:
    """All searches of a port, the most likely first.

    Args:
        spec: of the bus that is expected there; None: none.
        ids: that are expected there.
        bauds: rates to try; empty: all that servos can be set to.
        quick: whether to ask with protocol 1 only those expected and as shipped, not all ids.

    Raises:
        SoftshellError: no servo has such a baud rate.
    """
    rates = {rate for family in FAMILIES.values() for rate in family.bauds.values()}
    for baud in bauds:
        if baud not in rates:
            listed = ', '.join(str(rate) for rate in sorted(rates))
            raise SoftshellError(f'baud rate {baud}; expected one of {listed}')
    result = []
    for family in FAMILIES.values():
        for baud in family.bauds.values():
            if bauds and baud not in bauds:
                continue
            right = spec is not None and (family.name, baud) == (spec.family, spec.baud)
            if family.syncs:
                asked: Collection[int] = sorted(ids) if right else []
            else:
                asked = sorted({*ids, SHIPPED}) if quick else range(IDS + 1)
            result.append((not right, Sweep(family, baud, asked)))
    return [sweep for _, sweep in sorted(result, key=lambda entry: entry[0])]


def scan(
    path: str,
    plan: Sequence[Sweep],
    latency: float,
    slack: float,
    on_progress: Progress = _unheeded,
) -> list[Found]:
    """Carry out searches.

    Args:
        path: of the port.
        plan: the searches.
        latency: the adapter's latency timer [s].
        slack: what the computer may take until it looks for an answer [s].
        on_progress: called as it goes on.

    Raises:
        PortError: the port cannot be opened, or has gone.
    """
    result: list[Found] = []
    refused: RateError | None = None
    opened = False
    patience = 2.0 * latency + slack
    total, done = sum(sweep.seconds(patience) for sweep in plan), 0.0
    for sweep in plan:
        what = f'protocol {sweep.family.protocol}, {sweep.baud} baud'
        on_progress(completed=done / total, what=what)
        # Each rate is an opening of its own: an adapter takes the rate when it is opened.
        try:
            bus = Finder(path, sweep.family, sweep.baud, latency, slack).open()
        except RateError as error:  # no servo can be heard at this rate
            refused = error
            done += sweep.seconds(patience)
            continue
        opened = True
        try:
            for step, found in _carry_out(bus, sweep):
                if found is not None:
                    result.append(found)
                part = (done + step * sweep.seconds(patience)) / total
                on_progress(completed=min(part, 1.0), what=what)
        finally:
            bus.close()
        done += sweep.seconds(patience)
    if refused is not None and not opened:
        raise refused
    on_progress(completed=1.0, what='')
    return result


def _carry_out(bus: Finder, sweep: Sweep) -> Iterator[tuple[float, Found | None]]:
    """Parts of a search that are done, 0 to 1, and who answered."""
    known: dict[int, Mapping[str, int]] = {}
    broken: set[int] = set()
    if sweep.family.syncs:
        roll = bus.call_all()
        known, broken = roll.whole, roll.damaged
        for servo in sorted(known):
            yield 0.0, examined(bus, servo, known[servo])
    asked = [servo for servo in sorted({*sweep.ids, *broken}) if servo not in known]
    for count, servo in enumerate(asked):
        failure = bus.call(servo).failure
        if failure is Failure.DAMAGED:
            failure = bus.call(servo).failure
        found = None
        if failure is None or failure is Failure.DAMAGED:
            found = examined(bus, servo, {}, failure is not None)
        yield (count + 1) / len(asked), found


def examined(
    bus: ServoBus, servo: int, known: Mapping[str, int], damaged: bool = False
) -> Found | None:
    """Read a servo that answers pings; None if in the end there is nothing but noise.

    Two servos with one id answer at the same time. While both answer the same, this shows nowhere;
    but positions, temperatures and voltages differ sooner or later, and damage the answers.
    """
    values = dict(known)
    heard = bool(known) or not damaged
    for registers in DETAILS[bus.family.name]:
        answer = asked(bus, servo, registers, 1 + TRIALS)
        values.update(answer.values)
        heard = heard or answer.failure is not Failure.SILENT
    trials = [bus.read(servo, bus.family.motion).failure for _ in range(TRIALS)]
    many = trials.count(Failure.DAMAGED) >= MOST_DAMAGED
    if not heard and not many:
        return None
    return Found(bus.family, bus.baud, servo, values, many or damaged)


def set_return_delay(bus: ServoBus, servo: int) -> str:
    """Set the return delay of a servo to 0; its torque goes off, as for every EEPROM register.

    Returns:
        What went wrong; empty: nothing.
    """
    for register in ('torque_enable', 'return_delay'):
        said(bus, servo, register, 0)
    found = asked(bus, servo, ['return_delay'], 1 + TRIALS)
    if found.failure is not None:
        return f'servo {servo}: {found.failure.value} after its return delay was written'
    left = found.values['return_delay']
    return f'servo {servo}: its return delay is still {left}; expected 0' if left else ''
