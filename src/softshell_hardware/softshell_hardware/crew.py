"""All servos of a robot, on all of its buses, as arrays of joints."""

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from softshell_common.reason import Reason, ReasonCode
from softshell_control.fault import FaultError
from softshell_control.gate import Command
from softshell_description.model import RobotModel
from softshell_hardware.bus import Answer, PortError, ServoBus
from softshell_hardware.config import HardwareConfig
from softshell_hardware.health import Health
from softshell_hardware.line import Line
from softshell_hardware.reader import Station, groups_of
from softshell_hardware.wiring import Tendon, Wiring
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import ProblemsError, SoftshellError, UnknownNameError

#: A joint that moves faster than so many times its motor can has not moved: its reading jumped.
JUMP = 1.2
#: Servos that a warning names.
MOST_NAMED = 4
#: What a reading may be off in addition [rad].
SLACK = 0.1


class Crew:
    """The servos of a robot: they are found, driven, read and relaxed together.

    Args:
        robot: the robot.
        config: its wiring.
        period: the control period [s].
        health: takes temperatures and voltages.
        clock: [ns].

    Attributes:
        position, velocity, effort: (joints,) as last read [rad], [rad/s], [N m].
        tension: (channels,) of the other channels, as last read; NaN: never.
        known: (joints,) whether each has been read, and its servo still answers.
        driven: whether joints move by commands alone: what no motion explains is left out then.
        stiff: whether a servo may have its torque.
        owes: whether servos were to give way that did not confirm it.
    """

    def __init__(
        self,
        robot: RobotModel,
        config: HardwareConfig,
        period: float,
        health: Health,
        clock: Callable[[], int],
    ) -> None:
        self._robot, self._config, self._health, self._clock = robot, config, health, clock
        self._period = period
        count = len(robot.joints)
        self.position, self.velocity, self.effort = (np.zeros(count) for _ in range(3))
        self.tension = np.full(len(robot.channels), np.nan)
        self.known = np.zeros(count, dtype=np.bool_)
        self.driven = self.stiff = self.owes = False
        self._fresh = np.zeros(count, dtype=np.bool_)
        self._wanted = np.zeros(count)
        self._jumped = ''
        self._motors = config.motors
        self._fastest = np.array([joint.velocity for joint in robot.joints])
        groups = groups_of(robot)
        self._stations = [
            Station(motor.id, groups[place], place, motor.label)
            for place, motor in enumerate(self._motors)
        ]
        self._lines: list[Line] = []

    def open(self) -> None:
        """Open all ports and find every servo.

        Raises:
            ProblemsError: every port and servo that is not as expected.
        """
        problems = []
        for name, spec in self._config.buses.items():
            members = [
                (motor, self._stations[place])
                for place, motor in enumerate(self._motors)
                if motor.bus == name
            ]
            if not members:
                continue
            try:
                line = Line(
                    name, spec, members, self._config.form, self._period, self._take, self._clock
                )
            except SoftshellError as error:
                problems.append(str(error))
                continue
            self._lines.append(line)
            if self.owes:  # first of all, whoever else is missing
                line.relax()
            problems += line.roll_call(self._robot)
        if problems:
            self.close()
            raise ProblemsError(f'servos of {self._robot.name!r}', problems)
        self.forgive()
        self.read_everything()

    def close(self) -> None:
        """Let go of all ports."""
        lines, self._lines = self._lines, []
        self.known[:] = False
        for line in lines:
            line.close()

    def forgive(self) -> None:
        """Take no servo for gone any more."""
        self._jumped = ''
        for line in self._lines:
            line.reader.forgive()

    def read_everything(self) -> None:
        """Read every servo once.

        Raises:
            PortError: a port has gone.
        """
        for station in self._stations:
            station.read = None  # whatever it says now is no jump
        for line in self._lines:
            line.reader.read_everything()
        self._note_known()

    def enlist(self) -> None:
        """Let every servo hold where it is.

        Raises:
            ProblemsError: every servo that did not obey.
        """
        problems: list[str] = []
        self.stiff, self.owes = True, False
        try:
            for line in self._lines:
                problems += line.enlist(self._robot)
            if not problems:
                self.read_everything()
                problems += self.guard()
        except SoftshellError as error:  # a port has gone, or there is no guardian
            problems.append(str(error))
        if problems:
            try:
                self.relax()
            except SoftshellError as error:
                problems.append(f'that they give way again is {error}')
            raise ProblemsError('servos that do not hold', problems)
        self._wanted[:] = self.position
        self.driven = True

    def guard(self, still: bool = False) -> list[str]:
        """See to it that all servos stop when this program dies; who did not take notice.

        Args:
            still: whether those that have stopped by themselves stay where they are.

        Raises:
            SoftshellError: a port has gone, or there is no guardian.
        """
        problems = [problem for line in self._lines for problem in line.arm(still)]
        for line in self._lines:  # last of all: they wait for beats at once
            line.begin_beats()
        return problems

    def command(self, command: Command, part: float) -> None:
        """Send goals to all servos.

        Args:
            command: to be reached in a control period.
            part: of its speed that the robot may have, 0 to 1.

        Raises:
            FaultError: goals could not be sent, or another process took over.
            PortError: a port has gone.
        """
        self._wanted[:] = command.value[: len(self._wanted)]
        for line in self._lines:
            line.send(command, self.position, part * self._fastest)

    def read(self, deadline: int | None) -> None:
        """Read those whose turn it is.

        Raises:
            PortError: a port has gone.
        """
        self._fresh[:] = False
        for line in self._lines:
            line.listen(deadline)
        self._note_known()

    def check(self, seconds: float) -> None:
        """Refuse to go on with what is wrong, after `read`.

        Args:
            seconds: since the last call.

        Raises:
            FaultError: a servo is gone, restarted, in trouble, too hot or does not follow.
        """
        for line in self._lines:
            line.check()
        if self._jumped:
            raise FaultError(ReasonCode.SERVO, self._jumped)
        self._health.check()
        self._health.track(self._wanted, self.position, self._fresh, seconds)

    def hold(self) -> None:
        """Let every servo keep its goal; one that is not there yet stays where it is.

        Servos without torque stay so: to AX a goal would bring it back.
        """
        self.driven = False
        for line in self._lines if self.stiff else ():
            line.hold(self.position, self._wanted, self.known)

    def relax(self) -> None:
        """Let every servo give way.

        Raises:
            SoftshellError: servos that did not confirm it, by name.
        """
        self.driven = False
        left = [label for line in self._lines for label in line.relax()]
        if self.stiff and not self._lines:
            left = [motor.label for motor in self._motors]
        self.stiff = self.owes = bool(left)
        if left:
            raise SoftshellError(f'not confirmed by {", ".join(left)}')

    def read_living(self, deadline: int | None) -> None:
        """Read those whose turn it is on the lines whose port is there."""
        self.known[:] = False
        for line in self._lines:
            with contextlib.suppress(PortError):
                line.listen(deadline)
                for station in line.reader.stations:
                    if station.place < len(self.known):
                        self.known[station.place] = station.read is not None and not station.lost

    def reboot(self, name: str) -> str:
        """Restart the servo of a joint or channel.

        Raises:
            UnknownNameError: there is no such one.
            SoftshellError: it cannot, or does not answer.
        """
        names = [motor.name for motor in self._motors]
        if name not in names:
            raise UnknownNameError('joint', name, names)
        motor = self._motors[names.index(name)]
        line = next((line for line in self._lines if line.name == motor.bus), None)
        if line is None:
            raise SoftshellError(f'{motor.label}: bus {motor.bus!r} is not open')
        return line.reboot(motor)

    def age(self, now: int) -> Array:
        """(joints,) how long ago each was read [s]; infinite: never."""
        return np.array(
            [
                np.inf if station.read is None else (now - station.read) * 1e-9
                for station in self._stations[: len(self.position)]
            ]
        )

    @property
    def cycle(self) -> float:
        """Time until every servo has been read once [s]."""
        return max((line.cycle for line in self._lines), default=0.0)

    def why(self, joint: str) -> str:
        """Why a joint is not measured, for people."""
        station = self._stations[self._robot.index(joint)]
        return f'{station.label}: {station.failure or "not read yet"}'

    def warnings(self) -> list[Reason]:
        """Servos that do not answer, in one line."""
        lost = [station.label for station in self._stations if station.lost]
        if not lost:
            return []
        more = '' if len(lost) <= MOST_NAMED else f' and {len(lost) - MOST_NAMED} more'
        return [Reason(ReasonCode.STALE, f'no answer of {", ".join(lost[:MOST_NAMED])}{more}')]

    def diagnostics(self) -> Mapping[str, str]:
        """What the buses do, and how old what is known is."""
        values: dict[str, str] = {}
        for line in self._lines:
            values |= line.diagnostics()
        ages = self.age(self._clock())
        oldest = int(np.argmax(ages))
        values['oldest joint'] = f'{self._robot.joint_names[oldest]}, {1e3 * ages[oldest]:.0f} ms'
        for station in self._stations:
            if station.lost and station.place < len(self.position):
                age = 1e3 * ages[station.place]
                values[f'stale {station.label}'] = (
                    f'{self.position[station.place]:.4f} rad, {age:.0f} ms old'
                )
        return values

    def _take(self, station: Station, bus: ServoBus, answer: Answer) -> None:
        """Take a reading of one servo."""
        values: Mapping[str, Any] = answer.values
        family, place = bus.family, station.place
        motor = self._motors[place]
        self._health.note(
            place,
            float(values['present_temperature']),
            values['present_voltage'] * family.voltage_unit,
        )
        if isinstance(motor, Tendon):
            self.tension[place - len(self.position)] = motor.value(values['present_current'])
        elif isinstance(motor, Wiring):
            self._take_joint(station, motor, values)

    def _take_joint(self, station: Station, motor: Wiring, values: Mapping[str, Any]) -> None:
        family, place = motor.family, station.place
        position = motor.position(values['present_position'])
        if self._jumps(station, position):
            return
        self.position[place] = position
        speed = 'present_speed' if family.protocol == 1 else 'present_velocity'
        self.velocity[place] = motor.velocity(values[speed])
        self.effort[place] = (
            motor.direction * family.load(values) * self._robot.joints[place].effort
        )
        self._fresh[place] = True

    def _jumps(self, station: Station, position: float) -> bool:
        """Whether no motion explains a reading, which then tells nothing but that."""
        if not self.driven or station.before is None or station.read is None:
            return False
        passed = (station.read - station.before) * 1e-9
        most = JUMP * self._robot.joints[station.place].velocity * passed + SLACK
        moved = abs(position - float(self.position[station.place]))
        if moved > most and not self._jumped:
            self._jumped = (
                f'{station.label} shows {position:.3f} rad, {moved:.3f} rad from {passed:.3f} s '
                'ago: no motion is as fast as that'
            )
        return moved > most

    def _note_known(self) -> None:
        for station in self._stations[: len(self.known)]:
            self.known[station.place] = station.read is not None and not station.lost
