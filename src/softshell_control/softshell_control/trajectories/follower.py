"""Following trajectories: one active, at most one waiting, and what became of each."""

from dataclasses import dataclass

import numpy as np

from softshell_common.goal_state import GoalState
from softshell_common.reason import Reason, ReasonCode
from softshell_control.backend import Measured
from softshell_control.channel import Limits
from softshell_control.controller import Controller, Instruction, Run
from softshell_control.fault import reason_of
from softshell_control.trajectories.goal_event import GoalEvent, ended, not_measured, replaced_by
from softshell_control.trajectories.trajectory import (
    NANOSECONDS,
    Curve,
    Identity,
    Trajectory,
    start,
)
from softshell_kinematics.arrays import Array

_DROPPED = Reason(ReasonCode.DROPPED, 'dropped: the trajectory before it in the queue was missed')


@dataclass(frozen=True)
class FollowerSettings:
    """How long things may take.

    Args:
        goal_timeout: time for the channels to arrive after the end of a trajectory [s].
        command_timeout: time after its end until the follower counts as idle [s].
        relax_timeout: time of being idle after which the joints are released [s]; 0: never.
    """

    goal_timeout: float = 2.0
    command_timeout: float = 0.5
    relax_timeout: float = 0.0


@dataclass(frozen=True, eq=False)
class _Active:
    """The trajectory that is followed; start and end on the bridge's clock [ns]."""

    trajectory: Trajectory
    curve: Curve
    start: int
    end: int


