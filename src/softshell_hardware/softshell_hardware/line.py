"""One bus of a robot: its port, the servos that belong on it, and what is said to them."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softshell_common.reason import Reason, ReasonCode
from softshell_control.fault import FaultError
from softshell_control.gate import Command
from softshell_description.model import RobotModel
from softshell_hardware.bus import Answer, PortError, ServoBus
from softshell_hardware.enlist import enlist
from softshell_hardware.families import FAMILIES, Family
from softshell_hardware.heartbeat import Heartbeat
from softshell_hardware.patience import asked, said
from softshell_hardware.reader import MOST_GOALS, SHARE, Reader, Station, exchange_time, goal_time
from softshell_hardware.roll_call import roll_call
from softshell_hardware.trouble import state_trouble, status_trouble
from softshell_hardware.wiring import Motor, Tendon, Wiring
from softshell_hardware.wiring_form import BusSpec, HardwareForm
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError

#: How often something that must arrive is said before it counts as not heard.
TRIES = 5
#: Servos whose state is read in each control period.
STATES = 2
#: Part by which a servo may be faster than its goals, so that it is there when the next one comes.
HASTE = 1.1
#: Control periods by which a line is judged, at least.
FEWEST = 8
#: What is older than so many read cycles tells nothing of where a joint is.
FRESH = 2.0
#: Speed at which a servo corrects what is less than a tick in a period [rad/s].
SLOWEST = 0.3

Member = tuple[Motor, Station]
#: Takes the answer of a servo.
Take = Callable[[Station, ServoBus, Answer], None]


class Line:
    """A bus with its servos.

    Args:
        name: of the bus.
        spec: its port.
        members: the servos that belong on it.
        form: the wiring of the robot.
        period: the control period [s].
        take: takes each reading.
        clock: [ns].

    Attributes:
        name: as given.
        reader: reads them in turn.
        cycle: time until every servo has been read once [s].

    Raises:
        PortError: the port cannot be opened.
    """

    def __init__(
        self,
        name: str,
        spec: BusSpec,
        members: Sequence[Member],
        form: HardwareForm,
        period: float,
        take: Take,
        clock: Callable[[], int],
    ) -> None:
        self.name = name
        self._form, self._members, self._take = form, members, take
        self._period = period
        self._joints = [(m, s) for m, s in members if isinstance(m, Wiring)]
        self._tendons = [(m, s) for m, s in members if isinstance(m, Tendon)]
        family = FAMILIES[spec.family]
        self.bus = ServoBus(spec.port, family, spec.baud, spec.latency, spec.slack)
        self.reader = Reader(
            self.bus,
            [station for _, station in members],
            form.protection.missed_reads,
            self._heard,
            clock,
        )
        busy = goal_time(self.bus, len(members)) + STATES * exchange_time(self.bus)
        self._turn = self.reader.per_period(SHARE * period - busy)
        self.cycle = self.reader.cycle(period, busy)
        # In which a servo is to make up for goals that it did not hear; by what was read a cycle
        # ago, one that follows seems to be so far behind.
        self._catch_up = self.cycle + period
        # For which nobody may answer: that of the readings of one servo.
        self._patience = form.protection.missed_reads * self.cycle
        self.reader.judge_by(max(round(self._patience / period), FEWEST))
        self._goals: dict[int, int] = {}
        self._trouble: Reason | None = None
        self._next = 0
        self._heartbeat: Heartbeat | None = None

    def close(self) -> None:
        """Let go of the port; servos no longer wait for anyone."""
        if self.bus.family.watches:
            with contextlib.suppress(SoftshellError):
                ids = [motor.id for motor, _ in self._members]
                self.bus.write_all(['bus_watchdog'], dict.fromkeys(ids, (0,)))
        self._end_heartbeat()
        self.bus.close()

    def roll_call(self, robot: RobotModel) -> Iterator[str]:
        """What is not as expected of the servos and their settings."""
        motors = [motor for motor, _ in self._members]
        for problem in roll_call(self.bus, motors, robot):
            yield f'port {self.bus.path}: {problem}'

    def enlist(self, robot: RobotModel) -> Iterator[str]:
        """Let every servo hold where it is, leg by leg; who did not obey."""
        self._trouble, self._next, self._goals = None, 0, {}
        for group in self.reader.groups:
            ids = {station.id for station in group}
            yield from enlist(
                self.bus, [motor for motor, _ in self._members if motor.id in ids], robot
            )

    def arm(self, still: bool) -> Iterator[str]:
        """Let servos stop by themselves when nobody speaks to them; who did not take notice.

        Args:
            still: whether those that have stopped so stay where they are.
        """
        units = max(round(self._form.watchdog / 0.02), 1)
        for motor, _ in self._members if self.bus.family.watches else ():
            for value in (0, units):
                answer = said(self.bus, motor.id, 'bus_watchdog', value)
                if still and value == 0 and isinstance(motor, Wiring):
                    present = asked(self.bus, motor.id, ['present_position']).values
                    if present:
                        said(self.bus, motor.id, 'goal_position', present['present_position'])
                if answer.failure is not None:
                    yield f'{motor.label}: {answer.failure.value} when bus_watchdog was written'
                    break

    def begin_beats(self) -> None:
        """Let a guardian stop the servos when this program dies, if that is wanted.

        Raises:
            SoftshellError: there is none.
        """
        self._end_heartbeat()
        if self._form.on_host_death == 'relax':
            patience = self._form.beats * self._period
            self._heartbeat = Heartbeat(self.bus.descriptor, self.bus.family, patience)

    @property
    def _is_taken(self) -> bool:
        """Whether the guardian has switched the servos off; if not, it gets a beat."""
        return self._heartbeat is not None and not self._heartbeat.beat()

    def beat(self) -> None:
        """Let the guardian know that this program lives."""
        if self._heartbeat is not None:
            self._heartbeat.beat()

    def _end_heartbeat(self) -> None:
        if self._heartbeat is not None:
            self._heartbeat.end()
            self._heartbeat = None

    def send(self, command: Command, position: Array, fastest: Array) -> None:
        """Send goals.

        Args:
            command: of the whole robot, to be reached in a control period.
            position: (joints,) as last read [rad].
            fastest: (joints,) speed with which each may catch up [rad/s].

        Raises:
            FaultError: they could not be sent, or the guardian has switched the servos off.
            PortError: the port has gone.
        """
        if self._is_taken:
            raise FaultError(
                ReasonCode.STALL,
                f'port {self.bus.path}: its guardian heard nothing for '
                f'{self._form.beats * self._period:.2f} s and let the servos give way',
            )
        family, rows = self.bus.family, {}
        backwards = family.goal[0] != 'goal_position'
        for motor, station in self._joints:
            goal = motor.ticks(float(command.value[station.place]))
            way = abs(goal - self._goals.get(motor.id, goal)) * family.tick
            left = abs(float(command.value[station.place]) - float(position[station.place]))
            catch_up = min(left / self._catch_up, float(fastest[station.place]))
            pace = motor.pace(max(HASTE * way / self._period, catch_up), SLOWEST)
            rows[motor.id] = (pace, goal) if backwards else (goal, pace)
            self._goals[motor.id] = goal
        sent = all(self.bus.write_all(family.goal, part) for part in _parts(rows, family))
        if self._tendons:
            currents = {
                motor.id: (motor.current(float(command.value[station.place])),)
                for motor, station in self._tendons
            }
            sent = self.bus.write_all(['goal_current'], currents) and sent
        if not sent:
            raise FaultError(ReasonCode.BUS, f'port {self.bus.path}: goals could not be sent')

    def listen(self, deadline: int | None) -> None:
        """Read those whose turn it is: how they move, and of a few whether they still obey.

        Args:
            deadline: after which no further reading is begun [ns]; None: none.

        Raises:
            PortError: the port has gone.
        """
        self.beat()
        self.reader.turn(self._turn, deadline)
        for _ in range(STATES):
            if self.reader.silence > 0.5 * self._patience or (
                deadline is not None and self.reader.clock() >= deadline
            ):
                return
            motor, station = self._members[self._next]
            self._next = (self._next + 1) % len(self._members)
            if not station.lost:
                self._examine(motor)

    def check(self) -> None:
        """Refuse to go on without a servo.

        Raises:
            FaultError: a servo has shut down, was restarted, or does not answer.
        """
        if self._trouble is not None:
            raise FaultError(self._trouble.code, self._trouble.text)
        if self.reader.silence > self._patience - self._period:
            raise FaultError(
                ReasonCode.BUS,
                f'port {self.bus.path}: nobody answered for {self.reader.silence:.2f} s',
            )
        if self.reader.is_poor:
            raise FaultError(
                ReasonCode.BUS,
                f'port {self.bus.path}: for {self._patience:.2f} s half of the answers or more '
                'were damaged or late',
            )
        gone = [station for _, station in self._members if station.lost]
        if gone:
            which = ', '.join(station.label for station in gone)
            raise FaultError(
                ReasonCode.STALE,
                f'port {self.bus.path}: {gone[0].missed} readings in vain of {which}: '
                f'{gone[0].failure}',
            )

    def hold(self, position: Array, wanted: Array, known: NDArray[np.bool_]) -> None:
        """Let servos keep their goals; those far from theirs stay where they are.

        Only what was read lately tells where that is: to hold where a joint was is to jump back.
        """
        most = self._form.protection.tracking_error
        rows, now = {}, self.reader.clock()
        for motor, station in self._joints:
            at = float(position[station.place])
            fresh = station.read is not None and now - station.read <= FRESH * 1e9 * self.cycle
            if not fresh or abs(at - float(wanted[station.place])) <= most:
                continue
            if known[station.place] and self._has_torque(motor.id):
                self._goals[motor.id] = motor.ticks(at)
                rows[motor.id] = (self._goals[motor.id],)
        if rows and not self._is_taken:
            with contextlib.suppress(PortError):
                self.bus.write_all(['goal_position'], rows)

    def relax(self) -> list[str]:
        """Let servos give way; the labels of those that did not confirm it."""
        left = [motor for motor, _ in self._members]
        try:
            off = {motor.id: (0, 0) for motor in left}
            self.bus.write_all(['torque_enable', 'led'], off)
            for _ in range(TRIES):
                left = [motor for motor in left if not self._is_off(motor.id)]
        except PortError:
            pass
        if not left:
            self._end_heartbeat()
        return [motor.label for motor in left]

    def reboot(self, motor: Motor) -> str:
        """Restart a servo.

        Raises:
            SoftshellError: it cannot, or does not answer.
        """
        answer = self.bus.reboot(motor.id)
        if answer.failure is not None:
            raise SoftshellError(f'{motor.label}: {answer.failure.value}')
        return f'{motor.label} restarts'

    def diagnostics(self) -> Mapping[str, str]:
        """How long a turn of all servos takes, and how many readings were in vain."""
        reader = self.reader
        return {
            f'{self.name}: port': self.bus.path,
            f'{self.name}: read cycle': f'{1e3 * self.cycle:.0f} ms',
            f'{self.name}: readings': str(reader.asked),
            f'{self.name}: in vain': str(reader.failed),
        }

    def _heard(self, station: Station, answer: Answer) -> None:
        trouble = status_trouble(self.bus.family, station.label, answer.error)
        if trouble is not None:
            self._trouble = self._trouble or trouble
        elif answer.error and self.bus.family.protocol == 2:
            self._examine(next(motor for motor, each in self._members if each is station))
        self._take(station, self.bus, answer)

    def _examine(self, motor: Motor) -> None:
        """Ask a servo whether it still obeys."""
        answer = self.bus.read(motor.id, self.bus.family.state)
        if answer.failure is None:
            self._trouble = self._trouble or state_trouble(motor.label, answer.values)

    def _has_torque(self, servo: int) -> bool:
        """Whether a servo says that it has its torque: to AX a goal would bring it back."""
        with contextlib.suppress(PortError):
            return bool(self.bus.read(servo, ['torque_enable']).values.get('torque_enable'))
        return False

    def _is_off(self, servo: int) -> bool:
        answer = self.bus.write(servo, 'torque_enable', 0)
        return answer.failure is None


def _parts(rows: Mapping[int, tuple[int, ...]], family: Family) -> Iterator[dict[int, Any]]:
    """Goals in packets that are not too long: a damaged one is lost as a whole."""
    items = list(rows.items())
    most = len(items) if family.protocol == 1 else MOST_GOALS
    for begin in range(0, len(items), max(most, 1)):
        yield dict(items[begin : begin + most])
