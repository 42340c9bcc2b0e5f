"""Largest speeds and accelerations of joints, and where a motion comes closest to them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from softshell_actions.trajectories.motion import Motion
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import OutOfRangeError, SoftshellError, UnknownNameError


@dataclass(frozen=True, eq=False)
class JointLimits:
    """Largest speeds and accelerations of joints.

    Args:
        joints: names.
        units: of their positions, 'rad' or 'm'.
        speed: (joints,) [unit/s], infinite where there is no limit.
        acceleration: (joints,) [unit/s²], likewise.

    Raises:
        OutOfRangeError: a limit is not a positive number.
        SoftshellError: there are not as many units or limits as joints.
    """

    joints: tuple[str, ...]
    units: tuple[str, ...]
    speed: Array
    acceleration: Array

    def __post_init__(self) -> None:
        count = len(self.joints)
        if len(self.units) != count:
            raise SoftshellError(f'limits have {len(self.units)} units; expected {count}')
        for quantity in ('speed', 'acceleration'):
            values = np.array(getattr(self, quantity), dtype=float)
            if values.shape != (count,):
                raise SoftshellError(
                    f'limits of {quantity} have shape {values.shape}; expected ({count},), one '
                    'for each joint'
                )
            for joint, value in zip(self.joints, values.tolist(), strict=True):
                if not value > 0.0:
                    subject = f'{joint}: limit of {quantity}'
                    raise OutOfRangeError(subject, value, 'a positive number')
            object.__setattr__(self, quantity, values)

    def of(self, joints: Sequence[str]) -> 'JointLimits':
        """The limits of some joints, in their order.

        Raises:
            UnknownNameError: a joint has no limits; the text lists the joints that have.
        """
        for joint in joints:
            if joint not in self.joints:
                raise UnknownNameError('joint', joint, self.joints)
        places = [self.joints.index(joint) for joint in joints]
        units = tuple(self.units[place] for place in places)
        return JointLimits(tuple(joints), units, self.speed[places], self.acceleration[places])


@dataclass(frozen=True)
class Peak:
    """The moment of a motion that is closest to a limit, or furthest beyond it.

    Args:
        joint: name.
        quantity: that has the limit.
        value: its magnitude [unit/s] or [unit/s²].
        limit: of it.
        unit: of the joint's position.
        time: when, from the start [s].
    """

    joint: str
    quantity: Literal['speed', 'acceleration']
    value: float
    limit: float
    unit: str
    time: float

    @property
    def slowdown(self) -> float:
        """How many times as long the motion has to take for the value to be the limit."""
        ratio = self.value / self.limit
        return ratio if self.quantity == 'speed' else math.sqrt(ratio)

    def __str__(self) -> str:
        per = f'{self.unit}/s' if self.quantity == 'speed' else f'{self.unit}/s²'
        return (
            f'{self.joint}: {self.quantity} is {self.value:.4g} {per} at {self.time:.3g} s; '
            f'expected at most {self.limit:.4g} {per}'
        )


def peak(motion: Motion, limits: JointLimits) -> Peak:
    """Where a motion comes closest to a limit of speed or acceleration, relative to the limit.

    The motion is the cubic Hermite curve through its points, as a bridge follows it: acceleration
    is linear between two points, so it is largest at one of them, and speed is largest there or
    where acceleration is zero. Nothing is missed between points.

    Args:
        motion: of at least two points.
        limits: of the motion's joints, and maybe of others.

    Raises:
        UnknownNameError: a joint of the motion has no limits.
    """
    limits = limits.of(motion.joints)
    begin, end, inner, delays = _extremes(motion)
    starts = np.broadcast_to(motion.times[:-1, None], inner.shape)
    stops = np.broadcast_to(motion.times[1:, None], inner.shape)
    fast = _largest(
        'speed',
        np.concatenate([motion.velocities, inner]),
        np.concatenate([starts[:1], stops, starts + delays]),
        limits,
    )
    hard = _largest(
        'acceleration', np.concatenate([begin, end]), np.concatenate([starts, stops]), limits
    )
    return max(fast, hard, key=lambda found: found.slowdown)


def slowdowns(motion: Motion, limits: JointLimits) -> Array:
    """(points - 1,) factor on the time of each step of a motion, so that it is within its limits.

    Args:
        motion: of at least two points, the cubic Hermite curve through them.
        limits: of the motion's joints, in their order.
    """
    begin, end, inner, _ = _extremes(motion)
    speeds = np.abs(motion.velocities)
    fast = np.maximum(np.maximum(speeds[:-1], speeds[1:]), np.abs(inner)) / limits.speed
    hard = np.maximum(np.abs(begin), np.abs(end)) / limits.acceleration
    found: Array = np.maximum(fast, np.sqrt(hard)).max(axis=1)
    return found


def _extremes(motion: Motion) -> tuple[Array, Array, Array, Array]:
    """Where speed and acceleration are largest in each step.

    Returns:
        (steps, joints) each: accelerations at a step's start and at its end, the velocity where
        acceleration changes its sign within, and how long after the start that is [s]; if it does
        not, the velocity at the start, and 0.
    """
    steps = np.diff(motion.times)[:, None]
    slopes = np.diff(motion.positions, axis=0) / steps
    before, after = motion.velocities[:-1], motion.velocities[1:]
    begin = (6.0 * slopes - 4.0 * before - 2.0 * after) / steps
    end = (2.0 * before + 4.0 * after - 6.0 * slopes) / steps
    turning = begin * end < 0.0
    delays = np.where(turning, begin / np.where(turning, begin - end, 1.0), 0.0) * steps
    return begin, end, before + begin * delays / 2.0, delays


def _largest(
    quantity: Literal['speed', 'acceleration'], values: Array, times: Array, limits: JointLimits
) -> Peak:
    """The largest of values (n, joints) at times (n, joints), relative to its limit."""
    bounds = limits.speed if quantity == 'speed' else limits.acceleration
    row, column = np.unravel_index(np.argmax(np.abs(values) / bounds), values.shape)
    value, time = float(abs(values[row, column])), float(times[row, column])
    joint, unit = limits.joints[column], limits.units[column]
    return Peak(joint, quantity, value, float(bounds[column]), unit, time)
