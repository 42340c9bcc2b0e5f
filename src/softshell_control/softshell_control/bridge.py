"""The bridge without ROS: gate, follower and backend tied together, one tick at a time."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import numpy as np

from softshell_common.bridge_mode import DRIVING, WAY_OUT, BridgeMode
from softshell_common.goal_state import GoalState
from softshell_common.reason import Reason, ReasonCode
from softshell_control.backend import Backend, Measured, StopPolicy
from softshell_control.channel import Limits
from softshell_control.controller import Instruction, Run
from softshell_control.fault import FaultError, reason_of
from softshell_control.gate import SafetyGate
from softshell_control.inbox import Inbox, Message
from softshell_control.status import Requests, Status, stop, warnings_of
from softshell_control.time_flow import TimeFlow
from softshell_control.trajectories.check import Refusal
from softshell_control.trajectories.follower import FollowerSettings
from softshell_control.trajectories.following import Following
from softshell_control.trajectories.goal_event import GoalEvent
from softshell_control.trajectories.trajectory import NANOSECONDS, Identity, Trajectory
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError

#: Most reports of one tick, as sending takes time; the next ticks return the others. Where many
#: wait, one in `DELAY` leaves in a tick: each is told within twice as many ticks, whatever comes.
MOST_REPORTS, DELAY = 8, 256
CANCELLED = Reason(ReasonCode.CANCELLED, 'cancelled')
FAREWELL = Reason(ReasonCode.ENDING, 'the bridge is ending')


class BridgeCore:
    """Takes trajectories, moves the channels, reports; activated and stopped by request.

    `offer`, `cancel` and `request` may be called from any thread; everything else belongs to the
    thread that ticks.

    Args:
        backend: what moves the channels.
        limits: of the safety gate.
        period: the control period [s].
        settings: how long goals may take.
        policy: what the joints do after a fault or an emergency stop.
        start_time: of the bridge's clock [ns].

    Raises:
        ProblemsError: the backend measures arrays of wrong sizes.

    Attributes:
        measured: as the backend measured last.
        command: the last safe command.
        flow: pauses the time of a backend that owns it.
        following: what follows trajectories.
        ending: whether the bridge ends, so that nothing activates it; any thread may set it.
        channels: (channels,) measured value of every channel, in its unit; NaN where it is not
            finite or was not measured.
    """

    measured: Measured

    def __init__(
        self,
        backend: Backend,
        limits: Limits,
        period: float,
        settings: FollowerSettings,
        policy: StopPolicy = StopPolicy.HOLD,
        start_time: int = 0,
    ) -> None:
        self.backend, self.limits, self.period = backend, limits, period
        self._gate = SafetyGate(limits, period, backend.owns_time)
        self.command = self._gate.command
        self.following = following = Following(limits, period, settings)
        self.follower, self._events = following.follower, following.follower.events
        self._policy, self._inbox, self._goal = policy, Inbox(), GoalEvent()
        self._requests = Requests(backend.interrupt, backend.resume)
        self._why: tuple[Reason, ...] = ()
        self.mode, self.ending, self._used = BridgeMode.STARTING, False, np.inf
        self.flow = TimeFlow(start_time, period)
        self.channels = np.zeros(len(limits.channels))
        measured = backend.reset()
        measured.check(len(self.channels))
        self._note(measured)
        self.mode = BridgeMode.INACTIVE

    def offer(self, message: Message) -> None:
        """Hand in a checked message; it is taken at the next tick, or refused if too many wait."""
        self._inbox.put(message)

    def cancel(self, identity: Identity) -> None:
        """Give up a trajectory at the next tick."""
        self._inbox.put(identity)

    def request(self, change: Callable[[], str], stops: bool = False) -> 'Future[str]':
        """Have one of `activate`, `deactivate`, ... called at the next tick.

        Args:
            change: what is called.
            stops: whether the backend is told to end what is being carried out before it.

        Returns:
            What it returns, or the SoftshellError that it raises.
        """
        return self._requests.add(change, stops)

    @property
    def now(self) -> int:
        """The end of the last control period [ns]."""
        return self.flow.now

    @property
    def driven(self) -> bool:
        """Whether the channels follow commands."""
        return self.mode in DRIVING

    def tick(self, now: int | None = None) -> tuple[Status, ...]:
        """Let one control period pass.

        Args:
            now: the time at its end [ns]; default a period after the last, for backends that own
                time. A tick that does not end after the last one is left out.

        Returns:
            What changed, in order: empty most of the time; see `MOST_REPORTS`.
        """
        before = self.mode, self._why
        self._requests.answer()
        for message in self._inbox.take():
            self._take(message)
        end = self.flow.end(now)
        if self.flow.begins(end):
            # The times of trajectories are wrong by then.
            if self.driven and (back := self.flow.gone_back(end)) > 0.0:
                self.fail(Reason(ReasonCode.CLOCK, f'the clock went back by {back:.3f} s'))
            if self.driven:
                self._drive(end)
            self._move(end)
            self.flow.passed(end)
            if self.driven:
                executing = self.follower.executing(self.now)
                self.mode = BridgeMode.EXECUTING if executing else BridgeMode.HOLDING
                self._relax_if_idle()
        elif not self.flow.stands_still:
            self.backend.wait()
        if not self._events:
            return () if (self.mode, self._why) == before else (self.status(),)
        reports = []
        for _ in range(min(len(self._events), max(MOST_REPORTS, len(self._events) // DELAY))):
            self._goal = self._events.pop(0)
            reports.append(self.status())
        return tuple(reports)

    def status(self) -> Status:
        """The present state, with what was limited since it was last asked for."""
        reasons = self._why + self._gate.reasons() + self.flow.reasons()
        return Status(self.mode, self._goal, reasons + warnings_of(self.backend))

    def activate(self) -> str:
        """Begin to drive the channels, holding what is measured.

        Raises:
            SoftshellError: the bridge is not inactive, is ending, or the backend refuses.
        """
        if self.driven:
            return 'active already'
        if self.mode is not BridgeMode.INACTIVE or self.ending:
            raise SoftshellError('the bridge is ending' if self.ending else WAY_OUT[self.mode])
        try:
            self._or_fault(lambda: self._note(self.backend.activate()), refusal=SoftshellError)
        except SoftshellError as error:
            if self.mode is BridgeMode.INACTIVE:
                self._why = (reason_of(error, ReasonCode.REFUSED),)
            raise
        lost = np.array(self.limits.names)[np.isnan(self.channels)]
        if len(lost):
            self._or_fault(self.backend.deactivate)
            text = f'not measured, so it cannot be held: {", ".join(lost)}'
            self._why = (Reason(ReasonCode.NOT_MEASURED, text),)
            raise SoftshellError(text)
        self.following.begin()
        self._gate.begin(self.channels, self.now)
        self._give_up(Reason())
        self._why, self._used, self.mode = (), np.inf, BridgeMode.HOLDING
        return 'the joints are driven, and hold where they are'

    def deactivate(self) -> str:
        """End driving the channels, also if a stop left them held; a fault stays a fault."""
        driven = self.driven
        self._give_up(Reason(ReasonCode.DEACTIVATED, 'the bridge was deactivated'))
        self._or_fault(self.backend.deactivate)
        if driven:
            self.mode = BridgeMode.INACTIVE
        if self.mode is BridgeMode.INACTIVE:
            self._why = ()
        return f'the joints are not driven; the mode is {self.mode.words}'

    def end(self) -> str:
        """Give up all trajectories, hold, and report that the bridge is ending."""
        self._give_up(FAREWELL)
        self._why, self.ending = (*self._why, FAREWELL), True
        return 'holds'

    def clear_fault(self) -> str:
        """Leave a fault; the bridge is then inactive.

        Raises:
            SoftshellError: there is none.
        """
        if self.mode is not BridgeMode.FAULT:
            raise SoftshellError(f'no fault to clear: mode is {self.mode.words}; expected fault')
        self._why, self.mode = (), BridgeMode.INACTIVE
        return 'the fault is cleared; ~/activate drives the joints'

    def emergency_stop(self) -> str:
        """Stop by the policy, whatever the bridge is doing; only `reset` leads out."""
        reason = Reason(ReasonCode.EMERGENCY_STOP, 'emergency stop')
        self._give_up(reason)
        failure = stop(self.backend, self._policy)
        self._why = (reason, *failure)
        self.mode = BridgeMode.EMERGENCY_STOP
        told = ''.join(f'; {each}' for each in failure)
        return f'stopped ({self._policy.value}){told}; ~/reset and ~/activate lead out'

    def reset(self) -> str:
        """Begin anew: no fault, no trajectories, the backend as at its start, inactive."""
        self._give_up(Reason(ReasonCode.RESET, 'the bridge was reset'))
        self._or_fault(lambda: self._note(self.backend.reset()))
        if self.backend.owns_time:
            self.following.forget()
        self._why, self.mode = (), BridgeMode.INACTIVE
        return 'the bridge is as at its start; ~/activate drives the joints'

    def intervene(
        self, change: Callable[[], Measured], reason: Reason, hold: Array | None = None
    ) -> None:
        """Change a simulated robot by something else than commands.

        Trajectories end; if the channels are driven they are held.

        Args:
            change: makes the change and measures; if it raises, the bridge stays as it is.
            reason: why trajectories end.
            hold: (channels,) what is held; default what is measured then.
        """
        self._note(change())
        if self.driven:
            self.following.begin()
            self._gate.begin(self.channels if hold is None else hold, self.now)
        self.following.moved(self.command, reason)

    def apply(self, parameters: Any) -> None:
        """Hand live parameters to the backend; an error is a fault."""
        try:
            self.backend.apply(parameters)
        except Exception as error:
            self.fail(reason_of(error))

    def fail(self, reason: Reason) -> None:
        """Make a fault: stop by the policy and report why; an emergency stop stays one."""
        self._give_up(reason)
        failure = stop(self.backend, self._policy)
        stopped = self.mode is BridgeMode.EMERGENCY_STOP
        self._why = (*(self._why[:1] if stopped else ()), reason, *failure)
        self.mode = self.mode if stopped else BridgeMode.FAULT

    def _take(self, message: Message) -> None:
        if isinstance(message, Trajectory | Run) and (self.ending or not self.driven):
            why = FAREWELL if self.ending else Reason(ReasonCode.NOT_DRIVEN, WAY_OUT[self.mode])
            message = Refusal(message.identity, (why,))
        if isinstance(message, Identity):
            self.following.cancel(message, self.command, CANCELLED)
        elif isinstance(message, Refusal):
            event = GoalEvent(message.identity, GoalState.REJECTED, reasons=message.reasons)
            self._events.append(event)
        elif isinstance(message, Instruction):
            try:
                self.follower.instruct(message, self.now)
            except Exception as error:  # of a controller
                self.fail(reason_of(error, ReasonCode.INTERNAL))
        else:
            self.following.offer(message, self.now, self.command)
            if self.follower.is_active(message.identity):
                self.mode = BridgeMode.EXECUTING

    def _drive(self, end: int) -> None:
        """Follow the trajectories to the end of the period, as the gate allows."""
        now, seen = self.now, self.measured
        present = self._gate.expected(self.channels, seen.age, seen.stamp)
        try:
            wanted = self.following.update(now, end, seen, present, self.command)
        except Exception as error:  # of a controller
            self.fail(reason_of(error, ReasonCode.INTERNAL))
            return
        self._gate.advance(wanted, end)

    def _relax_if_idle(self) -> None:
        """Release the joints after a long time without a command, or since the first period."""
        timeout = self.follower.settings.relax_timeout
        if self.now < self._used or self.mode is BridgeMode.EXECUTING or self.follower.waiting:
            self._used = self.now
        if timeout == 0.0 or self.now - self._used < timeout * NANOSECONDS:
            return
        try:
            self.backend.deactivate()
        except Exception as error:
            self.fail(reason_of(error))
            return
        text = f'no command for {timeout:g} s, so the joints were released; ~/activate drives them'
        self._why = (Reason(ReasonCode.TIMEOUT, text),)
        self.mode = BridgeMode.INACTIVE

    def _move(self, now: int) -> None:
        stamp = self.measured.stamp
        try:
            self._note(self.backend.step(now, self.command if self.driven else None))
        except Exception as error:
            # The last measurement keeps its stamp, so that it is not taken for a new one.
            self.measured.stamp = stamp
            if self.mode not in (BridgeMode.FAULT, BridgeMode.EMERGENCY_STOP):
                self.fail(reason_of(error))
            return
        measured = self.measured
        if self.driven and not np.isfinite(measured.position[measured.valid]).all():
            self.fail(Reason(ReasonCode.NOT_FINITE, 'measured joint positions are not finite'))
        if self.driven and measured.derating is not None and np.isnan(measured.derating).any():
            self.fail(Reason(ReasonCode.NOT_FINITE, 'the derating is not finite'))

    def _note(self, measured: Measured) -> None:
        """Take a measurement; channels that were not measured become NaN."""
        measured.write_known(self.channels, self.limits.joints)
        derating = 1.0 if measured.derating is None else np.nan_to_num(measured.derating, nan=0.0)
        np.clip(derating, 0.0, 1.0, out=self._gate.derating)
        self.measured = self.follower.measured = measured

    def _or_fault(
        self, call: Callable[[], object], refusal: type[Exception] | tuple[()] = ()
    ) -> None:
        """Call the backend; raises its error again, after a fault unless it is a `refusal`."""
        try:
            call()
        except Exception as error:
            if isinstance(error, FaultError) or not isinstance(error, refusal):
                self.fail(reason_of(error))
            raise

    def _give_up(self, reason: Reason) -> None:
        self.following.hold(self.command, reason)
