"""The compiled heart of the safety gate: one control period of every channel.

The command moves towards what is wanted as fast as rate and acceleration allow, and never so fast
that it could not stop before what is wanted or before an end of the range: the time-optimal slew
in discrete time. A step has a constant speed, so speed falls from one step to the next.
"""

from enum import IntFlag

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array


class Limited(IntFlag):
    """How the gate changed the command of a channel."""

    NOT_FINITE = 1
    RANGE = 2
    RATE = 4
    ACCELERATION = 8


#: A command that differs from the wanted one by less than this part of it, or of 1 if that is
#: more, becomes the wanted one.
EXACT = 1e-12
#: A command that does not, and differs by more than this part of the wanted one, is limited.
TOLD = 1e-9
#: A goal that is outside the range by less than this [rad] or [m] does not count as limited: that
#: comes from rounding, and from the curve between the points of a trajectory.
ROUNDED = 1e-6


@njit(cache=True)
def braking_rate(distance: float, acceleration: float, period: float, shortest: float) -> float:
    """Highest rate [unit/s] of a step from which a channel still stops within a distance.

    After a step of `period` at rate x, steps of `shortest` at x − a s, x − 2 a s ... follow. The
    distance used is the largest x (h + n s) − a s² n (n + 1)/2 over n, which inverts in closed
    form. Longer steps use less of it: a channel that can stop in the shortest steps can in any.

    Args:
        distance: that may be used, this step included, in the unit of the channel.
        acceleration: largest change of the rate [unit/s^2].
        period: h, the length of this step [s].
        shortest: s, the least that later steps will last [s].
    """
    if distance <= 0.0:
        return 0.0
    offset = period / shortest - 0.5
    n = np.floor(
        np.sqrt(offset * offset + 2.0 * distance / (acceleration * shortest * shortest)) - offset
    )
    n = max(n, 0.0)
    used = distance + 0.5 * acceleration * shortest * shortest * n * (n + 1.0)
    rate: float = used / (period + n * shortest)
    return rate


@njit(cache=True)
def approach(distance: float, acceleration: float, period: float, shortest: float) -> float:
    """Rate of the next step towards a signed distance: the highest that can still stop there."""
    if acceleration == np.inf:
        return distance / period
    rate = braking_rate(abs(distance), acceleration, period, shortest)
    return rate if distance >= 0.0 else -rate


@njit(cache=True)
def _stoppable(
    change: float, p: float, low: float, high: float, a: float, period: float, shortest: float
) -> tuple[float, float]:
    """A rate from which a channel can still stop within its range, and the value it leads to."""
    change = min(change, max(approach(high - p, a, period, shortest), 0.0))
    change = max(change, min(approach(low - p, a, period, shortest), 0.0))
    reached = p + change * period
    if p <= high:
        reached = min(reached, high)
    if p >= low:
        reached = max(reached, low)
    return change, reached


@njit(cache=True)
def slew(
    wanted: tuple[Array, Array],
    last: tuple[Array, Array],
    limits: tuple[Array, Array, Array, Array, Array, Array],
    derating: Array,
    periods: tuple[float, float],
    safe: tuple[Array, Array],
    flags: NDArray[np.uint8],
) -> None:
    """Write the safe command of the end of a control period, and add to the flags.

    Args:
        wanted: (channels,) values and rates at the end of the period.
        last: likewise, the safe command at its beginning; may be `safe`.
        limits: (channels,) lowest and highest values, the same within the margin, highest rates
            and accelerations.
        derating: (channels,) part of its highest rate that each channel may use.
        periods: of this step, and the shortest that follows [s].
        safe: (channels,) values and rates, to be written.
        flags: (channels,) of `Limited`.
    """
    lowest, highest, lower, upper, rates, accelerations = limits
    period, shortest = periods
    for channel in range(len(flags)):
        p, v, a = last[0][channel], last[1][channel], accelerations[channel]
        fastest = rates[channel] * derating[channel]
        goal, pace = wanted[0][channel], wanted[1][channel]
        # Whatever starts within the margin may stay there, but not go further out.
        low = max(min(lower[channel], p), lowest[channel])
        high = min(max(upper[channel], p), highest[channel])
        limited = 0
        if not (np.isfinite(goal) and np.isfinite(pace)):
            goal, pace = p, 0.0
            limited |= 1
        if goal < low or goal > high:
            if goal < low - ROUNDED or goal > high + ROUNDED:
                limited |= 2
            goal, pace = min(max(goal, low), high), 0.0
        exact = EXACT * max(1.0, abs(goal))
        told = max(TOLD * abs(goal), exact)
        pace = min(max(pace, -fastest), fastest)
        # The goal moves by pace·period in this step; seen from it, the channel has this far to go.
        # Later steps may be shorter: who counts on steps as long as this one arrives too fast.
        speed = pace + approach(goal - pace * period - p, a, period, shortest)
        if abs(speed) > fastest:
            speed = min(max(speed, -fastest), fastest)
            if abs(speed * period) < abs(goal - p) - told:
                limited |= 4
        change = min(max(speed, v - a * period), v + a * period)
        if abs(change - speed) * period > told:
            limited |= 8
        change, reached = _stoppable(change, p, low, high, a, period, shortest)
        if abs(reached - goal) <= exact:
            reached = goal
            change = (goal - p) / period
        elif abs(reached - goal) > told and limited == 0:
            limited |= 8
        safe[0][channel] = reached
        safe[1][channel] = change
        flags[channel] |= limited
