"""Trajectories of channels: knots in time, and the cubic Hermite curve through them."""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array

NANOSECONDS = 1_000_000_000


@dataclass(frozen=True)
class Identity:
    """Who sent a trajectory, and which of theirs it is.

    Args:
        sender: a name; `UNNAMED` for messages that carry none.
        id: 16 bytes, a UUID.
    """

    sender: str
    id: bytes


UNNAMED = 'unnamed'
NOBODY = Identity('', bytes(16))


@dataclass(frozen=True, eq=False)
class Tolerances:
    """How far from a trajectory the measured channels may be; what is None has its default.

    Args:
        goal: (n,) errors at which its goal counts as reached; default those of the channels.
        goal_time: time after its end for the channels to arrive [s].
        path: (n,) errors above which it is missed on the way; infinite, or None: never.
    """

    goal: Array | None = None
    goal_time: float | None = None
    path: Array | None = None


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A valid trajectory of some of the robot's channels, as it was asked for.

    Args:
        identity: whose trajectory it is, and which one.
        stamp: its earliest start [ns].
        channels: (n,) indices in the robot's command.
        times: (points,) from its start [s], not negative, strictly increasing.
        values: (points, n) in the unit of each channel.
        rates: (points, n) [unit/s]; None: chosen so that the curve is smooth, and stays between
            the values at both ends of each segment.
        queued: starts when the active one is reached, rather than at once.
        tolerances: where they differ from those of the channels.
        on_feet: whether the robot stands or walks meanwhile, so that its feet may be fitted to the
            ground.
        after: id of what has to be the last that was taken; None: it may follow any.
    """

    identity: Identity
    stamp: int
    channels: NDArray[np.int64]
    times: Array
    values: Array
    rates: Array | None = None
    queued: bool = False
    tolerances: Tolerances = Tolerances()
    on_feet: bool = False
    after: bytes | None = None

    @property
    def duration(self) -> float:
        """From its start to its last point [s]."""
        return float(self.times[-1])


@dataclass(frozen=True, eq=False)
class Curve:
    """A trajectory tied to where it started: the cubic Hermite curve through all knots.

    Args:
        channels: (n,) indices in the robot's command.
        times: (knots,) from the start [s]; the first is 0.
        values: (knots, n).
        rates: (knots, n) [unit/s].
    """

    channels: NDArray[np.int64]
    times: Array
    values: Array
    rates: Array

    def evaluate(self, time: float, value: Array, rate: Array) -> None:
        """Write the curve's point at a time into whole commands.

        Before the start the first knot holds; after the end the last one, at rest.

        Args:
            time: from the start [s].
            value: (channels,); only the trajectory's channels are written.
            rate: (channels,) [unit/s]; likewise.
        """
        _evaluate(self.times, self.values, self.rates, self.channels, time, value, rate)


def start(trajectory: Trajectory, value: Array, rate: Array) -> Curve:
    """Tie a trajectory to the command from which it starts.

    A first point later than 0 gets a knot at 0 with the present command. Where the trajectory has
    no rates, `smooth_rates` chooses them; the first knot keeps the present rate as far as it may.

    Args:
        trajectory: to start.
        value: (channels,) present command of the whole robot.
        rate: (channels,) likewise [unit/s].
    """
    times, values = trajectory.times, trajectory.values
    speeds = trajectory.rates
    present_value = value[trajectory.channels][None]
    present_rate = rate[trajectory.channels][None]
    if times[0] > 0.0:
        times = np.concatenate(([0.0], times))
        values = np.concatenate((present_value, values))
        if speeds is not None:
            speeds = np.concatenate((present_rate, speeds))
    if speeds is None:
        speeds = smooth_rates(times, values, present_rate[0])
    return Curve(
        trajectory.channels,
        np.ascontiguousarray(times),
        np.ascontiguousarray(values),
        np.ascontiguousarray(speeds),
    )


def smooth_rates(times: Array, values: Array, first: Array) -> Array:
    """Rates at knots from values alone, so that the curve stays between the ends of each segment.

    An inner knot takes the slope of the parabola through it and its neighbours. A knot next to
    which the values turn or stay rests, and no rate is more than three times the slope of either
    segment beside it: then a cubic is monotone (F. N. Fritsch and R. E. Carlson, Monotone
    piecewise cubic interpolation, SIAM Journal on Numerical Analysis 17, 1980). Otherwise it
    would go far beyond its ends where a short segment comes before a long one.

    Args:
        times: (knots,) strictly increasing [s].
        values: (knots, n).
        first: (n,) rate at the first knot [unit/s]; limited likewise.

    Returns:
        (knots, n) [unit/s]; zero at the last knot.
    """
    rates = np.zeros_like(values)
    if len(times) < 2:
        return rates
    steps = np.diff(times)[:, None]
    slopes = np.diff(values, axis=0) / steps
    rates[0] = first
    before, after = steps[:-1], steps[1:]
    rates[1:-1] = (after * slopes[:-1] + before * slopes[1:]) / (before + after)
    earlier = np.concatenate((slopes[:1], slopes[:-1]))
    lowest = 3.0 * np.minimum(np.maximum(earlier, slopes), 0.0)
    highest = 3.0 * np.maximum(np.minimum(earlier, slopes), 0.0)
    rates[:-1] = np.clip(rates[:-1], lowest, highest)
    return rates


@njit(cache=True)
def _evaluate(
    times: Array,
    values: Array,
    rates: Array,
    channels: NDArray[np.int64],
    time: float,
    value: Array,
    rate: Array,
) -> None:
    last = len(times) - 1
    # A nanosecond: the clock's resolution decides what is after the end.
    if time > times[last] - 1e-9:
        rests = time > times[last] + 1e-9
        for column, channel in enumerate(channels):
            value[channel] = values[last, column]
            rate[channel] = 0.0 if rests else rates[last, column]
        return
    low, high = 0, last
    while high - low > 1:
        middle = (low + high) // 2
        if times[middle] <= time:
            low = middle
        else:
            high = middle
    span = times[high] - times[low]
    s = max(0.0, (time - times[low]) / span)
    r = 1.0 - s
    for column, channel in enumerate(channels):
        p0, p1 = values[low, column], values[high, column]
        m0, m1 = rates[low, column] * span, rates[high, column] * span
        value[channel] = (
            (1.0 + 2.0 * s) * r * r * p0
            + s * r * r * m0
            + s * s * (3.0 - 2.0 * s) * p1
            - s * s * r * m1
        )
        rate[channel] = (
            6.0 * s * r * (p1 - p0) + r * (1.0 - 3.0 * s) * m0 + s * (3.0 * s - 2.0) * m1
        ) / span
