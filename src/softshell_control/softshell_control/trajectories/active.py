"""The trajectory that is followed, and when another goes on from it."""

from dataclasses import dataclass

from softshell_control.controller import Run
from softshell_control.trajectories.trajectory import NANOSECONDS, Curve, Trajectory
from softshell_kinematics.arrays import Array


@dataclass(frozen=True, eq=False)
class Active:
    """The trajectory that is followed.

    Args:
        trajectory: as it was asked for.
        curve: the same, tied to where it started.
        start, end: on the bridge's clock [ns].
    """

    trajectory: Trajectory
    curve: Curve
    start: int
    end: int

    def evaluate(self, time: int, value: Array, rate: Array) -> None:
        """Write its point at a time [ns] into (channels,) values and rates of whole commands."""
        self.curve.evaluate((time - self.start) / NANOSECONDS, value, rate)

    def is_joined_by(self, following: Trajectory | Run | None, end: int) -> bool:
        """Whether the next trajectory goes on where this one ends, within the tick until `end`.

        If that were decided at the next tick, the command would rest until then and jump after it.
        """
        return (
            self.end < end
            and isinstance(following, Trajectory)
            and following.queued
            and following.stamp <= self.end
            and following.times[0] == 0.0
        )


def comes_within(following: Trajectory | Run, active: Active | None, now: int, end: int) -> bool:
    """Whether the time of a trajectory comes within a tick, and before the active one ends in it.

    Where that ends first, the next tick decides what becomes of it before another begins. A run
    of a controller begins with a tick.

    Args:
        following: which waits for its time.
        active: which is followed until then, if any.
        now, end: the time at which the tick begins and ends [ns].
    """
    if not isinstance(following, Trajectory) or not now < following.stamp < end:
        return False
    return active is None or not now < active.end <= following.stamp
