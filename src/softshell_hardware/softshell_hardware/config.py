"""`config/hardware/<robot>.yaml`: which servo moves which joint, and what may not happen to it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from softshell_common.yaml_file import StrictModel, YamlFile
from softshell_description.form import ChannelKind, NotNegative, Number, Positive
from softshell_description.model import RobotModel
from softshell_description.robots import ROBOT_FILE, robot_names, share_directory
from softshell_hardware.families import FAMILIES, Family
from softshell_hardware.wiring import Motor, Tendon, Wiring
from softshell_kinematics.errors import ProblemsError

#: Of a file beside the `robot.yaml` of a robot that is not installed.
BESIDE = 'hardware.yaml'

#: What a computer may take that has to play the servos as well [s].
EMULATED_SLACK = 0.1

Identity = Annotated[int, Field(ge=0, le=252, strict=True)]


class BusSpec(StrictModel):
    """A serial port with servos.

    Attributes:
        port: path of the device.
        family: of all servos on it.
        baud: bits per second.
        latency: the adapter's latency timer [s].
        slack: what the computer itself may take until it looks for an answer [s].
    """

    port: str = '/dev/ttyUSB0'
    family: Literal['ax', 'x'] = 'ax'
    baud: Annotated[int, Field(gt=0, strict=True)] = 1_000_000
    latency: Annotated[Number, Field(ge=0, le=0.1)] = 0.001
    slack: Annotated[Number, Field(ge=0, le=1)] = 0.004


class ServoSpec(StrictModel):
    """The servo of a joint.

    Attributes:
        bus: which it is on; may be left out where there is only one.
        id: on its bus.
        model: as the maker calls it; empty: any of the family.
        direction: 1 if the joint's position grows with the servo's, else -1.
        offset: the joint's position when the servo is in the middle of its range [rad]; None:
            not calibrated.
    """

    bus: str = ''
    id: Identity
    model: str = ''
    direction: Literal[1, -1] = 1
    offset: Number | None = None


class TendonSpec(StrictModel):
    """The servo of a channel that pulls or turns: it is driven by current.

    Attributes:
        bus, id, model, direction: as of a joint.
        spool_radius: where the tendon winds up [m]; for tensions.
        torque_constant: torque for each ampere [N m/A].
    """

    bus: str = ''
    id: Identity
    model: str = ''
    direction: Literal[1, -1] = 1
    spool_radius: Positive | None = None
    torque_constant: Positive


class Protection(StrictModel):
    """When a motor is told of, slowed down, and stopped.

    Attributes:
        warn_temperature: from here on it is told of [°C].
        derate_temperature: from here on the robot slows down, to a quarter at the stop.
        stop_temperature: a fault.
        hysteresis: so much cooler a warning ends [°C].
        lowest_voltage, highest_voltage: of the supply [V]; outside it is a fault.
        tracking_error: a joint so far from its command [rad] ...
        tracking_time: ... for so long [s] is a fault.
        missed_reads: so many readings of a servo in vain, one after the other, are a fault.
        stall: a control loop that was still for so long [s] is a fault.
    """

    warn_temperature: Positive = 60.0
    derate_temperature: Positive = 65.0
    stop_temperature: Positive = 70.0
    hysteresis: NotNegative = 3.0
    lowest_voltage: Positive = 9.5
    highest_voltage: Positive = 14.0
    tracking_error: Positive = 0.4
    tracking_time: Positive = 0.5
    missed_reads: Annotated[int, Field(ge=1, le=100, strict=True)] = 5
    stall: Positive = 0.5

    @model_validator(mode='after')
    def _ordered(self) -> 'Protection':
        heat = (self.warn_temperature, self.derate_temperature, self.stop_temperature)
        if sorted(heat) != list(heat):
            raise ValueError(
                f'temperatures to warn, derate and stop are {heat}; expected them in this order'
            )
        if self.lowest_voltage >= self.highest_voltage:
            raise ValueError(
                f'voltages are {self.lowest_voltage} to {self.highest_voltage} V; expected the '
                'lowest first'
            )
        return self


class HardwareForm(StrictModel):
    """All of the file.

    Attributes:
        robot: whose servos these are.
        buses: by name.
        joints: the servo of every independent joint.
        channels: the servo of every other channel.
        protection: what may not happen to the motors.
        on_host_death: what the joints do when the computer dies.
        beats: without so many beats of the bridge, of a control period each, its guardian lets the
            joints give way; for `relax` where the servos have no watchdog of their own.
        watchdog: of servos that have one of their own [s].
    """

    robot: str
    buses: dict[str, BusSpec] = Field(min_length=1)
    joints: dict[str, ServoSpec]
    channels: dict[str, TendonSpec] = Field(default_factory=dict)
    protection: Protection = Protection()
    on_host_death: Literal['hold', 'relax'] = 'hold'
    beats: Annotated[int, Field(ge=2, le=1000, strict=True)] = 10
    watchdog: Annotated[Number, Field(ge=0.02, le=2.5)] = 0.2


@dataclass(frozen=True, eq=False)
class HardwareConfig:
    """The wiring of a robot, held against its model.

    Args:
        path: of the file that it comes from.
        form: all of the file.
        buses: by name.
        joints: in the order of the robot's joints.
        tendons: in the order of its other channels.
    """

    path: Path
    form: HardwareForm
    buses: Mapping[str, BusSpec]
    joints: tuple[Wiring, ...]
    tendons: tuple[Tendon, ...]

    @property
    def protection(self) -> Protection:
        """What may not happen to the motors."""
        return self.form.protection

    @property
    def uncalibrated(self) -> tuple[str, ...]:
        """Names of the joints without an offset."""
        return tuple(each.name for each in self.joints if not each.calibrated)

    def at(self, ports: Mapping[str, str], slack: float = EMULATED_SLACK) -> 'HardwareConfig':
        """The same servos, calibrated as they are, on ports of emulated ones.

        Args:
            ports: path of the device, by bus.
            slack: what the computer may take until it looks for an answer [s].
        """
        buses = {
            name: spec.model_copy(update={'port': ports.get(name, spec.port), 'slack': slack})
            for name, spec in self.buses.items()
        }
        joints = tuple(replace(each, offset=each.offset or 0.0) for each in self.joints)
        return replace(self, buses=buses, joints=joints)

    @property
    def motors(self) -> tuple[Motor, ...]:
        """The servos of all joints, then those of the other channels."""
        everything: list[Motor] = [*self.joints, *self.tendons]
        return tuple(everything)

    def on_bus(self, bus: str) -> tuple[Motor, ...]:
        """Everything that is on a bus, by name of the bus."""
        return tuple(motor for motor in self.motors if motor.bus == bus)


def hardware_file(robot: RobotModel) -> Path:
    """Where the wiring of a robot is written: of an installed one in `config/hardware`."""
    share = share_directory() / 'config'
    installed = robot.name in robot_names() and (
        (share / 'robots' / robot.name / ROBOT_FILE).resolve().parent == robot.folder.resolve()
    )
    return share / 'hardware' / f'{robot.name}.yaml' if installed else robot.folder / BESIDE


def load_hardware(robot: RobotModel, path: Path | None = None) -> HardwareConfig:
    """Read the wiring of a robot and hold it against the robot.

    Args:
        robot: the robot.
        path: of the file; None: where `hardware_file` says.

    Raises:
        ProblemsError: everything that is wrong with it, with lines.
    """
    file = YamlFile(hardware_file(robot) if path is None else path)
    form, problems = file.fitting(HardwareForm)
    if form is None:
        raise ProblemsError(str(file.path), problems)
    if form.robot != robot.name:
        text = f'is {form.robot!r}; expected {robot.name!r}, the robot that is started'
        raise ProblemsError(str(file.path), [*problems, file.problem(('robot',), text)])
    problems += [file.problem(*problem) for problem in _problems(form, robot, file.data)]
    if problems:
        raise ProblemsError(str(file.path), problems)
    return HardwareConfig(
        file.path,
        form,
        form.buses,
        tuple(
            Wiring(joint.name, _bus(form.joints[joint.name].bus, form), _family(form, spec.bus),
                   spec.id, spec.model, spec.direction, spec.offset)
            for joint in robot.joints
            for spec in [form.joints[joint.name]]
        ),
        tuple(_tendon(form, name) for name in robot.channels),
    )  # fmt: skip


def _tendon(form: HardwareForm, name: str) -> Tendon:
    spec = form.channels[name]
    return Tendon(
        name, _bus(spec.bus, form), _family(form, spec.bus), spec.id, spec.model, spec.direction,
        spec.torque_constant, spec.spool_radius,
    )  # fmt: skip


def _bus(name: str, form: HardwareForm) -> str:
    return name or next(iter(form.buses))


def _family(form: HardwareForm, bus: str) -> Family:
    return FAMILIES[form.buses[_bus(bus, form)].family]


Problem = tuple[tuple[str, ...], str]


def _problems(form: HardwareForm, robot: RobotModel, written: Any) -> Iterator[Problem]:
    """Everything that is wrong with a wiring: where, and what; `written` is all of the file."""
    for kind, known in (('joints', robot.joint_names), ('channels', tuple(robot.channels))):
        given = getattr(form, kind)
        for name in given:
            if name not in known:
                text = f'the robot has none of this name; it has {", ".join(known) or "none"}'
                yield (kind, name), text
        # What is written and wrong is told of already, and not missing.
        missing = [name for name in known if name not in (written.get(kind) or {})]
        if missing:
            yield (kind,), f'no servo is given for {", ".join(missing)}'
    yield from _servo_problems(form)
    yield from _range_problems(form, robot)
    yield from _channel_problems(form, robot)


def _servo_problems(form: HardwareForm) -> Iterator[Problem]:
    """Buses that are none, ids given twice, models of another family."""
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
            family = _family(form, spec.bus)
            if spec.model and spec.model not in family.models.values():
                known = ', '.join(sorted(family.models.values()))
                text = f'is {spec.model!r}; expected one of family {family.name!r}: {known}'
                yield (*where, 'model'), text
            place = (_bus(spec.bus, form), spec.id)
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
            joint.name, '', _family(form, spec.bus), spec.id, '', spec.direction, spec.offset
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
        if 'goal_current' not in _family(form, spec.bus).registers:
            yield (
                where,
                "is on a bus of family 'ax', which has no control of current; expected 'x'",
            )
