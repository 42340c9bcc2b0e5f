"""Channels: everything of a robot that takes a command, with its unit, range and rate."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from softshell_description.command_rates import (
    ACCELERATION,
    LINEAR_ACCELERATION,
    VELOCITY_SCALE,
)
from softshell_description.form import ChannelKind
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import ProblemsError

#: Part of a joint's range that a command leaves free at either end.
POSITION_MARGIN = 0.0


@dataclass(frozen=True)
class Channel:
    """One commanded quantity: a joint, a tendon, a pressure chamber.

    Args:
        name: its name, which no other channel has.
        kind: what it commands.
        unit: of its value, e.g. 'rad', 'N', 'kPa'.
        lower, upper: its range.
        rate: largest change [unit/s].
        acceleration: largest change of the rate [unit/s^2]; infinite: not limited.
        tolerance: error at which a goal counts as reached.
        margin: width of the part at either end of the range that commands keep out of. A channel
            that is measured there may stay, and move inwards.
    """

    name: str
    kind: ChannelKind
    unit: str
    lower: float
    upper: float
    rate: float
    acceleration: float
    tolerance: float
    margin: float = 0.0


@dataclass(frozen=True, eq=False)
class Limits:
    """The limits that commands keep to.

    Args:
        channels: in the order of every command.

    Raises:
        ProblemsError: lists ranges, margins, rates and accelerations that are not valid.
    """

    channels: tuple[Channel, ...]

    def __post_init__(self) -> None:
        problems = []
        for channel in self.channels:
            name, unit = channel.name, channel.unit
            if not -np.inf < channel.lower <= channel.upper < np.inf:
                problems.append(
                    f'{name}: range is [{channel.lower}, {channel.upper}] {unit}; expected two '
                    'finite numbers, the lower first'
                )
            elif not 0.0 <= channel.margin <= 0.5 * (channel.upper - channel.lower):
                problems.append(
                    f'{name}: margin is {channel.margin} {unit}; expected 0 to half of the range'
                )
            if not 0.0 < channel.rate < np.inf:
                problems.append(
                    f'{name}: rate is {channel.rate} {unit}/s; expected more than 0, and finite'
                )
            if not channel.acceleration > 0.0:
                problems.append(
                    f'{name}: acceleration is {channel.acceleration} {unit}/s^2; '
                    'expected more than 0'
                )
        if problems:
            raise ProblemsError('limits of the safety gate', problems)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the channels."""
        return tuple(channel.name for channel in self.channels)

    @cached_property
    def joints(self) -> int:
        """How many of the channels are joints, which come first."""
        return sum(channel.kind is ChannelKind.POSITION for channel in self.channels)

    @cached_property
    def lower(self) -> Array:
        """(channels,) lowest values."""
        return np.array([channel.lower for channel in self.channels])

    @cached_property
    def upper(self) -> Array:
        """(channels,) highest values."""
        return np.array([channel.upper for channel in self.channels])

    @cached_property
    def margin(self) -> Array:
        """(channels,) width that commands leave free at either end of the range."""
        return np.array([channel.margin for channel in self.channels])

    @cached_property
    def rate(self) -> Array:
        """(channels,) largest rates [unit/s]."""
        return np.array([channel.rate for channel in self.channels])

    @cached_property
    def acceleration(self) -> Array:
        """(channels,) largest changes of the rate [unit/s^2]; infinite: not limited."""
        return np.array([channel.acceleration for channel in self.channels])

    @cached_property
    def arrays(self) -> tuple[Array, Array, Array, Array, Array, Array]:
        """(channels,) lower, upper, the same within the margin, rate, acceleration."""
        inner = (self.lower + self.margin, self.upper - self.margin)
        return (self.lower, self.upper, *inner, self.rate, self.acceleration)

    @cached_property
    def tolerance(self) -> Array:
        """(channels,) errors at which a goal counts as reached."""
        return np.array([channel.tolerance for channel in self.channels])


def limits_of(
    robot: RobotModel,
    acceleration: float = ACCELERATION,
    velocity_scale: float = VELOCITY_SCALE,
    linear_acceleration: float = LINEAR_ACCELERATION,
    position_margin: float = POSITION_MARGIN,
) -> Limits:
    """The gate's limits of a robot: its independent joints, then its other channels.

    Args:
        robot: the robot.
        acceleration: largest acceleration of every joint that turns [rad/s^2].
        velocity_scale: part of the motors' no-load speed that a command may ask for.
        linear_acceleration: largest acceleration of every joint that slides [m/s^2].
        position_margin: part of every joint's range that a command leaves free at either end.
    """
    joints = [
        Channel(
            joint.name,
            ChannelKind.POSITION,
            joint.unit,
            joint.lower,
            joint.upper,
            joint.velocity * velocity_scale,
            linear_acceleration if joint.unit == 'm' else acceleration,
            joint.goal_tolerance,
            position_margin * (joint.upper - joint.lower),
        )
        for joint in robot.joints
    ]
    others = [
        Channel(
            name,
            spec.kind,
            spec.unit,
            spec.range[0],
            spec.range[1],
            spec.rate,
            spec.acceleration if spec.acceleration is not None else np.inf,
            spec.goal_tolerance,
        )
        for name, spec in robot.channels.items()
    ]
    return Limits((*joints, *others))
