"""Reading servos in turn: as many in each control period as its time allows."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from softshell_common.reason import Reason, ReasonCode
from softshell_description.model import RobotModel
from softshell_hardware.bus.bus import Answer, Failure, ServoBus
from softshell_hardware.bus.families import Family
from softshell_hardware.bus.patience import TRIES
from softshell_hardware.bus.wire import AROUND_SYNC, BITS, most_together

#: A servo that does not answer is asked again once in so many turns of the others.
PATIENCE = 10
#: After so many failed readings, one after the other, no other servo is read in the period.
MOST_IN_VAIN = 2
#: A line is poor if in more than this part of the last periods half of the readings failed.
POOR = 0.75
#: Part of a control period that the bus may be busy.
SHARE = 0.8


@dataclass
class Station:
    """A servo on its bus, and how its readings went.

    Attributes:
        id: on its bus.
        group: those with the same number are read together where the family knows how.
        place: of its motor.
        label: the servo and its joint, for people.
        read: when it last answered [ns]; None: never.
        before: when it answered before that; None: never.
        missed: readings in vain since.
        failure: what came instead of an answer.
        lost: whether so many readings failed that it counts as gone.
    """

    id: int
    group: int
    place: int
    label: str
    read: int | None = None
    before: int | None = None
    missed: int = 0
    failure: str = ''
    lost: bool = False

    @property
    def heard(self) -> bool:
        """Whether it has answered, and still does."""
        return self.read is not None and not self.lost


@dataclass
class Reader:
    """Reads the servos of one bus in turn.

    Args:
        bus: the bus.
        stations: its servos.
        most_missed: readings in vain after which a servo counts as gone.
        take: takes each answer.
        clock: [ns].

    Attributes:
        asked: readings so far.
        failed: how many of them were in vain.
        heard: when any servo answered last [ns]; None: never.
        groups: those that are read together, in turn.
    """

    bus: ServoBus
    stations: Sequence[Station]
    most_missed: int
    take: Callable[[Station, Answer], None]
    clock: Callable[[], int]
    asked: int = 0
    failed: int = 0
    heard: int | None = None
    _poor: deque[bool] = field(default_factory=lambda: deque(maxlen=1))
    _next: int = 0
    _turns: int = 0
    _again: list[Station] = field(default_factory=list)
    groups: list[list[Station]] = field(init=False)

    def __post_init__(self) -> None:
        groups: dict[int, list[Station]] = {}
        for place, station in enumerate(self.stations):
            # What cannot be read together is a group of its own.
            key = station.group if self.bus.family.syncs else place
            groups.setdefault(key, []).append(station)
        self.groups = list(groups.values())

    @property
    def cost(self) -> float:
        """Time for a reading of the largest group [s]."""
        return exchange_time(self.bus, max(len(group) for group in self.groups))

    def per_period(self, seconds: float) -> int:
        """Groups that can be read in a time [s]; at least one."""
        return min(max(int(seconds / self.cost), 1), len(self.groups))

    def cycle(self, period: float, seconds: float) -> float:
        """Time until every servo has been read once [s].

        Args:
            period: the control period [s].
            seconds: of it in which servos are read [s].
        """
        return -(-len(self.groups) // self.per_period(seconds)) * period

    def turn(self, groups: int, deadline: int | None = None) -> None:
        """Read the next groups.

        Args:
            groups: how many.
            deadline: after which no further one is begun [ns]; None: none.

        Raises:
            PortError: the port has gone.
        """
        asked, before, in_vain = self.asked, self.failed, 0
        for count in range(groups):
            if count and deadline is not None and self.clock() >= deadline:
                break
            failed = self.failed
            self._read(self._take_next())
            in_vain = in_vain + 1 if self.failed > failed else 0
            if in_vain >= MOST_IN_VAIN:
                break  # each silent servo costs a whole time-out
        failed = self.failed - before
        # One servo alone says nothing about the others.
        self._poor.append(failed > 1 and 2 * failed >= self.asked - asked)

    def read_everything(self) -> None:
        """Read every servo once, whatever was known of it; those not heard are asked again.

        Raises:
            PortError: the port has gone.
        """
        self.begin()
        for group in self.groups:
            self._read(group)
        for _ in range(TRIES):
            silent = [station for station in self.stations if not station.heard]
            if len(silent) in (0, len(self.stations)):
                break
            for station in silent:
                self._read([station])

    @property
    def silence(self) -> float:
        """For how long no servo has answered [s]; infinite: none ever has."""
        return float('inf') if self.heard is None else (self.clock() - self.heard) * 1e-9

    @property
    def is_poor(self) -> bool:
        """Whether in most of the last periods half of the readings or more failed."""
        return sum(self._poor) > POOR * (self._poor.maxlen or 0)

    def complaint(self, patience: float, period: float) -> Reason | None:
        """Why the robot must not be driven on with these servos; None: they answer.

        Args:
            patience: how long all servos may be silent [s].
            period: the control period [s].
        """
        # Even if nothing fails, the last answer is up to a period old.
        if self.silence > max(patience - period, period):
            return Reason(ReasonCode.BUS, f'nobody answered for {self.silence:.2f} s')
        if self.is_poor:
            text = f'for {patience:.2f} s half of the answers or more were damaged or late'
            return Reason(ReasonCode.BUS, text)
        gone = [station for station in self.stations if station.lost]
        if not gone:
            return None
        which = ', '.join(station.label for station in gone)
        text = f'{gone[0].missed} readings in vain of {which}: {gone[0].failure}'
        return Reason(ReasonCode.STALE, text)

    def judge_by(self, periods: int) -> None:
        """Judge the line (`is_poor`) by the last so many control periods."""
        self._poor = deque(maxlen=periods)

    def begin(self) -> None:
        """Begin anew: no servo has been heard, none counts as gone."""
        self._poor.clear()
        for station in self.stations:
            station.read = station.before = None
            station.missed, station.lost, station.failure = 0, False, ''

    def _take_next(self) -> list[Station]:
        """The next group, without those that are gone, which are tried now and then one by one."""
        for _ in range(len(self.groups)):
            if self._again:
                return [self._again.pop()]
            if self._next == 0:
                self._turns += 1
                if self._turns % PATIENCE == 0:
                    self._again = [station for station in self.stations if station.lost]
            group = [station for station in self.groups[self._next] if not station.lost]
            self._next = (self._next + 1) % len(self.groups)
            if group:
                return group
        return []

    def _read(self, group: Sequence[Station]) -> None:
        if not group:
            return
        answers = self._ask(group)
        now = self.clock()
        waits = False
        for station in group:
            answer = answers[station.id]
            if answer.failure is None:
                station.before, station.read = station.read, now
                self.heard = now
                station.missed, station.lost = 0, False
                station.failure = ''
                self.asked += 1
                self.take(station, answer)
                continue
            station.failure = answer.failure.value
            if waits:
                continue  # it may be silent only because it waited for the one before
            waits = True
            self.asked += 1
            self.failed += 1
            station.missed += 1
            station.lost = station.missed >= self.most_missed

    def _ask(self, group: Sequence[Station]) -> dict[int, Answer]:
        """The answers of a group; what failed is asked again, up to the first silent servo."""
        motion = self.bus.family.motion
        answers = self.bus.read_all([station.id for station in group], motion)
        for servo, answer in answers.items():
            if answer.failure is not None:
                answers[servo] = self.bus.read(servo, motion)
            if answer.failure is Failure.SILENT:
                break  # those after it were waiting for its answer
        return answers


def exchange_time(bus: ServoBus, servos: int = 1, registers: Sequence[str] = ()) -> float:
    """How long it takes to read the motion of so many servos together [s], by its bytes.

    Args:
        bus: which they are on.
        servos: how many.
        registers: which are read instead of those of the motion.
    """
    family = bus.family
    span = span_of(family, registers or family.motion)
    sent = 14 + servos if family.syncs else 8
    heard = servos * (span + (11 if family.protocol == 2 else 6))
    return (sent + heard) * BITS / bus.baud + bus.latency


def goal_time(bus: ServoBus, joints: int, tendons: int = 0) -> float:
    """How long it takes to write goals [s], by the bytes of all packets.

    Args:
        bus: the bus.
        joints: number of servos that get a position and a speed.
        tendons: number of servos that get a current.
    """
    protocol, registers, sent = bus.family.protocol, bus.family.registers, 0
    for servos, names in ((joints, bus.family.goal), (tendons, ('goal_current',))):
        if servos:
            size = sum(registers[name].size for name in names)
            packets = -(-servos // most_together(protocol, size))
            sent += packets * AROUND_SYNC[protocol] + servos * (1 + size)
    return sent * BITS / bus.baud


def span_of(family: Family, registers: Sequence[str]) -> int:
    """Bytes from the first to the last of some registers."""
    entries = [family.registers[name] for name in registers]
    return max(entry.end for entry in entries) - min(entry.address for entry in entries)


def groups_of(robot: RobotModel) -> list[int]:
    """For each joint and channel a number: servos with the same one are read together.

    Joints of one chain have the same number; every other servo has a number of its own.
    """
    names = [*robot.joint_names, *robot.channels]
    groups = list(range(len(names)))
    for number, chain in enumerate(robot.chains):
        for joint in robot.own_joints(chain):
            groups[names.index(joint)] = len(names) + number
    return groups
