"""The safety gate: the one way by which a command reaches a backend.

`check.py` takes or refuses a message as a whole; the gate limits every channel at every control
tick, whatever was asked for. It is the discrete-time-optimal slew: the command moves towards what
is asked as fast as rate and acceleration limits allow, and never so fast that it could not stop
before what is asked or before an end of the range. Channels that move nothing, such as a tendon's
tension, have no limit of acceleration. Pure: nothing is kept from one call to the next.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_control.channel import Limits
from softshell_kinematics.arrays import Array


class Reason(IntFlag):
    """Why the gate changed the command of a channel."""

    NON_FINITE = 1
    RANGE = 2
    RATE = 4
    ACCELERATION = 8


_WORDS = {
    Reason.NON_FINITE: 'not finite: held',
    Reason.RANGE: 'range limited',
    Reason.RATE: 'rate limited',
    Reason.ACCELERATION: 'acceleration limited',
}


@dataclass(frozen=True, eq=False)
class Command:
    """What all channels are told to be, and how fast they are to change there.

    The independent joints come first, then the robot's other channels.

    Args:
        value: (channels,) in the unit of each: [rad], [m], [N], [kPa] ...
        rate: (channels,) [unit/s].
    """

    value: Array
    rate: Array

    @classmethod
    def at_rest(cls, value: Array) -> 'Command':
        """A command to stay at (channels,) values."""
        value = np.array(value, dtype=np.float64)
        return cls(value, np.zeros_like(value))


def gate(
    wanted: Command, last: Command, limits: Limits, period: float
) -> tuple[Command, NDArray[np.uint8]]:
    """The safe command nearest in time to the one wanted.

    Args:
        wanted: at the end of this control period.
        last: the safe command at its beginning (at activation: the measured values).
        limits: never left; if `last` is outside them, the command moves back inside.
        period: the control period [s].

    Returns:
        The safe command and (channels,) `Reason` flags.
    """
    safe = Command(np.empty_like(last.value), np.empty_like(last.rate))
    reasons = np.zeros(len(last.value), dtype=np.uint8)
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
        wanted.value,
        wanted.rate,
        last.value,
        last.rate,
        limits.lower,
        limits.upper,
        limits.rate,
        limits.acceleration,
        period,
        safe.value,
        safe.rate,
        reasons,
    )


def describe(reasons: NDArray[np.uint8], names: Sequence[str]) -> tuple[str, ...]:
    """One line for each kind of reason, naming its channels."""
    lines = []
    for reason, words in _WORDS.items():
        found = [name for name, flags in zip(names, reasons, strict=True) if flags & reason]
        if found:
            lines.append(f'{words}: {", ".join(found)}')
    return tuple(lines)


@njit(cache=True)
def _braking_rate(distance: float, acceleration: float, period: float) -> float:
    """Highest rate [unit/s] of the next step from which a channel still stops within a distance.

    Steps are of constant speed, falling by acceleration·period from one to the next, the first one
    already counting: with d = distance/(a h²) and speed x·a·h, the distance used is the largest
    (n + 1) x − n (n + 1)/2 over n, which inverts in closed form.
    """
    if distance <= 0.0:
        return 0.0
    unit = acceleration * period * period
    d = distance / unit
    n = np.floor(0.5 * (np.sqrt(8.0 * d + 1.0) - 1.0))
    rate: float = (d + 0.5 * n * (n + 1.0)) / (n + 1.0) * acceleration * period
    return rate


@njit(cache=True)
def _approach(distance: float, acceleration: float, period: float) -> float:
    """Rate of the next step towards a signed distance: the highest that can still stop there."""
    if acceleration == np.inf:
        return distance / period
    rate = _braking_rate(abs(distance), acceleration, period)
    return rate if distance >= 0.0 else -rate


@njit(cache=True)
def _slew(
    wanted_value: Array,
    wanted_rate: Array,
    last_value: Array,
    last_rate: Array,
    lower: Array,
    upper: Array,
    rate_limit: Array,
    acceleration_limit: Array,
    period: float,
    value: Array,
    rate: Array,
    reasons: NDArray[np.uint8],
) -> None:
    for channel in range(len(last_value)):
        p, v = last_value[channel], last_rate[channel]
        a, fastest = acceleration_limit[channel], rate_limit[channel]
        goal, pace = wanted_value[channel], wanted_rate[channel]
        flags = 0
        if not (np.isfinite(goal) and np.isfinite(pace)):
            goal, pace = p, 0.0
            flags |= 1
        if goal < lower[channel] or goal > upper[channel]:
            goal, pace = min(max(goal, lower[channel]), upper[channel]), 0.0
            flags |= 2
        pace = min(max(pace, -fastest), fastest)
        # The goal moves by pace·period in this step; seen from it, the channel has this far to go.
        speed = pace + _approach(goal - pace * period - p, a, period)
        if abs(speed) > fastest:
            speed = min(max(speed, -fastest), fastest)
            if abs(speed * period) < abs(goal - p) - 1e-9:
                flags |= 4
        change = min(max(speed, v - a * period), v + a * period)
        if abs(change - speed) * period > 1e-9:
            flags |= 8
        # Last, so that it wins: stay able to stop before the ends of the range.
        change = min(change, max(_approach(upper[channel] - p, a, period), 0.0))
        change = max(change, min(_approach(lower[channel] - p, a, period), 0.0))
        reached = p + change * period
        if p <= upper[channel]:
            reached = min(reached, upper[channel])
        if p >= lower[channel]:
            reached = max(reached, lower[channel])
        if abs(reached - goal) > 1e-6 and flags == 0:
            flags |= 8
        value[channel] = reached
        rate[channel] = change
        reasons[channel] |= flags
