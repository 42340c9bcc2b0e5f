"""A file of servos against itself, against what servos can do, and against the robot."""

from collections.abc import Iterator
from typing import Any

from softshell_description.form import ChannelKind
from softshell_description.model import RobotModel
from softshell_hardware.bus.families import FAMILIES, Family
from softshell_hardware.wiring.form import HardwareForm
from softshell_hardware.wiring.units import Tendon, Wiring


def bus_of(name: str, form: HardwareForm) -> str:
    """Name of the bus of a servo; where none is written, that of the first bus."""
    return name or next(iter(form.buses))


def family_of(form: HardwareForm, bus: str) -> Family:
    """The family of the servos on a bus, by its name."""
    return FAMILIES[form.buses[bus_of(bus, form)].family]


Problem = tuple[tuple[str, ...], str]


def wiring_problems(form: HardwareForm, robot: RobotModel, written: Any) -> Iterator[Problem]:
    """Everything that is wrong with a wiring: where, and what; `written` is all of the file."""
    for kind, known in (('joints', robot.joint_names), ('channels', tuple(robot.channels))):
        given = getattr(form, kind)
        for name in given:
            if name not in known:
                text = f'the robot has none of this name; it has {", ".join(known) or "none"}'
                yield (kind, name), text
        # An entry that is written wrongly has its own problem: it is not missing.
        missing = [name for name in known if name not in (written.get(kind) or {})]
        if missing:
            yield (kind,), f'no servo is given for {", ".join(missing)}'
    yield from _bus_problems(form)
    yield from _servo_problems(form)
    yield from _range_problems(form, robot)
    yield from _channel_problems(form, robot)


def _bus_problems(form: HardwareForm) -> Iterator[Problem]:
    """Names that no file can have, rates that servos do not know, ports given twice."""
    seen: dict[str, str] = {}
    for name, spec in form.buses.items():
        where = ('buses', name)
        if not name or '/' in name or name.startswith('.'):
            yield where, f'is named {name!r}; expected a name without slashes and leading dots'
        rates = sorted(FAMILIES[spec.family].bauds.values())
        if spec.baud not in rates:
            known = ', '.join(map(str, rates))
            yield (*where, 'baud'), f'is {spec.baud}; expected one of {known}'
        if not spec.port:
            yield (*where, 'port'), 'is empty; expected the path of a device'
        elif spec.port in seen:
            text = (
                f'is {spec.port}, which is that of {seen[spec.port]!r} as well; expected another'
            )
            yield (*where, 'port'), text
        seen[spec.port] = name


def _servo_problems(form: HardwareForm) -> Iterator[Problem]:
    """Buses that do not exist, ids given twice, models of another family."""
    seen: dict[tuple[str, int], str] = {}
    for kind in ('joints', 'channels'):
        for name, spec in getattr(form, kind).items():
            where = (kind, name)
            if not spec.bus and len(form.buses) > 1:
                yield where, f'bus is not given; expected one of {", ".join(form.buses)}'
                continue
            if spec.bus and spec.bus not in form.buses:
                yield (*where, 'bus'), f'is {spec.bus!r}; expected one of {", ".join(form.buses)}'
                continue
            family = family_of(form, spec.bus)
            if spec.model and family.named(spec.model) is None:
                known = ', '.join(sorted(each.name for each in family.models.values()))
                text = f'is {spec.model!r}; expected one of family {family.name!r}: {known}'
                yield (*where, 'model'), text
            place = (bus_of(spec.bus, form), spec.id)
            if place in seen:
                text = f'is {spec.id}, which {seen[place]} has on the same bus; expected another'
                yield (*where, 'id'), text
            seen[place] = name


def _range_problems(form: HardwareForm, robot: RobotModel) -> Iterator[Problem]:
    """Joints whose range is not within that of their servo."""
    for joint in robot.joints:
        spec = form.joints.get(joint.name)
        if spec is None or (spec.bus and spec.bus not in form.buses):
            continue
        if joint.unit != 'rad':
            yield ('joints', joint.name), 'slides; expected a joint that turns, as servos do'
            continue
        if spec.offset is None:
            continue
        wiring = Wiring(
            joint.name, '', family_of(form, spec.bus), spec.id, '', spec.direction, spec.offset
        )
        low, high = wiring.range
        if not wiring.reaches(joint.lower, joint.upper):
            yield (
                ('joints', joint.name),
                f'the servo reaches {low:.3f} to {high:.3f} rad with this offset; expected '
                f'{joint.lower:.3f} to {joint.upper:.3f} rad, the range of the joint',
            )


def _channel_problems(form: HardwareForm, robot: RobotModel) -> Iterator[Problem]:
    """Channels that a servo cannot drive, or not with what is given."""
    for name, channel in robot.channels.items():
        spec = form.channels.get(name)
        if spec is None or (spec.bus and spec.bus not in form.buses):
            continue
        where = ('channels', name)
        if channel.kind not in (ChannelKind.TENSION, ChannelKind.EFFORT):
            yield where, f'is a {channel.kind.value}; servos drive tensions and efforts'
        elif channel.kind is ChannelKind.TENSION and spec.spool_radius is None:
            yield where, 'spool_radius is not given; expected that of the spool, for a tension'
        elif channel.kind is ChannelKind.EFFORT and spec.spool_radius is not None:
            yield (*where, 'spool_radius'), 'is given; expected none, as an effort has no spool'
        family = family_of(form, spec.bus)
        tendon = Tendon(
            name, '', family, spec.id, spec.model, spec.direction, spec.torque_constant,
            spec.spool_radius,
        )  # fmt: skip
        if 'goal_current' not in family.registers:
            yield (
                where,
                "is on a bus of family 'ax', which has no control of current; expected 'x'",
            )
            continue
        if not tendon.most:
            yield (*where, 'model'), f'is {spec.model}, which has no control of current'
            continue
        most, largest = abs(tendon.value(tendon.most)), family.current_unit * tendon.most
        if max(map(abs, channel.range)) > most:
            ends = ' to '.join(f'{end:g}' for end in channel.range)
            text = f'goes from {ends} {channel.unit}; the servo gives at most {most:.1f}'
            yield where, f'{text} {channel.unit} with {largest:.2f} A'