class Follower:
    """Turns trajectories and runs of controllers into wanted values and rates at any control tick.

    Channels that the active one does not name stay where they were last wanted.

    Args:
        limits: the robot's channels.
        period: the control period [s].
        settings: how long things may take.

    Attributes:
        measured: what controllers see.
        controllers: those that watch what is measured while they do not run.
        on_feet: whether what was begun last is a trajectory on feet.
        slack: factor of the channels' tolerances, for goals without tolerances of their own.
    """

    measured: Measured
    controllers: tuple[Controller, ...] = ()
    on_feet = False
    slack = 1.0

    def __init__(self, limits: Limits, period: float, settings: FollowerSettings) -> None:
        self.settings = settings
        self.value = np.zeros(len(limits.channels))
        self.rate = np.zeros(len(limits.channels))
        self._limits = limits
        self._period = round(period * NANOSECONDS)
        self._active: _Active | None = None
        self._run: Run | None = None
        self._waiting: Trajectory | Run | None = None
        self._end: int | None = None

    def hold(self, value: Array, reason: Reason) -> list[GoalEvent]:
        """Give up all trajectories and want (channels,) values, at rest.

        Returns:
            The end of those that were active or waiting, for the reason given.
        """
        events = self._end_waiting(GoalState.STOPPED, reason)
        events += self._end_active(GoalState.STOPPED, reason)
        self.value[:] = value
        self.rate[:] = 0.0
        self._end = None
        return events

    def cancel(self, identity: Identity, value: Array, reason: Reason) -> list[GoalEvent]:
        """Give up one trajectory, if it is active or waiting; (channels,) values are then held."""
        if self._waiting is not None and self._waiting.identity == identity:
            return self._end_waiting(GoalState.STOPPED, reason)
        if self.is_active(identity):
            self.value[:] = value
            self.rate[:] = 0.0
            self._end = None
            return self._end_active(GoalState.STOPPED, reason)
        return []

    def instruct(self, instruction: Instruction, now: int) -> None:
        """Tell a run something, if it is active."""
        run = self._run
        if run is None or run.identity != instruction.identity:
            return
        if instruction.finish:
            run.controller.finish()
        else:
            run.controller.instruct(now, instruction.references)

    @property
    def waiting(self) -> bool:
        """Whether a trajectory waits for its time."""
        return self._waiting is not None

    def executing(self, now: int) -> bool:
        """Whether a trajectory runs, or ended no longer than `command_timeout` ago."""
        if self._is_busy or self._end is None:
            return self._is_busy
        return now < self._end + round(self.settings.command_timeout * NANOSECONDS)

    def offer(
        self, trajectory: Trajectory | Run, now: int, value: Array, rate: Array
    ) -> list[GoalEvent]:
        """Take a valid trajectory or run: at once, or when its turn comes.

        Args:
            trajectory: to follow.
            now: the tick's time [ns].
            value, rate: (channels,) the present command.
        """
        waits = trajectory.queued and self._is_busy
        reason = replaced_by(trajectory)
        events = self._end_waiting(GoalState.REPLACED, reason)
        if waits or trajectory.stamp > now:
            self._waiting = trajectory
            return [*events, GoalEvent(trajectory.identity, GoalState.WAITING)]
        events += self._end_active(GoalState.REPLACED, reason)
        return [*events, self._begin(trajectory, now, value, rate)]

    def update(
        self, now: int, end: int, measured: Array, value: Array, rate: Array
    ) -> list[GoalEvent]:
        """Decide what is due at this tick, then set the values wanted at its end.

        Args:
            now, end: the time at which the tick begins and ends [ns].
            measured: (channels,) measured values.
            value, rate: (channels,) the present command.

        Returns:
            What changed, in order.
        """
        events = self._decide(now, end, measured, value, rate)
        events += self._promote(now, value, rate)
        runs = None if self._run is None else self._run.controller
        for controller in self.controllers:
            if controller is not runs:
                controller.watch(now, self.measured, self.value, self.rate)
        if self._active is not None:
            elapsed = (end - self._active.start) / NANOSECONDS
            self._active.curve.evaluate(elapsed, self.value, self.rate)
        elif runs is not None:
            runs.update(now, end, self.measured, self.value, self.rate)
        return events

    @property
    def _is_busy(self) -> bool:
        return self._active is not None or self._run is not None

    def is_active(self, identity: Identity) -> bool:
        """Whether this trajectory or run is followed now."""
        run, active = self._run, self._active
        return (run is not None and run.identity == identity) or (
            active is not None and active.trajectory.identity == identity
        )

    def _begin(
        self, trajectory: Trajectory | Run, begin: int, value: Array, rate: Array
    ) -> GoalEvent:
        self.rate[:] = 0.0
        self.on_feet = isinstance(trajectory, Trajectory) and trajectory.on_feet
        if isinstance(trajectory, Run):
            self._end = begin
            try:
                trajectory.controller.begin(begin, self.measured, value)
            except Exception as error:
                reason = reason_of(error, ReasonCode.REFUSED)
                return ended(trajectory, GoalState.REJECTED, reason)
            trajectory.controller.instruct(begin, trajectory.references)
            self._run = trajectory
            return GoalEvent(trajectory.identity, GoalState.ACTIVE)
        end = begin + round(trajectory.duration * NANOSECONDS)
        self._active = _Active(trajectory, start(trajectory, value, rate), begin, end)
        self._end = end
        return GoalEvent(trajectory.identity, GoalState.ACTIVE)

    def _end_active(self, state: GoalState, reason: Reason) -> list[GoalEvent]:
        active, self._active = self._active, None
        run, self._run = self._run, None
        last = run if active is None else active.trajectory
        return [] if last is None else [ended(last, state, reason)]

    def _end_waiting(self, state: GoalState, reason: Reason) -> list[GoalEvent]:
        waiting, self._waiting = self._waiting, None
        return [] if waiting is None else [ended(waiting, state, reason)]

    def _decide(
        self, now: int, end: int, measured: Array, value: Array, rate: Array
    ) -> list[GoalEvent]:
        active = self._active
        if active is None:
            return self._decide_run(now, value, rate)
        trajectory = active.trajectory
        if now < active.end:
            path = trajectory.tolerances.path
            events = [] if path is None else self._check_path(active, now, measured)
            if events or not self._joins(active, end):
                return events
        goal, wanted = trajectory.tolerances, trajectory.values[-1]
        # Before its end it is compared with what was wanted when it was measured.
        due = wanted if now >= active.end else self.value[trajectory.channels]
        usual = self.slack * self._limits.tolerance[trajectory.channels]
        tolerance = usual if goal.goal is None else goal.goal
        errors = np.abs(measured[trajectory.channels] - due)
        worst = int(np.argmax(errors / tolerance))
        error, name = float(errors[worst]), self._name(trajectory, worst)
        if error <= tolerance[worst]:
            self._active = None
            self.value[trajectory.channels], self.rate[:] = wanted, 0.0
            events = [GoalEvent(trajectory.identity, GoalState.REACHED, error, name)]
            if self._waiting is not None and self._waiting.queued:
                # Within the first tick after the end no time is lost between the two.
                begin = active.end if now < active.end + self._period else now
                latest = max(now, active.end)
                events += self._next(max(begin, self._waiting.stamp), latest, value, rate)
            return events
        if now < active.end:
            return []
        self.rate[:] = 0.0
        if not np.isfinite(error):
            return self._miss(active, error, name, not_measured(name))
        patience = self.settings.goal_timeout if goal.goal_time is None else goal.goal_time
        if now < active.end + round(patience * NANOSECONDS):
            return []
        unit = self._limits.channels[trajectory.channels[worst]].unit
        text = (
            f'{name} is off its goal by {error:.4g} {unit}, {patience:g} s after the end; '
            f'expected at most {tolerance[worst]:.4g} {unit}'
        )
        return self._miss(active, error, name, Reason(ReasonCode.TOLERANCE, text))

    def _joins(self, active: _Active, end: int) -> bool:
        """Whether the next trajectory goes on where the active one ends, within this tick.

        If that were decided at the next tick, the command would rest until then and jump after it.
        """
        following = self._waiting
        return (
            active.end < end
            and isinstance(following, Trajectory)
            and following.queued
            and following.stamp <= active.end
            and following.times[0] == 0.0
        )

    def _decide_run(self, now: int, value: Array, rate: Array) -> list[GoalEvent]:
        run = self._run
        if run is None or not (run.controller.done or run.controller.problem):
            return []
        self._end = now
        self.rate[:] = 0.0
        problem = run.controller.problem
        if problem is not None:
            events = self._end_active(GoalState.MISSED, problem)
            if self._waiting is not None and self._waiting.queued:
                events += self._end_waiting(GoalState.REJECTED, _DROPPED)
            return events
        self._run = None
        events = [GoalEvent(run.identity, GoalState.REACHED)]
        if self._waiting is not None and self._waiting.queued:
            events += self._next(max(now, self._waiting.stamp), now, value, rate)
        return events

    def _check_path(self, active: _Active, now: int, measured: Array) -> list[GoalEvent]:
        """Miss a trajectory whose channels left their tolerance on the way."""
        trajectory = active.trajectory
        limit = trajectory.tolerances.path
        assert limit is not None
        errors = np.abs(measured[trajectory.channels] - self.value[trajectory.channels])
        worst = int(np.argmax(errors / limit))
        if errors[worst] <= limit[worst]:
            return []
        name = self._name(trajectory, worst)
        unit = self._limits.channels[trajectory.channels[worst]].unit
        reason = not_measured(name)
        if np.isfinite(errors[worst]):
            text = (
                f'{name} left its path by {errors[worst]:.4g} {unit}; '
                f'expected at most {limit[worst]:.4g} {unit}'
            )
            reason = Reason(ReasonCode.TOLERANCE, text)
        self._rest(trajectory, measured)
        self._end = now
        return self._miss(active, float(errors[worst]), name, reason, on_the_way=True)

    def _miss(
        self, active: _Active, error: float, name: str, reason: Reason, on_the_way: bool = False
    ) -> list[GoalEvent]:
        self._active = None
        identity = active.trajectory.identity
        events = [GoalEvent(identity, GoalState.MISSED, error, name, (reason,), on_the_way)]
        if self._waiting is not None and self._waiting.queued:
            events += self._end_waiting(GoalState.REJECTED, _DROPPED)
        return events

    def _rest(self, trajectory: Trajectory, measured: Array) -> None:
        """Hold the trajectory's channels where they are measured; unmeasured ones as wanted."""
        columns = trajectory.channels
        found = np.isfinite(measured[columns])
        self.value[columns] = np.where(found, measured[columns], self.value[columns])
        self.rate[:] = 0.0

    def _name(self, trajectory: Trajectory, column: int) -> str:
        name: str = self._limits.names[trajectory.channels[column]]
        return name

    def _promote(self, now: int, value: Array, rate: Array) -> list[GoalEvent]:
        """Start what waits for its time; a queued one also waits for the active one."""
        waiting = self._waiting
        if waiting is None or (waiting.queued and self._is_busy) or waiting.stamp > now:
            return []
        reason = replaced_by(waiting)
        events = self._end_active(GoalState.REPLACED, reason)
        return events + self._next(now, now, value, rate)

    def _next(self, begin: int, now: int, value: Array, rate: Array) -> list[GoalEvent]:
        trajectory = self._waiting
        if trajectory is None or begin > now:
            return []
        self._waiting = None
        return [self._begin(trajectory, begin, value, rate)]
