"""Following trajectories: one active, at most one waiting, and what became of each."""

from dataclasses import dataclass, replace

import numpy as np

from softshell_common.goal_state import GoalState
from softshell_common.reason import Reason, ReasonCode
from softshell_control.backend import Measured
from softshell_control.channel import Limits
from softshell_control.controller import Controller, Instruction, Run
from softshell_control.fault import reason_of
from softshell_control.trajectories.active import Active, comes_within
from softshell_control.trajectories.deviation import Deviation, worst_deviation
from softshell_control.trajectories.goal_event import GoalEvent, ended, replaced_by
from softshell_control.trajectories.trajectory import NANOSECONDS, Identity, Trajectory, start
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


class Follower:
    """Turns trajectories and runs of controllers into wanted values and rates at any control tick.

    Channels that the active one does not name stay where they were last wanted.

    Args:
        limits: the robot's channels.
        period: the control period [s].
        settings: how long things may take.

    Attributes:
        events: changes in the state of trajectories, in order; who tells of them takes them out.
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
        self.events: list[GoalEvent] = []
        self.value = np.zeros(len(limits.channels))
        self.rate = np.zeros(len(limits.channels))
        self._limits = limits
        self._period = round(period * NANOSECONDS)
        self._active: Active | None = None
        self._run: Run | None = None
        self._waiting: Trajectory | Run | None = None
        self._end: int | None = None

    def hold(self, value: Array, reason: Reason) -> None:
        """Give up all trajectories for a reason, and want (channels,) values, at rest.

        A channel outside its range, where a joint may be when it begins to be driven, is wanted
        at the end of the range.
        """
        self._end_waiting(GoalState.STOPPED, reason)
        self._end_active(GoalState.STOPPED, reason)
        np.clip(value, self._limits.lower, self._limits.upper, out=self.value)
        self.rate[:] = 0.0
        self._end = None

    def cancel(self, identity: Identity, value: Array, reason: Reason) -> None:
        """Give up one trajectory, if it is active or waiting; (channels,) values are then held."""
        if self._waiting is not None and self._waiting.identity == identity:
            self._end_waiting(GoalState.STOPPED, reason)
        elif self.is_active(identity):
            self.value[:] = value
            self.rate[:] = 0.0
            self._end = None
            self._end_active(GoalState.STOPPED, reason)

    def instruct(self, instruction: Instruction, now: int) -> None:
        """Tell a run something, if it is active or waits; one that is to finish never begins."""
        run, waiting = self._run, self._waiting
        if run is not None and instruction.is_for(run):
            if instruction.finish:
                run.controller.finish()
            else:
                run.controller.instruct(now, instruction.references)
        elif isinstance(waiting, Run) and instruction.is_for(waiting):
            if instruction.finish:
                self._waiting = None
                self.events.append(GoalEvent(waiting.identity, GoalState.REACHED))
            else:
                told = {**waiting.references, **instruction.references}
                self._waiting = replace(waiting, references=told)

    @property
    def waiting(self) -> Trajectory | Run | None:
        """What waits for its time or its turn."""
        return self._waiting

    def begins(self, trajectory: Trajectory | Run, now: int, end: int | None = None) -> bool:
        """Whether one that is offered or waits begins: it is its time and its turn.

        Args:
            trajectory: which one.
            now: the tick's time [ns].
            end: of the tick, within which it may begin [ns]; None: it begins now or later.
        """
        due = trajectory.stamp <= now or (
            end is not None and comes_within(trajectory, self._active, now, end)
        )
        return due and not (trajectory.queued and self._is_busy)

    def executing(self, now: int) -> bool:
        """Whether a trajectory runs, or ended no longer than `command_timeout` ago."""
        if self._is_busy or self._end is None:
            return self._is_busy
        return now < self._end + round(self.settings.command_timeout * NANOSECONDS)

    def offer(self, trajectory: Trajectory | Run, now: int, value: Array, rate: Array) -> bool:
        """Take a valid trajectory or run: at once, or when its turn comes.

        Args:
            trajectory: to follow; the answer is False if its controller refuses to begin.
            now: the tick's time [ns].
            value, rate: (channels,) the present command.
        """
        if self.begins(trajectory, now):
            return self._begin(trajectory, now, value, rate)
        self._end_waiting(GoalState.REPLACED, replaced_by(trajectory))
        self._waiting = trajectory
        self.events.append(GoalEvent(trajectory.identity, GoalState.WAITING))
        return True

    def update(self, now: int, end: int, measured: Array, value: Array, rate: Array) -> None:
        """Decide what is due at this tick, then set the values wanted at its end.

        Args:
            now, end: the time at which the tick begins and ends [ns].
            measured: (channels,) measured values.
            value, rate: (channels,) the present command.

        Raises:
            Exception: that of a controller.
        """
        self._decide(now, end, measured, value, rate)
        self._promote(now, end, value, rate)
        runs = None if self._run is None else self._run.controller
        for controller in self.controllers:
            if controller is not runs:
                controller.watch(now, self.measured, self.value, self.rate)
        if self._active is not None:
            self._active.evaluate(end, self.value, self.rate)
        elif runs is not None:
            runs.update(now, end, self.measured, self.value, self.rate)

    @property
    def _is_busy(self) -> bool:
        return self._active is not None or self._run is not None

    def is_active(self, identity: Identity) -> bool:
        """Whether this trajectory or run is followed now."""
        run, active = self._run, self._active
        return (run is not None and run.identity == identity) or (
            active is not None and active.trajectory.identity == identity
        )

    def _begin(self, trajectory: Trajectory | Run, begin: int, value: Array, rate: Array) -> bool:
        """Begin, and end what was active or waiting; False: the controller refused."""
        reason = replaced_by(trajectory)
        if isinstance(trajectory, Run):
            if self._run is not None and self._run.controller is trajectory.controller:
                self._rest(begin)
                self._end_active(GoalState.REPLACED, reason)
            try:
                trajectory.controller.begin(begin, self.measured, value)
                trajectory.controller.instruct(begin, trajectory.references)
            except Exception as error:
                refused = reason_of(error, ReasonCode.REFUSED)
                self.events.append(ended(trajectory, GoalState.REJECTED, refused))
                return False
        self._end_waiting(GoalState.REPLACED, reason)
        self._end_active(GoalState.REPLACED, reason)
        self._rest(begin)
        self.on_feet = isinstance(trajectory, Trajectory) and trajectory.on_feet
        if isinstance(trajectory, Run):
            self._run = trajectory
        else:
            self._end = begin + round(trajectory.duration * NANOSECONDS)
            curve = start(trajectory, value, rate)
            self._active = Active(trajectory, curve, begin, self._end)
        self.events.append(GoalEvent(trajectory.identity, GoalState.ACTIVE))
        return True

    def _rest(self, now: int) -> None:
        """Want no motion; what was followed has ended."""
        self.rate[:] = 0.0
        self._end = now

    def _end_active(self, state: GoalState, reason: Reason) -> None:
        active, self._active = self._active, None
        run, self._run = self._run, None
        last = run if active is None else active.trajectory
        if last is not None:
            self.events.append(ended(last, state, reason))

    def _end_waiting(self, state: GoalState, reason: Reason) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self.events.append(ended(waiting, state, reason))

    def _drop_queued(self) -> None:
        """Refuse what waits for its turn, since what it was to follow was missed."""
        if self._waiting is not None and self._waiting.queued:
            self._end_waiting(GoalState.REJECTED, _DROPPED)

    def _decide(self, now: int, end: int, measured: Array, value: Array, rate: Array) -> None:
        active = self._active
        if active is None:
            self._decide_run(now, value, rate)
            return
        trajectory = active.trajectory
        if now < active.end and (
            self._left_path(active, now, measured) or not active.is_joined_by(self._waiting, end)
        ):
            return
        goal, wanted = trajectory.tolerances, trajectory.values[-1]
        # Before its end it is compared with what was wanted when it was measured.
        due = wanted if now >= active.end else self.value[trajectory.channels]
        usual = self.slack * self._limits.tolerance[trajectory.channels]
        off = self._deviation(trajectory, measured, due, usual if goal.goal is None else goal.goal)
        if not off.too_far:
            self._active = None
            self.value[trajectory.channels], self.rate[:] = wanted, 0.0
            reached = (GoalState.REACHED, off.error, off.channel.name)
            self.events.append(GoalEvent(trajectory.identity, *reached))
            if self._waiting is not None and self._waiting.queued:
                # Within the first tick after the end no time is lost between the two.
                begin = active.end if now < active.end + self._period else now
                latest = max(now, active.end)
                self._next(max(begin, self._waiting.stamp), latest, value, rate)
            return
        if now < active.end:
            return
        self.rate[:] = 0.0
        patience = self.settings.goal_timeout if goal.goal_time is None else goal.goal_time
        if np.isfinite(off.error) and now - active.end < patience * NANOSECONDS:
            return
        self._miss(active, off, off.why('is off its goal', f', {patience:g} s after the end'))

    def _decide_run(self, now: int, value: Array, rate: Array) -> None:
        run = self._run
        if run is None or not (run.controller.done or run.controller.problem):
            return
        self._rest(now)
        problem = run.controller.problem
        if problem is not None:
            self._end_active(GoalState.MISSED, problem)
            self._drop_queued()
            return
        self._run = None
        self.events.append(GoalEvent(run.identity, GoalState.REACHED))
        if self._waiting is not None and self._waiting.queued:
            self._next(max(now, self._waiting.stamp), now, value, rate)

    def _left_path(self, active: Active, now: int, measured: Array) -> bool:
        """Whether a trajectory was missed, as a channel left its tolerance on the way."""
        trajectory = active.trajectory
        limit = trajectory.tolerances.path
        if limit is None:
            return False
        off = self._deviation(trajectory, measured, self.value[trajectory.channels], limit)
        if off.too_far:
            self._stay(trajectory, measured)
            self._rest(now)
            self._miss(active, off, off.why('left its path'), on_the_way=True)
        return off.too_far

    def _miss(
        self, active: Active, off: Deviation, reason: Reason, on_the_way: bool = False
    ) -> None:
        self._active = None
        identity = active.trajectory.identity
        self.events.append(
            GoalEvent(
                identity, GoalState.MISSED, off.error, off.channel.name, (reason,), on_the_way
            )
        )
        self._drop_queued()

    def _stay(self, trajectory: Trajectory, measured: Array) -> None:
        """Want the trajectory's channels where they are measured; unmeasured ones as before."""
        columns = trajectory.channels
        found = np.isfinite(measured[columns])
        self.value[columns] = np.where(found, measured[columns], self.value[columns])

    def _deviation(
        self, trajectory: Trajectory, measured: Array, wanted: Array, tolerance: Array
    ) -> Deviation:
        columns = trajectory.channels
        return worst_deviation(
            self._limits.channels, columns, measured[columns] - wanted, tolerance
        )

    def _promote(self, now: int, end: int, value: Array, rate: Array) -> None:
        """Start what waits for its time; a queued one also waits for the active one."""
        waiting = self._waiting
        if waiting is None or not self.begins(waiting, now, end):
            return
        begin = max(now, waiting.stamp)
        if begin > now and self._active is not None:
            # Until then the command goes on as what is followed does.
            before = self.value.copy()
            self._active.evaluate(begin, self.value, self.rate)
            value = value + (self.value - before)
        self._next(begin, begin, value, rate)

    def _next(self, begin: int, now: int, value: Array, rate: Array) -> None:
        trajectory = self._waiting
        if trajectory is not None and begin <= now:
            self._waiting = None
            self._begin(trajectory, begin, value, rate)
