"""Following trajectories: one active, at most one waiting, and what became of each."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from softshell_control.trajectory import NANOSECONDS, Curve, Trajectory, start

Array = NDArray[np.float64]


class GoalState(IntEnum):
    """What became of a trajectory; values as in softshell_interfaces/BridgeStatus."""

    NONE = 0
    ACTIVE = 1
    REACHED = 2
    MISSED = 3
    REPLACED = 4
    REJECTED = 5


@dataclass(frozen=True)
class GoalEvent:
    """A change in the state of one trajectory.

    Args:
        stamp: which one [ns].
        state: its state from now on.
        error: largest joint error when it was decided [rad].
        reasons: why, where it is not plain.
    """

    stamp: int
    state: GoalState
    error: float = 0.0
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class FollowerSettings:
    """When a goal counts as reached.

    Args:
        goal_tolerance: largest error of any joint of the trajectory [rad].
        goal_timeout: after its end, for the joints to arrive [s].
        command_timeout: after its end, until the follower counts as idle [s].
    """

    goal_tolerance: float = 0.06
    goal_timeout: float = 2.0
    command_timeout: float = 0.5


@dataclass(frozen=True, eq=False)
class _Active:
    trajectory: Trajectory
    curve: Curve
    start: int
    end: int


class Follower:
    """Turns trajectories into a wanted position and velocity at any control tick.

    Joints that the active trajectory does not name stay where they were last wanted.

    Args:
        joints: number of joints of the robot.
        period: the control period [s].
        settings: when a goal counts as reached.
    """

    def __init__(self, joints: int, period: float, settings: FollowerSettings) -> None:
        self.settings = settings
        self.position = np.zeros(joints)
        self.velocity = np.zeros(joints)
        self._period = round(period * NANOSECONDS)
        self._active: _Active | None = None
        self._waiting: Trajectory | None = None
        self._end: int | None = None

    def hold(self, position: Array) -> None:
        """Forget all trajectories and want (joints,) positions [rad]."""
        self.position[:] = position
        self.velocity[:] = 0.0
        self._active = self._waiting = self._end = None

    def executing(self, now: int) -> bool:
        """Whether a trajectory runs, or ended no longer than `command_timeout` ago."""
        if self._end is None:
            return False
        return now < self._end + round(self.settings.command_timeout * NANOSECONDS)

    def offer(
        self, trajectory: Trajectory, now: int, position: Array, velocity: Array
    ) -> list[GoalEvent]:
        """Take a valid trajectory: at once, or when its turn comes.

        Args:
            trajectory: to follow.
            now: the tick's time [ns].
            position, velocity: (joints,) the present command [rad], [rad/s].
        """
        waits = trajectory.queued and self._active is not None
        events = []
        if self._waiting is not None:
            events.append(GoalEvent(self._waiting.stamp, GoalState.REPLACED))
            self._waiting = None
        if waits or trajectory.stamp > now:
            self._waiting = trajectory
            return events
        if self._active is not None:
            events.append(GoalEvent(self._active.trajectory.stamp, GoalState.REPLACED))
        events.append(self._begin(trajectory, now, position, velocity))
        return events

    def update(
        self, now: int, measured: Array, position: Array, velocity: Array
    ) -> list[GoalEvent]:
        """Decide what is due at this tick, then set the position wanted at its end.

        Args:
            now: the tick's time [ns].
            measured: (joints,) measured positions [rad].
            position, velocity: (joints,) the present command [rad], [rad/s].

        Returns:
            What changed, in order.
        """
        events = self._decide(now, measured, position, velocity)
        events += self._promote(now, position, velocity)
        active = self._active
        if active is not None:
            time = (now + self._period - active.start) / NANOSECONDS
            active.curve.evaluate(time, self.position, self.velocity)
        return events

    def _begin(
        self, trajectory: Trajectory, begin: int, position: Array, velocity: Array
    ) -> GoalEvent:
        self.velocity[:] = 0.0
        end = begin + round(trajectory.duration * NANOSECONDS)
        curve = start(trajectory, position, velocity)
        self._active = _Active(trajectory, curve, begin, end)
        self._end = end
        return GoalEvent(trajectory.stamp, GoalState.ACTIVE)

    def _decide(
        self, now: int, measured: Array, position: Array, velocity: Array
    ) -> list[GoalEvent]:
        active = self._active
        if active is None or now < active.end:
            return []
        goal = active.trajectory.positions[-1]
        error = float(np.abs(measured[active.trajectory.joints] - goal).max())
        stamp = active.trajectory.stamp
        self.velocity[:] = 0.0
        if error <= self.settings.goal_tolerance:
            self._active = None
            events = [GoalEvent(stamp, GoalState.REACHED, error)]
            if self._waiting is not None and self._waiting.queued:
                # Within the first tick after the end no time is lost between the two.
                begin = active.end if now < active.end + self._period else now
                events += self._next(max(begin, self._waiting.stamp), now, position, velocity)
            return events
        if now < active.end + round(self.settings.goal_timeout * NANOSECONDS):
            return []
        self._active = None
        events = [GoalEvent(stamp, GoalState.MISSED, error)]
        if self._waiting is not None and self._waiting.queued:
            reason = 'dropped: the trajectory before it in the queue was missed'
            events.append(GoalEvent(self._waiting.stamp, GoalState.REJECTED, 0.0, (reason,)))
            self._waiting = None
        return events

    def _promote(self, now: int, position: Array, velocity: Array) -> list[GoalEvent]:
        """Start what waits for its time; a queued one also waits for the active one."""
        if self._waiting is None or (self._waiting.queued and self._active is not None):
            return []
        if self._waiting.stamp > now:
            return []
        replaced = self._active
        events = self._next(now, now, position, velocity)
        if replaced is None:
            return events
        return [GoalEvent(replaced.trajectory.stamp, GoalState.REPLACED), *events]

    def _next(self, begin: int, now: int, position: Array, velocity: Array) -> list[GoalEvent]:
        trajectory = self._waiting
        if trajectory is None or begin > now:
            return []
        self._waiting = None
        return [self._begin(trajectory, begin, position, velocity)]
