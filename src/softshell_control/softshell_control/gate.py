"""The safety gate: the one way by which a command reaches a backend.

Messages are taken or refused as a whole by `check.py`; here is what limits the joints each control
tick, whatever was asked for. It is the discrete-time-optimal slew: the command moves towards what
is asked as fast as speed and acceleration limits allow, and never so fast that it could not stop
before what is asked or before a position limit. Pure: nothing is kept from one call to the next.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_common.errors import ProblemsError
from softshell_description.model import RobotModel

Array = NDArray[np.float64]


class Reason(IntFlag):
    """Why the gate changed a joint's command."""

    NON_FINITE = 1
    POSITION = 2
    VELOCITY = 4
    ACCELERATION = 8


_WORDS = {
    Reason.NON_FINITE: 'not finite: held',
    Reason.POSITION: 'position limited',
    Reason.VELOCITY: 'velocity limited',
    Reason.ACCELERATION: 'acceleration limited',
}


@dataclass(frozen=True, eq=False)
class Limits:
    """What a command never leaves.

    Args:
        names: (joints,) names, for reasons.
        lower, upper: (joints,) [rad].
        velocity: (joints,) [rad/s].
        acceleration: (joints,) [rad/s^2].
    """

    names: tuple[str, ...]
    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array

    def __post_init__(self) -> None:
        problems = []
        for name, lower, upper, velocity, acceleration in zip(
            self.names, self.lower, self.upper, self.velocity, self.acceleration, strict=True
        ):
            if not (np.isfinite([lower, upper]).all() and lower <= upper):
                problems.append(f'{name}: limits are [{lower}, {upper}]')
            if not (np.isfinite(velocity) and velocity > 0.0):
                problems.append(f'{name}: velocity limit is {velocity}; expected more than 0')
            if not (np.isfinite(acceleration) and acceleration > 0.0):
                problems.append(f'{name}: acceleration limit is {acceleration}; expected > 0')
        if problems:
            raise ProblemsError('limits of the safety gate', problems)


def limits_of(
    robot: RobotModel,
    acceleration: float = 150.0,
    velocity_scale: float = 0.95,
    position_margin: float = 0.0,
) -> Limits:
    """The gate's limits: the robot's own, with a margin.

    Args:
        robot: the robot.
        acceleration: of every joint [rad/s^2]; a URDF has none.
        velocity_scale: part of the motors' no-load speed that a command may ask for.
        position_margin: kept from both ends of every joint's range [rad].
    """
    return Limits(
        robot.joint_names,
        robot.lower_limits + position_margin,
        robot.upper_limits - position_margin,
        robot.velocities * velocity_scale,
        np.full(len(robot.joints), acceleration),
    )


@dataclass(frozen=True, eq=False)
class Command:
    """Where all independent joints are told to be, and how fast to pass.

    Args:
        position: (joints,) [rad].
        velocity: (joints,) [rad/s].
    """

    position: Array
    velocity: Array

    @classmethod
    def at_rest(cls, position: Array) -> 'Command':
        """A command to stay at (joints,) positions [rad]."""
        position = np.array(position, dtype=np.float64)
        return cls(position, np.zeros_like(position))


def gate(
    wanted: Command, last: Command, limits: Limits, period: float
) -> tuple[Command, NDArray[np.uint8]]:
    """The safe command nearest in time to the one wanted.

    Args:
        wanted: at the end of this control period.
        last: the safe command at its beginning (at activation: the measured joints).
        limits: never left; if `last` is outside them, the command moves back inside.
        period: the control period [s].

    Returns:
        The safe command and (joints,) `Reason` flags.
    """
    safe = Command(np.empty_like(last.position), np.empty_like(last.velocity))
    reasons = np.zeros(len(last.position), dtype=np.uint8)
    gate_into(wanted, last, limits, period, safe, reasons)
    return safe, reasons


def gate_into(
    wanted: Command,
    last: Command,
    limits: Limits,
    period: float,
    safe: Command,
    reasons: NDArray[np.uint8],
) -> None:
    """As `gate`, without allocation: writes `safe` (may be `last`) and adds to `reasons`."""
    _slew(
        wanted.position,
        wanted.velocity,
        last.position,
        last.velocity,
        limits.lower,
        limits.upper,
        limits.velocity,
        limits.acceleration,
        period,
        safe.position,
        safe.velocity,
        reasons,
    )


def describe(reasons: NDArray[np.uint8], names: Sequence[str]) -> tuple[str, ...]:
    """One line for each kind of reason, naming its joints."""
    lines = []
    for reason, words in _WORDS.items():
        found = [name for name, flags in zip(names, reasons, strict=True) if flags & reason]
        if found:
            lines.append(f'{words}: {", ".join(found)}')
    return tuple(lines)


@njit(cache=True)
def _braking_speed(distance, acceleration, period):
    """Highest speed [rad/s] of the next step from which a joint still stops within a distance.

    Steps are of constant speed, falling by acceleration·period from one to the next, the first one
    already counting: with d = distance/(a h²) and speed x·a·h, the distance used is the largest
    (n + 1) x − n (n + 1)/2 over n, which inverts in closed form.
    """
    if distance <= 0.0:
        return 0.0
    unit = acceleration * period * period
    d = distance / unit
    n = np.floor(0.5 * (np.sqrt(8.0 * d + 1.0) - 1.0))
    return (d + 0.5 * n * (n + 1.0)) / (n + 1.0) * acceleration * period


@njit(cache=True)
def _slew(
    wanted_position,
    wanted_velocity,
    last_position,
    last_velocity,
    lower,
    upper,
    velocity_limit,
    acceleration_limit,
    period,
    position,
    velocity,
    reasons,
):
    for joint in range(len(last_position)):
        p, v = last_position[joint], last_velocity[joint]
        a, fastest = acceleration_limit[joint], velocity_limit[joint]
        goal, pace = wanted_position[joint], wanted_velocity[joint]
        flags = 0
        if not (np.isfinite(goal) and np.isfinite(pace)):
            goal, pace = p, 0.0
            flags |= 1
        if goal < lower[joint] or goal > upper[joint]:
            goal, pace = min(max(goal, lower[joint]), upper[joint]), 0.0
            flags |= 2
        pace = min(max(pace, -fastest), fastest)
        # The goal moves by pace·period in this step; seen from it, the joint has this far to go.
        rest = goal - pace * period - p
        speed = _braking_speed(abs(rest), a, period)
        speed = pace + speed if rest >= 0.0 else pace - speed
        if abs(speed) > fastest:
            speed = min(max(speed, -fastest), fastest)
            if abs(speed * period) < abs(goal - p) - 1e-9:
                flags |= 4
        change = min(max(speed, v - a * period), v + a * period)
        if abs(change - speed) * period > 1e-9:
            flags |= 8
        # Last, so that it wins: stay able to stop before the ends of the range.
        change = min(change, _braking_speed(upper[joint] - p, a, period))
        change = max(change, -_braking_speed(p - lower[joint], a, period))
        reached = p + change * period
        if p <= upper[joint]:
            reached = min(reached, upper[joint])
        if p >= lower[joint]:
            reached = max(reached, lower[joint])
        if abs(reached - goal) > 1e-6 and flags == 0:
            flags |= 8
        position[joint] = reached
        velocity[joint] = change
        reasons[joint] |= flags
