"""Between joints and servos: positions, speeds and efforts in the units of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from softshell_hardware.bus.families import Family
from softshell_hardware.bus.models import Model

#: Part of a tick by which a position may be off the end of a range and still be at it.
ROUNDING = 0.5


@dataclass(frozen=True)
class Motor:
    """A servo, and what it moves.

    Args:
        name: of the joint or channel.
        bus: name of the bus that it is on.
        family: of the servo.
        id: on its bus.
        model: as the maker calls it; empty: any of the family.
        direction: 1 or -1.
    """

    name: str
    bus: str
    family: Family
    id: int
    model: str
    direction: int

    @property
    def label(self) -> str:
        """The servo and what it moves, for people."""
        return f'servo {self.id} ({self.name})'

    @cached_property
    def specification(self) -> Model:
        """Its model; the first of its family if none is named."""
        return self.family.named(self.model) or next(iter(self.family.models.values()))


@dataclass(frozen=True)
class Wiring(Motor):
    """The servo of a joint: joint = direction · servo + offset.

    Args:
        name, bus, family, id, model, direction: as of every motor.
        offset: the joint's position when the servo is in the middle of its range [rad]; None:
            not calibrated.
    """

    offset: float | None

    @property
    def calibrated(self) -> bool:
        """Whether it is known where the joint is when the servo is in the middle."""
        return self.offset is not None

    @cached_property
    def range(self) -> tuple[float, float]:
        """Positions of the joint that the servo can go to [rad]."""
        entry = self.family.goal_range
        ends = sorted(self.position(tick) for tick in entry)
        return ends[0], ends[1]

    def reaches(self, lower: float, upper: float) -> bool:
        """Whether the servo can go to all positions of a joint between these [rad]."""
        low, high = self.range
        return low - 1e-9 <= lower and upper <= high + 1e-9

    def ticks(self, position: float) -> int:
        """Goal of the servo for a position of the joint [rad], within what the servo takes."""
        family = self.family
        angle = self.direction * (position - (self.offset or 0.0))
        low, high = family.goal_range
        return min(max(family.centre + round(angle / family.tick), low), high)

    def position(self, ticks: int) -> float:
        """Position of the joint [rad] for one of the servo."""
        family = self.family
        return self.direction * family.tick * (ticks - family.centre) + (self.offset or 0.0)

    def pace(self, rate: float, slowest: float, most: int | None = None) -> int:
        """Speed that a servo is given with a goal, 1 to 1023 or its limit; 0 would mean no limit.

        Args:
            rate: speed of the joint [rad/s], of either sign.
            slowest: least speed [rad/s].
            most: the servo's own limit, in its units; None: it has none.
        """
        unit = self.family.speed_unit
        return max(min(round(max(abs(rate), slowest) / unit), 1023, most or 1023), 1)

    def velocity(self, shown: int) -> float:
        """Velocity of the joint [rad/s] from what the servo shows."""
        return self.direction * self.family.speed(shown)

    def torque(self, values: Mapping[str, int]) -> float:
        """Torque on the joint [N m] from what the servo shows."""
        return self.direction * self.family.torque(self.specification, values)


@dataclass(frozen=True)
class Tendon(Motor):
    """The servo of a channel that is driven by current; one of the sign of `direction` pulls.

    Args:
        name, bus, family, id, model, direction: as of every motor.
        torque_constant: [N m/A].
        spool_radius: [m]; None: the channel is the torque itself.
    """

    torque_constant: float
    spool_radius: float | None

    @property
    def _per_unit(self) -> float:
        """Value of the channel for one unit of current, [N] or [N m]."""
        torque = self.family.current_unit * self.torque_constant
        return torque / (self.spool_radius or 1.0)

    def current(self, value: float) -> int:
        """Goal current [units] for a tension [N] or torque [N m], within what the servo takes."""
        return min(max(self.units(value), -self.most), self.most)

    def units(self, value: float) -> int:
        """Current [units] for a tension [N] or torque [N m], also beyond what the servo takes."""
        return self.direction * round(value / self._per_unit)

    @property
    def most(self) -> int:
        """The largest current that the servo takes [units]."""
        return self.specification.current_limit

    def value(self, current: int) -> float:
        """Tension [N] or torque [N m] of a current [units]."""
        return self.direction * current * self._per_unit
