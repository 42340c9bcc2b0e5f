"""One bus of a robot: its port, the servos that belong on it, and what is said to them."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from softshell_common.reason import Reason, ReasonCode
from softshell_control.fault import FaultError
from softshell_control.gate import Command
from softshell_description.model import RobotModel
from softshell_hardware.bus.bus import Answer, PortError, ServoBus
from softshell_hardware.bus.families import FAMILIES
from softshell_hardware.driving.enlist import enlist
from softshell_hardware.driving.goals import Goals
from softshell_hardware.driving.reader import Reader, Station, exchange_time, goal_time
from softshell_hardware.driving.roll_call import roll_call
from softshell_hardware.guard.torque import Torque
from softshell_hardware.guard.trouble import state_trouble, status_trouble
from softshell_hardware.guard.watch import Watch
from softshell_hardware.wiring.form import BusSpec, HardwareForm
from softshell_hardware.wiring.units import Motor, Tendon
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError

#: Servos whose state is read in each control period.
STATES = 2
#: Least number of control periods over which failed readings are counted.
FEWEST = 8
#: A position that is older than so many read cycles is not used to hold a joint.
FRESH = 2.0
#: A port that has gone is tried again after this time [ns].
RETRY = 500_000_000

#: Takes the answer of a servo.
Take = Callable[[Station, ServoBus, Answer], None]


class Line:
    """A bus with its servos. Its port may go and come back while the other lines live.

    Args:
        name: of the bus.
        spec: its port.
        members: the servos that belong on it, and their stations.
        form: the wiring of the robot.
        period: the control period [s].
        share: part of it in which this line may be busy.
        take: takes each reading.
        clock: [ns].

    Attributes:
        name: as given.
        bus: closed until `muster`; a port that has gone is closed as well.
        reader: reads them in turn.
        watch: what stops them when this program dies.
        cycle: time until every servo has been read once [s].
        torque: whether the servos have their torque.
        checked: whether all were as expected since the port was opened.

    Raises:
        SoftshellError: a control period is too short for its bytes.
    """

    def __init__(
        self,
        name: str,
        spec: BusSpec,
        members: Sequence[tuple[Motor, Station]],
        form: HardwareForm,
        period: float,
        share: float,
        take: Take,
        clock: Callable[[], int],
    ) -> None:
        self.name, self._form, self._members, self._take = name, form, members, take
        self._period, self._clock = period, clock
        self._motors = [motor for motor, _ in members]
        stations = [station for _, station in members]
        family = FAMILIES[spec.family]
        self.bus = ServoBus(spec.port, family, spec.baud, spec.latency, spec.slack)
        missed = form.protection.missed_reads
        self.reader = Reader(self.bus, stations, missed, self._heard, clock)
        tendons = sum(isinstance(motor, Tendon) for motor in self._motors)
        busy = goal_time(self.bus, len(members) - tendons, tendons)
        busy += STATES * exchange_time(self.bus, registers=family.state)
        if share * period - busy < self.reader.cost:
            least = (busy + self.reader.cost) / share
            raise SoftshellError(
                f'bus {name!r}: a control period is {period:g} s; expected at least {least:.3f} s '
                f'for {len(members)} servos at {spec.baud} baud'
            )
        self._turn = self.reader.per_period(share * period - busy)
        self.cycle = self.reader.cycle(period, share * period - busy)
        # How long all servos may be silent: as long as one takes to miss its readings.
        self._patience = missed * self.cycle
        self.reader.judge_by(max(round(self._patience / period), FEWEST))
        # A position is up to a cycle old: by so much time a servo that follows seems to lag.
        self._goals = Goals(self.bus, members, period, self.cycle + period)
        groups = [[station.id for station in group] for group in self.reader.groups]
        self.watch = Watch(self.bus, self._motors, groups, form, period)
        self.torque = Torque(self.bus, self._motors)
        self.checked = False
        self._trouble: Reason | None = None
        self._next = 0
        self._retry = 0
        # What went wrong with the guardian: since the servos were enlisted, and now.
        self._lapsed = self._unguarded = ''

    def open(self) -> None:
        """Open the port, unless it is open, and switch off servos that were to be off before.

        Raises:
            PortError: it cannot be opened, or has gone again.
        """
        if self.bus.is_open:
            return
        try:
            self.bus.open()
        finally:
            self._retry = self._clock() + RETRY
        self.checked = False
        self.reader.begin()
        self.torque.tell()

    def close(self) -> None:
        """Switch the watchdogs of servos that hold off, end the guardian, close the port."""
        with contextlib.suppress(PortError):
            if self.torque.stiff and self.bus.is_open:
                self.watch.pause()
        self.watch.end(busy=False)
        self.bus.close()

    def muster(self, robot: RobotModel) -> list[str]:
        """Open the port and check its servos and their settings; returns the problems."""
        problem = ''
        for _ in range(2):  # the first time it may show that it has gone, and come back
            try:
                self.open()
                if self.torque.owing:
                    self.confirm()
                problems = [
                    f'port {self.bus.path}: {text}'
                    for text in roll_call(self.bus, self._motors, robot)
                ]
                self.torque.look(answering=not problems)
            except PortError as error:
                problem = str(error)
            else:
                self.checked = not problems
                return problems
        return [problem]

    def enlist(self, robot: RobotModel) -> Iterator[str]:
        """Let every servo hold where it is, leg by leg; yields problems of those that do not.

        Raises:
            PortError: the port has gone.
        """
        self.torque.begin()
        self._trouble, self._next, self._lapsed, self._unguarded = None, 0, '', ''
        self._goals.begin()
        for group in self.reader.groups:
            ids = {station.id for station in group}
            members = [each for each in self._motors if each.id in ids]
            yield from enlist(self.bus, members, robot, self._goals.limits)

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
        self._refuse_lapse()
        if not self._goals.send(command, position, fastest):
            raise FaultError(ReasonCode.BUS, f'port {self.bus.path}: goals could not be sent')

    def listen(self, deadline: int | None) -> None:
        """Read the servos whose turn it is: the motion of some, the state of `STATES` others.

        Args:
            deadline: after which no further reading is begun [ns]; None: none.

        Raises:
            PortError: the port has gone.
        """
        self.watch.beat()
        for _ in range(STATES):
            if self.reader.silence > 0.5 * self._patience or (
                deadline is not None and self._clock() >= deadline
            ):
                break
            motor, station = self._members[self._next]
            self._next = (self._next + 1) % len(self._members)
            if not station.lost:
                self._examine(motor)
        self.reader.turn(self._turn, deadline)

    def tend(self) -> None:
        """Do, one thing a call, what was not possible before; only while nothing is driven.

        A port that has gone is opened again, servos that were to be off are switched off, missing
        watchdogs are set. Only servos that answer are asked: time is not spent on others.

        Raises:
            PortError: the port is not back, or has gone again.
        """
        self.note_lapse()
        if self._clock() >= self._retry:
            self._try_again()
        if not self.bus.is_open:
            return
        heard = {station.id for _, station in self._members if station.heard}
        waiting = next((motor for motor in self.watch.waiting if motor.id in heard), None)
        if self.torque.confirm_one(heard):
            self._end_if_limp()
        elif waiting is not None:
            self.watch.arm(waiting)

    def note_lapse(self, busy: bool = True) -> None:
        """Notice a guardian that has ended; if it switched servos off, have them confirm it.

        Args:
            busy: as of `Watch.end`.
        """
        if lapse := self.watch.lapse:
            taken = self.watch.took_over
            self.watch.end(busy)
            self._lapsed = f'port {self.bus.path}: {lapse}'
            if taken:
                self.torque.give_way()

    def _try_again(self) -> None:
        opening = not self.bus.is_open
        self.open()
        self._retry = self._clock() + RETRY
        self.torque.tell()
        held = self.torque.stiff and not self.torque.owing
        if held and (opening or self.watch.wants_guardian):
            self.watch_over()

    def watch_over(self) -> None:
        """Start a guardian for servos that hold; `tend` will set their own watchdogs."""
        try:
            self.watch.begin_beats()
            self._unguarded = ''
        except SoftshellError as error:
            self._unguarded = f'port {self.bus.path}: {error}'
        self.watch.want()

    def watch_soon(self) -> None:
        """Let the next `tend` start the guardian: until then no beats are sent."""
        self.watch.want()
        self._retry = self._clock()

    def check(self) -> None:
        """Refuse to go on without a servo.

        Raises:
            FaultError: a servo has shut down, was restarted, or does not answer.
        """
        self._refuse_lapse()
        if self._trouble is not None:
            raise FaultError(self._trouble.code, self._trouble.text)
        complaint = self.reader.complaint(self._patience, self._period)
        if complaint is not None:
            raise FaultError(complaint.code, f'port {self.bus.path}: {complaint.text}')

    def _refuse_lapse(self) -> None:
        if lapse := self.watch.lapse:
            raise FaultError(ReasonCode.STALL, f'port {self.bus.path}: {lapse}')

    def hold(
        self, position: Array, wanted: Array, known: NDArray[np.bool_], most: float
    ) -> list[str]:
        """Let servos keep goals, those far from theirs stay; the labels of those not confirming.

        Only a position that was read lately is used: with an older one the joint would jump back.
        Servos without torque get no goal: it would switch the torque of AX on.

        Args:
            position: (joints,) as last read [rad].
            wanted: (joints,) as last commanded [rad].
            known: (motors,) whether each has been read, and still answers.
            most: error from which on a servo is to stay where it is [rad].
        """
        now, places = self._clock(), []
        with contextlib.suppress(PortError):
            for motor, station in self._goals.joints if self.torque.stiff else ():
                at = float(position[station.place])
                fresh = station.read is not None and now - station.read <= FRESH * 1e9 * self.cycle
                far = fresh and abs(at - float(wanted[station.place])) > most
                if far and known[station.place] and self.torque.may_have(motor):
                    places.append((motor, at))
            return [] if self.watch.took_over else self._goals.stay(places)
        return []

    def confirm(self) -> list[str]:
        """Have servos confirm that their torque is off; the labels of those that do not."""
        left = self.torque.confirm()
        self._end_if_limp()
        return [motor.label for motor in left]

    def warnings(self) -> Iterator[Reason]:
        """Warnings while nothing is driven: the port has gone, or the guardian."""
        if not self.bus.is_open and self.bus.gone:
            yield Reason(ReasonCode.BUS, self.bus.gone)
        for text in filter(None, (self._lapsed, self._unguarded)):
            yield Reason(ReasonCode.BUS, text)

    def diagnostics(self) -> Mapping[str, str]:
        """The port, how long it takes to read all servos, and how many readings failed."""
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
        """Ask a servo for its state: whether it still follows commands.

        AX has no register that says why it has lost its torque, but each of its answers does.
        """
        answer = self.bus.read(motor.id, self.bus.family.state)
        if answer.failure is None:
            why = status_trouble(self.bus.family, motor.label, answer.error)
            state = state_trouble(motor.label, answer.values)
            self._trouble = self._trouble or why or state

    def _end_if_limp(self) -> None:
        if not self.torque.stiff:
            self.watch.end()
            self._unguarded = ''
