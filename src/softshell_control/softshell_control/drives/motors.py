"""What the motors of a robot can do, and what they lose, as arrays."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from softshell_description.model import RobotModel
from softshell_description.motor_form import MotorSpec
from softshell_kinematics.arrays import Array


class Mode(IntEnum):
    """How a motor is driven."""

    #: It gives way.
    OFF = 0
    #: It gives its feed-forward effort and nothing else.
    EFFORT = 1
    #: It follows position and velocity.
    PID = 2
    #: It turns at the target velocity, from where it is, as far as its effort goes.
    VELOCITY = 3


def _zero() -> Array:
    return np.array(0.0)


def _one() -> Array:
    return np.array(1.0)


def _endless() -> Array:
    return np.array(np.inf)


def _unknown() -> Array:
    return np.array(np.nan)


@dataclass(frozen=True, eq=False)
class Motors:
    """What the motors can do, one for each independent joint; see `MotorSpec`.

    All but the first two may be left out, and are then not modelled; a single number is taken for
    all motors. Units of a motor that slides are in parentheses.

    Args:
        effort: (motors,) largest effort [N m] ([N]).
        velocity: (motors,) speed [rad/s] ([m/s]) at which a motor without a torque–speed line has
            no effort left to drive; it still brakes.
        dry_friction: (motors,) [N m] ([N]).
        viscous_friction: (motors,) [N m s/rad] ([N s/m]).
        rotor_inertia: (motors,) at the joint [kg m^2] ([kg]).
        backlash: (motors,) whole width [rad] ([m]).
        delay: (motors,) of commands [s].
        stall_effort, no_load_velocity: (motors,) torque–speed line; infinite: none.
        heat_loss: (motors,) [W/(N m)^2]; 0: the motor stays as warm as it is.
        heat_resistance, heat_capacity: (motors,) [K/W], [J/K].
        ambient, derate_from, hottest: (motors,) temperatures [°C].
    """

    effort: Array
    velocity: Array
    dry_friction: Array = field(default_factory=_zero)
    viscous_friction: Array = field(default_factory=_zero)
    rotor_inertia: Array = field(default_factory=_zero)
    backlash: Array = field(default_factory=_zero)
    delay: Array = field(default_factory=_zero)
    stall_effort: Array = field(default_factory=_endless)
    no_load_velocity: Array = field(default_factory=_endless)
    heat_loss: Array = field(default_factory=_zero)
    heat_resistance: Array = field(default_factory=_one)
    heat_capacity: Array = field(default_factory=_one)
    ambient: Array = field(default_factory=_unknown)
    derate_from: Array = field(default_factory=_endless)
    hottest: Array = field(default_factory=_endless)

    def __post_init__(self) -> None:
        for each in fields(self):
            value = np.broadcast_to(getattr(self, each.name), np.shape(self.effort))
            object.__setattr__(self, each.name, np.array(value, dtype=np.float64))

    @classmethod
    def of(cls, robot: RobotModel) -> 'Motors':
        """The motors of a robot."""
        specs = [robot.motors[joint.motor] for joint in robot.joints]

        def column(value: Callable[[MotorSpec], float]) -> Array:
            return np.array([value(spec) for spec in specs], dtype=np.float64)

        def heat(name: str, otherwise: float) -> Array:
            return column(lambda spec: getattr(spec.thermal, name, otherwise))

        return cls(
            effort=np.array([joint.effort for joint in robot.joints]),
            velocity=robot.velocities,
            dry_friction=column(lambda spec: spec.dry_friction),
            viscous_friction=column(lambda spec: spec.viscous_friction),
            rotor_inertia=column(lambda spec: spec.rotor_inertia),
            backlash=column(lambda spec: spec.backlash),
            delay=column(lambda spec: spec.delay),
            stall_effort=column(lambda spec: getattr(spec.back_emf, 'stall_effort', np.inf)),
            no_load_velocity=column(
                lambda spec: getattr(spec.back_emf, 'no_load_velocity', np.inf)
            ),
            heat_loss=heat('loss', 0.0),
            heat_resistance=heat('resistance', 1.0),
            heat_capacity=heat('capacity', 1.0),
            ambient=heat('ambient', np.nan),
            derate_from=heat('derate_from', np.inf),
            hottest=heat('limit', np.inf),
        )

    def per_joint(
        self, name: str, source: NDArray[np.int64], multiplier: Array, by_speed: bool
    ) -> Array:
        """(driven,) part of a loss or inertia of its motor that each joint of a mechanism has.

        Together the parts act on the motor as the whole: with Σ m² over the joints of the motor,
        an effort F is shared out as F |m_i| / Σ m², a coefficient or inertia c as c / Σ m².

        Args:
            name: of the field.
            source, multiplier: (driven,) of the joints, as in `JointMap`.
            by_speed: whether it is multiplied by a speed or acceleration, which has the factor
                m_i as well.
        """
        whole = getattr(self, name)
        square = np.bincount(source, multiplier**2, minlength=len(whole))
        share: Array = (whole / square)[source]
        return share if by_speed else share * np.abs(multiplier)
