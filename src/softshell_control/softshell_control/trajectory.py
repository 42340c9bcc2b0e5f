"""Joint trajectories: knots in time, and the cubic Hermite curve through them."""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
NANOSECONDS = 1_000_000_000


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A valid trajectory of some of the robot's joints, as it was asked for.

    Args:
        stamp: its identity and its earliest start [ns].
        joints: (n,) places in the robot's joint vector.
        times: (points,) from its start [s], not negative, strictly increasing.
        positions: (points, n) [rad].
        velocities: (points, n) [rad/s]; None: chosen so that the curve is smooth.
        queued: starts when the active one is reached, rather than at once.
    """

    stamp: int
    joints: NDArray[np.int64]
    times: Array
    positions: Array
    velocities: Array | None = None
    queued: bool = False

    @property
    def duration(self) -> float:
        """From its start to its last point [s]."""
        return float(self.times[-1])


@dataclass(frozen=True, eq=False)
class Curve:
    """A trajectory tied to where it started: the cubic Hermite curve through all knots.

    Args:
        joints: (n,) places in the robot's joint vector.
        times: (knots,) from the start [s]; the first is 0.
        positions: (knots, n) [rad].
        velocities: (knots, n) [rad/s].
    """

    joints: NDArray[np.int64]
    times: Array
    positions: Array
    velocities: Array

    def evaluate(self, time: float, position: Array, velocity: Array) -> None:
        """Write the curve's point at a time into whole joint vectors.

        Before the start the first knot holds; after the end the last one, at rest.

        Args:
            time: from the start [s].
            position: (joints,) [rad]; only the trajectory's joints are written.
            velocity: (joints,) [rad/s]; likewise.
        """
        _evaluate(
            self.times, self.positions, self.velocities, self.joints, time, position, velocity
        )


def start(trajectory: Trajectory, position: Array, velocity: Array) -> Curve:
    """Tie a trajectory to the command from which it starts.

    A first point later than 0 gets a knot at 0 with the present command. Where the trajectory has
    no velocities, each inner knot takes the slope of the parabola through it and its neighbours,
    the last one rests and the first one keeps the present speed.

    Args:
        trajectory: to start.
        position: (joints,) present command of the whole robot [rad].
        velocity: (joints,) likewise [rad/s].
    """
    times, positions = trajectory.times, trajectory.positions
    speeds = trajectory.velocities
    present_position = position[trajectory.joints][None]
    present_velocity = velocity[trajectory.joints][None]
    if times[0] > 0.0:
        times = np.concatenate(([0.0], times))
        positions = np.concatenate((present_position, positions))
        if speeds is not None:
            speeds = np.concatenate((present_velocity, speeds))
    if speeds is None:
        speeds = smooth_velocities(times, positions, present_velocity[0])
    return Curve(
        trajectory.joints,
        np.ascontiguousarray(times),
        np.ascontiguousarray(positions),
        np.ascontiguousarray(speeds),
    )


def smooth_velocities(times: Array, positions: Array, first: Array) -> Array:
    """Velocities at knots from positions alone.

    Args:
        times: (knots,) strictly increasing [s].
        positions: (knots, n) [rad].
        first: (n,) velocity at the first knot [rad/s].

    Returns:
        (knots, n) [rad/s]; zero at the last knot.
    """
    velocities = np.zeros_like(positions)
    if len(times) > 1:
        velocities[0] = first
    if len(times) > 2:
        steps = np.diff(times)[:, None]
        slopes = np.diff(positions, axis=0) / steps
        before, after = steps[:-1], steps[1:]
        velocities[1:-1] = (after * slopes[:-1] + before * slopes[1:]) / (before + after)
    return velocities


@njit(cache=True)
def _evaluate(times, positions, velocities, joints, time, position, velocity):
    last = len(times) - 1
    # A nanosecond: the clock's resolution decides what is after the end.
    if time > times[last] - 1e-9:
        rests = time > times[last] + 1e-9
        for column, joint in enumerate(joints):
            position[joint] = positions[last, column]
            velocity[joint] = 0.0 if rests else velocities[last, column]
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
    for column, joint in enumerate(joints):
        p0, p1 = positions[low, column], positions[high, column]
        m0, m1 = velocities[low, column] * span, velocities[high, column] * span
        position[joint] = (
            (1.0 + 2.0 * s) * r * r * p0
            + s * r * r * m0
            + s * s * (3.0 - 2.0 * s) * p1
            - s * s * r * m1
        )
        velocity[joint] = (
            6.0 * s * r * (p1 - p0) + r * (1.0 - 3.0 * s) * m0 + s * (3.0 * s - 2.0) * m1
        ) / span
