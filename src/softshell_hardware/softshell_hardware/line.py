"""One bus of a robot: its port, the servos that belong on it, and what is said to them."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from softshell_common.reason import Reason, ReasonCode
from softshell_control.fault import FaultError
from softshell_control.gate import Command
from softshell_description.model import RobotModel
from softshell_hardware.bus import Answer, PortError, ServoBus
from softshell_hardware.enlist import enlist
from softshell_hardware.families import FAMILIES
from softshell_hardware.goals import Goals
from softshell_hardware.patience import TRIES
from softshell_hardware.reader import SHARE, Reader, Station, exchange_time, goal_time
from softshell_hardware.roll_call import roll_call
from softshell_hardware.trouble import state_trouble, status_trouble
from softshell_hardware.watch import Watch
from softshell_hardware.wiring import Motor
from softshell_hardware.wiring_form import BusSpec, HardwareForm
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError

#: Servos whose state is read in each control period.
STATES = 2
#: Control periods by which a line is judged, at least.
FEWEST = 8
#: What is older than so many read cycles tells nothing of where a joint is.
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
        take: takes each reading.
        clock: [ns].

    Attributes:
        name: as given.
        bus: closed until `muster`; a port that has gone is closed as well.
        reader: reads them in turn.
        watch: what stops them when this program dies.
        cycle: time until every servo has been read once [s].
        stiff: whether a servo may have its torque.
        owing: those that were to give way and have not confirmed it.
        checked: whether all were as expected since the port was opened.
    """

    def __init__(
        self,
        name: str,
        spec: BusSpec,
        members: Sequence[tuple[Motor, Station]],
        form: HardwareForm,
        period: float,
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
        busy = goal_time(self.bus, len(members)) + STATES * exchange_time(self.bus)
        self._turn = self.reader.per_period(SHARE * period - busy)
        self.cycle = self.reader.cycle(period, busy)
        # For which nobody may answer: that of the readings of one servo.
        self._patience = missed * self.cycle
        self.reader.judge_by(max(round(self._patience / period), FEWEST))
        # By what was read a cycle ago, a servo that follows seems to be so far behind.
        self._goals = Goals(self.bus, members, period, self.cycle + period)
        self.watch = Watch(self.bus, self._motors, form, period)
        self.stiff = self.checked = False
        self.owing: list[Motor] = []
        self._trouble: Reason | None = None
        self._next = 0
        self._retry = 0
        self._unguarded = ''

    def open(self) -> None:
        """Open the port, unless it is open; servos that owe it are told to give way at once.

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
        if self.owing:
            self._tell_to_give_way()

    def close(self) -> None:
        """Let go of the port; servos no longer wait for anyone."""
        self.watch.end()
        self.bus.close()

    def muster(self, robot: RobotModel) -> list[str]:
        """Open the port and see who is on it, and how they are set; what is not as expected."""
        problem = ''
        for _ in range(2):  # the first time it may show that it has gone, and come back
            try:
                self.open()
                if self.owing:
                    self.confirm()
                problems = [
                    f'port {self.bus.path}: {text}'
                    for text in roll_call(self.bus, self._motors, robot)
                ]
            except PortError as error:
                problem = str(error)
            else:
                self.checked = not problems
                return problems
        return [problem]

    def enlist(self, robot: RobotModel) -> Iterator[str]:
        """Let every servo hold where it is, leg by leg; who did not obey.

        Raises:
            PortError: the port has gone.
        """
        self.stiff, self.owing = True, []
        self._trouble, self._next = None, 0
        self._goals.forget()
        for group in self.reader.groups:
            ids = {station.id for station in group}
            yield from enlist(self.bus, [each for each in self._motors if each.id in ids], robot)

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
        if self.watch.is_over:
            raise FaultError(
                ReasonCode.STALL,
                f'port {self.bus.path}: its guardian heard nothing for '
                f'{self.watch.patience:.2f} s and let the servos give way',
            )
        if not self._goals.send(command, position, fastest):
            raise FaultError(ReasonCode.BUS, f'port {self.bus.path}: goals could not be sent')

    def listen(self, deadline: int | None) -> None:
        """Read those whose turn it is: how they move, and of a few whether they still obey.

        Args:
            deadline: after which no further reading is begun [ns]; None: none.

        Raises:
            PortError: the port has gone.
        """
        self.watch.beat()
        self.reader.turn(self._turn, deadline)
        for _ in range(STATES):
            if self.reader.silence > 0.5 * self._patience or (
                deadline is not None and self._clock() >= deadline
            ):
                return
            motor, station = self._members[self._next]
            self._next = (self._next + 1) % len(self._members)
            if not station.lost:
                self._examine(motor)

    def tend(self) -> None:
        """Make up, one thing at a time, for what was not possible; nothing may be driven.

        A port that has gone is opened again; servos give way that owe it; those that hold get
        their watch back. Only those that answer are spoken to: nobody else is waited for.

        Raises:
            PortError: the port is not back, or has gone again.
        """
        if self._clock() >= self._retry:
            opening = not self.bus.is_open
            self.open()
            if opening and self.stiff and not self.owing:
                self.watch_over()
            if self.owing:
                self._tell_to_give_way()
        if not self.bus.is_open:
            return
        if motor := self._first_heard(self.owing):
            self.owing.remove(motor)
            if not self._is_off(motor):
                self.owing.append(motor)  # after all others
            self._note_owing()
        elif motor := self._first_heard(self.watch.waiting):
            self.watch.arm(motor)

    def watch_over(self) -> None:
        """Have servos watched that hold: their own watchdogs will be set by `tend`."""
        self.watch.want()
        self._unguarded = ''
        try:
            self.watch.begin_beats()
        except SoftshellError as error:
            self._unguarded = f'port {self.bus.path}: {error}'

    def check(self) -> None:
        """Refuse to go on without a servo.

        Raises:
            FaultError: a servo has shut down, was restarted, or does not answer.
        """
        port = f'port {self.bus.path}'
        if self._trouble is not None:
            raise FaultError(self._trouble.code, self._trouble.text)
        if self.reader.silence > self._patience - self._period:
            text = f'nobody answered for {self.reader.silence:.2f} s'
            raise FaultError(ReasonCode.BUS, f'{port}: {text}')
        if self.reader.is_poor:
            text = f'for {self._patience:.2f} s half of the answers or more were damaged or late'
            raise FaultError(ReasonCode.BUS, f'{port}: {text}')
        gone = [station for _, station in self._members if station.lost]
        if gone:
            which = ', '.join(station.label for station in gone)
            text = f'{gone[0].missed} readings in vain of {which}: {gone[0].failure}'
            raise FaultError(ReasonCode.STALE, f'{port}: {text}')

    def hold(self, position: Array, wanted: Array, known: NDArray[np.bool_]) -> None:
        """Let servos keep their goals; those far from theirs stay where they are.

        Only what was read lately tells where that is: to hold where a joint was is to jump back.
        Servos without torque stay so: to AX a goal would bring it back.
        """
        most = self._form.protection.tracking_error
        now, places = self._clock(), []
        with contextlib.suppress(PortError):
            for motor, station in self._goals.joints if self.stiff else ():
                at = float(position[station.place])
                fresh = station.read is not None and now - station.read <= FRESH * 1e9 * self.cycle
                if not fresh or abs(at - float(wanted[station.place])) <= most:
                    continue
                if known[station.place] and self._has_torque(motor):
                    places.append((motor, at))
            if places and not self.watch.is_over:
                self._goals.stay(places)

    def give_way(self) -> None:
        """Tell all servos to give way, as far as the port is there; `confirm` asks them."""
        self.owing = list(self._motors) if self.bus.is_open or self.stiff else []
        with contextlib.suppress(PortError):
            self._tell_to_give_way()

    def confirm(self) -> list[str]:
        """Have it confirmed that servos gave way; the labels of those that did not."""
        with contextlib.suppress(PortError):
            for count in range(TRIES if self.owing else 0):
                before = len(self.owing)
                self.owing = [motor for motor in self.owing if not self._is_off(motor)]
                if count and len(self.owing) == len(self._motors) == before:
                    break  # nobody is there at all
        self._note_owing()
        return [motor.label for motor in self.owing]

    def reboot(self, motor: Motor) -> str:
        """Restart a servo.

        Raises:
            SoftshellError: it cannot, or does not answer.
        """
        answer = self.bus.reboot(motor.id)
        if answer.failure is not None:
            raise SoftshellError(f'{motor.label}: {answer.failure.value}')
        return f'{motor.label} restarts'

    def warnings(self) -> Iterator[Reason]:
        """What is to be told while nothing is driven."""
        if not self.bus.is_open and self.bus.gone:
            yield Reason(ReasonCode.BUS, self.bus.gone)
        if self._unguarded:
            yield Reason(ReasonCode.BUS, self._unguarded)

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

    def _first_heard(self, motors: Sequence[Motor]) -> Motor | None:
        """The first of some servos that answers since the port was opened."""
        heard = {station.id for _, station in self._members if station.heard}
        return next((motor for motor in motors if motor.id in heard), None)

    def _tell_to_give_way(self) -> None:
        off = {motor.id: (0, 0) for motor in self.owing}
        self.bus.write_all(['torque_enable', 'led'], off)

    def _note_owing(self) -> None:
        self.stiff = bool(self.owing)
        if not self.stiff:
            self.watch.end()

    def _has_torque(self, motor: Motor) -> bool:
        """Whether a servo says that it has its torque."""
        return bool(self.bus.read(motor.id, ['torque_enable']).values.get('torque_enable'))

    def _is_off(self, motor: Motor) -> bool:
        return self.bus.write(motor.id, 'torque_enable', 0).failure is None
