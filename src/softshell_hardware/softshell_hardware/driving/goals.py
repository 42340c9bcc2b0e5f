"""What the servos of a bus are told in every control period: goals, speeds, currents."""

from collections.abc import Sequence

from softshell_control.gate import Command
from softshell_hardware.bus.bus import ServoBus
from softshell_hardware.bus.patience import asked, said
from softshell_hardware.driving.reader import Station
from softshell_hardware.wiring.units import Motor, Tendon, Wiring
from softshell_kinematics.arrays import Array

#: How much faster than its goals a servo may be, so that it arrives before the next one comes.
HASTE = 1.1
#: Least speed limit [rad/s]: a goal that changes by less than a tick a period is reached too.
SLOWEST = 0.3
#: Register of the speed that no goal may exceed: a servo may refuse the goal with it.
LIMIT = 'velocity_limit'


class Goals:
    """Goals of the servos of one bus.

    Args:
        bus: which they are on.
        members: the servos and their stations.
        period: the control period [s].
        catch_up: time in which a servo that is behind is to catch up with its goal [s].

    Attributes:
        limits: of the speed that a servo can be given, by its id; without those that have none.
    """

    def __init__(
        self,
        bus: ServoBus,
        members: Sequence[tuple[Motor, Station]],
        period: float,
        catch_up: float,
    ) -> None:
        self._bus, self._period, self._catch_up = bus, period, catch_up
        self.joints = [(m, s) for m, s in members if isinstance(m, Wiring)]
        self._tendons = [(m, s) for m, s in members if isinstance(m, Tendon)]
        self._last: dict[int, int] = {}
        self.limits: dict[int, int] = {}

    def begin(self) -> None:
        """Forget the last goals, as no speed follows from them; ask servos for their limits.

        Raises:
            PortError: the port has gone.
        """
        self._last, self.limits = {}, {}
        if LIMIT in self._bus.family.registers:
            for motor, _ in self.joints:
                found = asked(self._bus, motor.id, [LIMIT]).values
                self.limits[motor.id] = found.get(LIMIT, motor.specification.velocity_limit)

    def send(self, command: Command, position: Array, fastest: Array) -> bool:
        """Send goals to all; whether they could be sent.

        Args:
            command: of the whole robot, to be reached in a control period.
            position: (joints,) as last read [rad].
            fastest: (joints,) speed with which each may catch up [rad/s].

        Raises:
            PortError: the port has gone.
        """
        family, rows = self._bus.family, {}
        backwards = family.goal[0] != 'goal_position'
        for motor, station in self.joints:
            goal = motor.ticks(float(command.value[station.place]))
            way = abs(goal - self._last.get(motor.id, goal)) * family.tick
            left = abs(float(command.value[station.place]) - float(position[station.place]))
            catch_up = min(left / self._catch_up, float(fastest[station.place]))
            rate = max(HASTE * way / self._period, catch_up)
            pace = motor.pace(rate, SLOWEST, self.limits.get(motor.id))
            rows[motor.id] = (pace, goal) if backwards else (goal, pace)
            self._last[motor.id] = goal
        sent = self._bus.write_all(family.goal, rows)
        if self._tendons:
            currents = {
                motor.id: (motor.current(float(command.value[station.place])),)
                for motor, station in self._tendons
            }
            sent = self._bus.write_all(['goal_current'], currents) and sent
        return sent

    def stay(self, places: Sequence[tuple[Wiring, float]]) -> list[str]:
        """Let servos stay where their joints are [rad]; the labels of those that do not say so.

        Raises:
            PortError: the port has gone.
        """
        left = []
        for motor, at in places:
            self._last[motor.id] = goal = motor.ticks(at)
            if said(self._bus, motor.id, 'goal_position', goal).failure is not None:
                left.append(motor.label)
        return left
