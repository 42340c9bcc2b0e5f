"""All servos of a robot on emulated buses, with or without a simulated world behind them."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from threading import Lock
from typing import Any

from softshell_control.backend import Measured
from softshell_description.model import RobotModel
from softshell_hardware.bus.families import Family
from softshell_hardware.emulator.bus import EmulatedBus
from softshell_hardware.emulator.faults import inject
from softshell_hardware.emulator.port import EmulatedPort
from softshell_hardware.emulator.refusal import Trouble
from softshell_hardware.emulator.servo import Servo
from softshell_hardware.emulator.shaft import FreeShaft, Shaft
from softshell_hardware.emulator.world import ServoWorld
from softshell_hardware.wiring.config import HardwareConfig
from softshell_hardware.wiring.units import Wiring
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_sim.settings import WorldSettings

UNPLUGGED = 'unplugged'


def _overload(servo: Servo) -> None:
    servo.trouble |= Trouble.OVERLOAD


#: What happens to a servo once.
EVENTS: Mapping[str, Callable[[Servo], None]] = {'overload': _overload, 'restart': Servo.reboot}


class EmulatedRobot:
    """The servos of a robot, on a pseudo-terminal for each bus.

    Args:
        robot: the robot, in its start pose.
        config: its wiring; a joint without an offset is as if it were 0.
        physics: whether a simulated world moves its joints; if not, each follows its own goals.
        settings: of the world.
        folder: for a link to each port, with the name of its bus; None: there are no links, and
            an adapter that is unplugged comes back as any device that is free.

    Attributes:
        ports: of the buses, by name.
        servos: by joint or channel.
        world: the simulated world; None without physics.

    Raises:
        SoftshellError: the world does not start.
    """

    def __init__(
        self,
        robot: RobotModel,
        config: HardwareConfig,
        physics: bool = True,
        settings: WorldSettings | None = None,
        folder: Path | None = None,
    ) -> None:
        self._open = ExitStack()
        self.world: ServoWorld | None = None
        shafts: Mapping[str, Shaft] = {}
        if physics:
            self.world = ServoWorld(robot, config.joints, settings, config.tendons)
            self._open.callback(self.world.close)
            names = (*robot.joint_names, *robot.channels)
            shafts = dict(zip(names, (*self.world.shafts, *self.world.spools), strict=True))
        start = dict(zip(robot.joint_names, robot.pose(robot.start).tolist(), strict=True))
        self.servos: dict[str, Servo] = {}
        for motor in config.motors:
            shaft = shafts.get(motor.name)
            if shaft is None:
                at = start.get(motor.name, 0.0)
                shaft = FreeShaft(_servo_angle(motor, at) if isinstance(motor, Wiring) else 0.0)
            model = _number(motor.family, motor.model)
            servo = self.servos[motor.name] = Servo(motor.family, motor.id, model, shaft)
            servo.set('return_delay', 0)
        self.ports: dict[str, EmulatedPort] = {}
        self._locks: dict[str, Lock] = {}  # that of its port, for each servo
        for name, spec in config.buses.items():
            here = [motor.name for motor in config.on_bus(name)]
            if here:
                bus = EmulatedBus([self.servos[each] for each in here], spec.baud, spec.latency)
                link = None if folder is None else folder / name
                port = self.ports[name] = self._open.enter_context(EmulatedPort(bus, link))
                self._locks |= dict.fromkeys(here, port.lock)

    @property
    def measured(self) -> Measured | None:
        """What the world shows of the robot, with the base; None without physics."""
        return None if self.world is None else self.world.measured

    def step(self, seconds: float) -> None:
        """Let some `seconds` pass for all servos, and for the world."""
        for port in self.ports.values():
            with port.lock:
                port.bus.step(seconds)
        if self.world is not None:
            self.world.step(seconds)

    def inject(self, where: str, name: str, value: Any) -> str:
        """Set a fault, or let something happen.

        Beside the faults of a servo, `overload` and `restart` happen to it once; beside those of
        a line, `unplugged` takes its adapter away.

        Args:
            where: a joint or channel, for a fault of its servo; a bus, for one of its line.
            name: of the fault.
            value: as the fault has it.

        Returns:
            What was done, for people.

        Raises:
            UnknownNameError: there is no such joint, bus or fault.
            SoftshellError: the value is of another kind.
        """
        if where in self.servos:
            servo = self.servos[where]
            with self._locks[where]:
                if name in EVENTS:
                    _only((True,), name, value)
                    EVENTS[name](servo)
                else:
                    inject(servo.faults, name, value, EVENTS)
        elif where in self.ports:
            port = self.ports[where]
            if name == UNPLUGGED:
                _only((True, False), name, value)
                port.unplug() if value else port.plug()
            else:
                with port.lock:
                    inject(port.bus.faults, name, value, (UNPLUGGED,))
        else:
            raise UnknownNameError('joint or bus', where, [*self.servos, *self.ports])
        return f'{where}: {name} is {value}'

    def close(self) -> None:
        """End ports and world."""
        self._open.close()

    def __enter__(self) -> 'EmulatedRobot':
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _only(values: tuple[bool, ...], name: str, value: Any) -> None:
    """Refuse a value of a fault that takes only some.

    Raises:
        SoftshellError: the value is none of these.
    """
    if not any(value is each for each in values):
        known = ' or '.join(map(str, values))
        raise SoftshellError(f'fault {name!r} is {value!r}; expected {known}')


def _servo_angle(wiring: Wiring, position: float) -> float:
    return wiring.direction * (position - (wiring.offset or 0.0))


def _number(family: Family, model: str) -> int | None:
    """Number of a model; None for an empty name.

    Raises:
        UnknownNameError: the family has none of this name.
    """
    if not model:
        return None
    for number, each in family.models.items():
        if each.name == model:
            return number
    known = (each.name for each in family.models.values())
    raise UnknownNameError(f'model of family {family.name!r}', model, known)
