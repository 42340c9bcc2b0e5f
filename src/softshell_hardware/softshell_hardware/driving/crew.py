"""All servos of a robot, on all of its buses, as arrays of joints."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from softshell_common.reason import Reason, ReasonCode
from softshell_control.fault import FaultError
from softshell_control.gate import Command
from softshell_description.model import RobotModel
from softshell_hardware.bus.bus import PortError
from softshell_hardware.driving.line import Line
from softshell_hardware.driving.reader import SHARE, Station, groups_of
from softshell_hardware.driving.readings import Readings
from softshell_hardware.driving.restart import restarted
from softshell_hardware.guard.health import Health
from softshell_hardware.wiring.config import HardwareConfig
from softshell_hardware.wiring.units import Motor
from softshell_kinematics.errors import ProblemsError, SoftshellError, UnknownNameError

#: Most servos that a warning names.
MOST_NAMED = 4


class Crew:
    """The servos of a robot: they are found, driven, read and relaxed together.

    Args:
        robot: the robot.
        config: its wiring.
        period: the control period [s].
        health: takes temperatures and voltages.
        clock: [ns].

    Attributes:
        lines: its buses.
        readings: what was read last.
    """

    def __init__(
        self,
        robot: RobotModel,
        config: HardwareConfig,
        period: float,
        health: Health,
        clock: Callable[[], int],
    ) -> None:
        self._robot, self._health, self._clock = robot, health, clock
        self._wanted = np.zeros(len(robot.joints))
        self._motors = config.motors
        self._fastest = np.array([joint.velocity for joint in robot.joints])
        groups = groups_of(robot)
        # The lines have their turns one after the other.
        share = SHARE / len({motor.bus for motor in self._motors})
        self._stations = [
            Station(motor.id, groups[place], place, motor.label)
            for place, motor in enumerate(self._motors)
        ]
        self.readings = Readings(robot, self._motors, self._stations, health, clock)
        self.lines = [
            Line(name, spec, members, config.form, period, share, self.readings.take, clock)
            for name, spec in config.buses.items()
            if (members := self._members(name))
        ]

    def _members(self, bus: str) -> list[tuple[Motor, Station]]:
        each = zip(self._motors, self._stations, strict=True)
        return [(motor, station) for motor, station in each if motor.bus == bus]

    @property
    def driven(self) -> bool:
        """Whether joints move by commands alone."""
        return self.readings.driven

    @driven.setter
    def driven(self, driven: bool) -> None:
        self.readings.driven = driven

    @property
    def is_open(self) -> bool:
        """Whether any port is there."""
        return any(line.bus.is_open for line in self.lines)

    def muster(self, anew: bool = False) -> None:
        """Find every servo on every port.

        Ports that can be opened stay open and are read, even if servos are missing.

        Args:
            anew: also search lines whose servos were all found since their port was opened.

        Raises:
            ProblemsError: every port and servo that is not as expected.
        """
        problems = [
            problem
            for line in self.lines
            if anew or not (line.bus.is_open and line.checked)
            for problem in line.muster(self._robot)
        ]
        if problems:
            raise ProblemsError(f'servos of {self._robot.name!r}', problems)

    @contextlib.contextmanager
    def at_leisure(self) -> Iterator[None]:
        """A context in which no guardian and no watchdog expects a message every period.

        After it servos that hold are watched again; if they are driven by then, `enlist` did that.
        """
        for line in self.lines:  # all guardians, before any bus is used or waited for
            line.watch.dismiss()
        for line in self.lines:
            line.note_lapse(busy=False)
            line.watch.end(busy=False)
        for line in self.lines:
            with contextlib.suppress(PortError):
                if line.torque.stiff and line.bus.is_open:
                    line.watch.pause()
        try:
            yield
        finally:
            for line in self.lines if not self.driven else ():
                if line.torque.stiff and line.bus.is_open:
                    line.watch_soon()

    def interrupt(self, interrupted: bool) -> None:
        """Let calls of another thread that use a bus end soon with an error, or no longer."""
        for line in self.lines:
            line.bus.interrupted = interrupted

    def close(self) -> None:
        """Close all ports."""
        self.readings.known[:] = False
        for line in self.lines:  # all guardians, before any bus is used
            line.watch.dismiss()
        for line in self.lines:
            line.close()

    def read_everything(self) -> None:
        """Read every servo once, whatever was known of it; those not heard are asked again.

        Raises:
            PortError: a port has gone.
        """
        self.readings.jumped = ''
        for line in self.lines:
            line.reader.read_everything()
        self._note_known()

    def enlist(self) -> None:
        """Let every servo hold where it is, in a time `at_leisure`.

        Raises:
            ProblemsError: every servo that does not hold. All are switched off again, unless some
                held before, which a robot may stand on, or whoever interrupts this decides.
        """
        held = any(line.torque.stiff and not line.torque.owing for line in self.lines)
        problems: list[str] = []
        try:
            for line in self.lines:
                problems += line.enlist(self._robot)
            if not problems:
                self.read_everything()
                silent = [station for station in self._stations if not station.heard]
                problems += [f'{station.label}: {station.failure}' for station in silent]
            if not problems:
                problems += [text for line in self.lines for text in line.watch.arm_all()]
                for line in self.lines:  # last, since guardians wait for beats at once
                    line.watch.begin_beats()
        except SoftshellError as error:  # a port has gone, or there is no guardian
            problems.append(str(error))
        if problems:
            try:
                if not held and not any(line.bus.interrupted for line in self.lines):
                    self.relax()
            except SoftshellError as error:
                problems.append(f'all were to be switched off again: {error}')
            raise ProblemsError('servos that do not hold', problems)
        self._wanted[:] = self.readings.position
        self.driven = True

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
        for line in self.lines:
            line.send(command, self.readings.position, part * self._fastest)

    def read(self, deadline: int | None) -> None:
        """Read the servos whose turn it is, on every port that is open.

        While nothing is driven, each line does what was not possible before (`Line.tend`).

        Args:
            deadline: after which no further reading is begun [ns]; None: none.

        Raises:
            PortError: a port has gone in this turn.
        """
        self.readings.fresh[:] = False
        gone: PortError | None = None
        began = self._clock()
        for count, line in enumerate(self.lines, 1):
            try:
                if line.bus.is_open:
                    line.listen(deadline and began + (deadline - began) * count // len(self.lines))
            except PortError as error:
                gone = gone or error
            if not self.driven:
                with contextlib.suppress(PortError):  # the port is still gone
                    line.tend()
        self._note_known()
        if gone is not None:
            raise gone

    def check(self, seconds: float) -> None:
        """Raise a fault for whatever is wrong, after `read`.

        Args:
            seconds: since the last call.

        Raises:
            FaultError: a servo is gone, restarted, in trouble, too hot or does not follow.
        """
        for line in self.lines:
            line.check()
        if self.readings.jumped:
            raise FaultError(ReasonCode.SERVO, self.readings.jumped)
        self._health.check()
        self._health.track(self._wanted, self.readings.position, self.readings.fresh, seconds)

    def hold(self, most: float) -> None:
        """Let every servo keep its goal; one that is further from it than `most` [rad] stays.

        Raises:
            SoftshellError: servos that do not confirm that they stay, by name.
        """
        self.driven, read = False, self.readings
        left = [
            label
            for line in self.lines
            for label in line.hold(read.position, self._wanted, read.known, most)
        ]
        if left:
            raise SoftshellError(
                f'to stay is not confirmed by {", ".join(left)}; expected each to take the place '
                'where it is as its goal'
            )

    def relax(self) -> None:
        """Switch all torque off; servos that do not confirm it are asked by `read` again.

        Raises:
            SoftshellError: servos that did not confirm it, by name.
        """
        self.driven = False
        for line in self.lines:  # all at once, before any answer is waited for
            line.torque.give_way()
        left = [label for line in self.lines for label in line.confirm()]
        if left:
            raise SoftshellError(f'torque off is not confirmed by {", ".join(left)}')

    def reboot(self, name: str) -> str:
        """Restart the servo of a joint or channel.

        Raises:
            UnknownNameError: there is no such joint or channel.
            SoftshellError: it cannot, or does not answer.
        """
        names = [motor.name for motor in self._motors]
        if name not in names:
            raise UnknownNameError('joint or channel', name, names)
        motor = self._motors[names.index(name)]
        line = next(line for line in self.lines if line.name == motor.bus)
        return restarted(line.bus, motor)

    @property
    def cycle(self) -> float:
        """Time until every servo has been read once [s]."""
        return max((line.cycle for line in self.lines), default=0.0)

    def why(self, joint: str) -> str:
        """Why a joint is not measured, for people."""
        station = self._stations[self._robot.index(joint)]
        return f'{station.label}: {station.failure or "not read yet"}'

    def warnings(self) -> list[Reason]:
        """Ports that have gone, servos without a watchdog, and servos that do not answer."""
        told = [reason for line in self.lines for reason in line.warnings()]
        waiting = [motor.label for line in self.lines for motor in line.watch.waiting]
        if waiting:
            text = f'not told yet to stop if this program dies: {_listed(waiting)}'
            told.append(Reason(ReasonCode.BUS, text))
        lost = [station.label for station in self._stations if station.lost]
        if lost:
            told.append(Reason(ReasonCode.STALE, f'no answer of {_listed(lost)}'))
        return told

    def diagnostics(self) -> Mapping[str, str]:
        """Figures of each bus, the joint that was read longest ago, and silent servos."""
        values: dict[str, str] = {}
        for line in self.lines:
            values |= line.diagnostics()
        ages = self.readings.age
        if len(ages):
            oldest = int(np.argmax(ages))
            name = self._robot.joint_names[oldest]
            values['oldest joint'] = f'{name}, {1e3 * ages[oldest]:.0f} ms'
        for station in self._stations:
            if station.lost and station.place < len(self.readings.position):
                age = 1e3 * ages[station.place]
                values[f'stale {station.label}'] = (
                    f'{self.readings.position[station.place]:.4f} rad, {age:.0f} ms old'
                )
        return values

    def _note_known(self) -> None:
        for line in self.lines:
            for station in line.reader.stations:
                self.readings.known[station.place] = line.bus.is_open and station.heard


def _listed(labels: Sequence[str]) -> str:
    more = '' if len(labels) <= MOST_NAMED else f' and {len(labels) - MOST_NAMED} more'
    return ', '.join(labels[:MOST_NAMED]) + more
