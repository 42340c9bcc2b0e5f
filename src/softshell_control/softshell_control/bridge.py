"""The bridge without ROS: gate, follower and backend tied together, one tick at a time."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import numpy as np

from softshell_common.bridge_mode import WAY_OUT, BridgeMode
from softshell_common.goal_state import GoalState
from softshell_control.backend import Backend, Measured, StopPolicy
from softshell_control.channel import Limits
from softshell_control.check import Refusal
from softshell_control.follower import Follower, FollowerSettings, GoalEvent
from softshell_control.gate import Command, describe, gate_into
from softshell_control.trajectory import NANOSECONDS, Identity, Trajectory
from softshell_kinematics.errors import SoftshellError

#: Messages that may wait for the next tick.
MOST_WAITING = 64

#: Reports of one tick; what is more comes with the next ones, for to send it takes time.
MOST_REPORTS = 8

#: What a control period may last for the gate, in nominal periods: after a stall the command goes
#: on from where it was, no faster than the limits allow.
SHORTEST, LONGEST = 0.5, 2.0


@dataclass(frozen=True)
class Status:
    """A report of the bridge.

    Args:
        mode: what it is doing.
        goal: the trajectory whose state changed last.
        reasons: the fault, and what the gate limited since the last report.
    """

    mode: BridgeMode
    goal: GoalEvent
    reasons: tuple[str, ...] = ()


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
        channels: (channels,) what is known of every channel from it: NaN where it is not finite,
            and for a joint that was not measured.
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
        count = len(limits.channels)
        self.backend = backend
        self.limits = limits
        self.period = period
        self.mode = BridgeMode.STARTING
        self.now = start_time
        self.command = Command.at_rest(np.zeros(count))
        self.follower = Follower(limits, period, settings)
        self._policy = policy
        self._wanted = Command(self.follower.value, self.follower.rate)
        self._step = round(period * NANOSECONDS)
        self._inbox: deque[Trajectory | Refusal | Identity] = deque()
        self._requests: deque[tuple[Callable[[], str], Future[str]]] = deque()
        self._events: list[GoalEvent] = []
        self._goal = GoalEvent()
        self._limited = np.zeros(count, dtype=np.uint8)
        self._fault = ''
        # Compiles or loads whatever the first motion would otherwise have to wait for.
        gate_into(self._wanted, self.command, limits, period, self.command, self._limited)
        self._limited[:] = 0
        self.channels = np.zeros(count)
        measured = backend.reset()
        measured.check(count)
        self._note(measured)
        self.mode = BridgeMode.INACTIVE

    def offer(self, message: Trajectory | Refusal) -> None:
        """Hand in a checked message; it is taken at the next tick, or refused if too many wait."""
        if isinstance(message, Trajectory) and len(self._inbox) >= MOST_WAITING:
            text = f'{len(self._inbox)} messages wait for the control loop already'
            message = Refusal(message.identity, (text,))
        self._inbox.append(message)

    def cancel(self, identity: Identity) -> None:
        """Give up a trajectory at the next tick."""
        self._inbox.append(identity)

    def request(self, change: Callable[[], str]) -> 'Future[str]':
        """Have one of `activate`, `deactivate`, ... called at the next tick.

        Returns:
            What it returns, or the SoftshellError that it raises.
        """
        future: Future[str] = Future()
        self._requests.append((change, future))
        return future

    @property
    def driven(self) -> bool:
        """Whether the channels follow commands."""
        return self.mode in (BridgeMode.HOLDING, BridgeMode.EXECUTING)

    def tick(self, now: int | None = None) -> tuple[Status, ...]:
        """Let one control period pass.

        Args:
            now: the time at its end [ns]; default a period after the last, for backends that own
                time.

        Returns:
            What changed, in order: empty most of the time, at most `MOST_REPORTS`.
        """
        before = self.mode
        while self._requests:
            _answer(*self._requests.popleft())
        while self._inbox:
            self._take(self._inbox.popleft())
        end = self.now + self._step if now is None else now
        if self.driven:
            self._drive(end)
        self._move(end)
        self.now = end
        if self.driven:
            executing = self.follower.executing(self.now)
            self.mode = BridgeMode.EXECUTING if executing else BridgeMode.HOLDING
        if not self._events:
            return () if self.mode == before else (self.status(),)
        reports = []
        for event in self._events[:MOST_REPORTS]:
            self._goal = event
            reports.append(self.status())
        del self._events[:MOST_REPORTS]
        return tuple(reports)

    def status(self) -> Status:
        """The present state, with what the gate limited since it was last asked for."""
        reasons: tuple[str, ...] = (self._fault,) if self._fault else ()
        if self._limited.any():
            reasons += describe(self._limited, self.limits.names)
            self._limited[:] = 0
        return Status(self.mode, self._goal, reasons)

    def activate(self) -> str:
        """Begin to drive the channels, holding what is measured.

        Raises:
            SoftshellError: the bridge is not inactive, or the backend refuses.
        """
        if self.driven:
            return 'active already'
        if self.mode is not BridgeMode.INACTIVE:
            raise SoftshellError(WAY_OUT[self.mode])
        self._or_fault(lambda: self._note(self.backend.activate()), refusal=SoftshellError)
        lost = np.isnan(self.channels)
        if lost.any():
            self._or_fault(self.backend.deactivate)
            names = [name for name, gone in zip(self.limits.names, lost, strict=True) if gone]
            raise SoftshellError(f'not measured, so it cannot be held: {", ".join(names)}')
        self.command.value[:] = self.channels
        self.command.rate[:] = 0.0
        self.follower.hold(self.command.value)
        self.mode = BridgeMode.HOLDING
        return 'the joints are driven, and hold where they are'

    def deactivate(self) -> str:
        """End driving the channels, also where a stop left them held; no fault ends by it."""
        driven = self.driven
        self._give_up('the bridge was deactivated')
        self._or_fault(self.backend.deactivate)
        if driven:
            self.mode = BridgeMode.INACTIVE
        words = self.mode.name.lower().replace('_', ' ')
        return f'the joints are not driven; the mode is {words}'

    def end(self) -> str:
        """Give up all trajectories for good, by name, and hold."""
        self._give_up('the bridge is ending')
        return 'holds'

    def clear_fault(self) -> str:
        """Leave a fault; the bridge is then inactive.

        Raises:
            SoftshellError: there is none.
        """
        if self.mode is not BridgeMode.FAULT:
            raise SoftshellError('there is no fault to clear')
        self._fault = ''
        self.mode = BridgeMode.INACTIVE
        return 'the fault is cleared; ~/activate drives the joints'

    def emergency_stop(self) -> str:
        """Stop by the policy, whatever the bridge is doing; only `reset` leads out."""
        self._give_up('emergency stop')
        failure = self._stop()
        self._fault = f'emergency stop{failure}'
        self.mode = BridgeMode.EMERGENCY_STOP
        return f'stopped ({self._policy.value}){failure}; ~/reset and ~/activate lead out'

    def reset(self) -> str:
        """Begin anew: no fault, no trajectories, the backend as at its start, inactive."""
        self._give_up('the bridge was reset')
        self._or_fault(lambda: self._note(self.backend.reset()))
        self._fault = ''
        self.mode = BridgeMode.INACTIVE
        return 'the bridge is as at its start; ~/activate drives the joints'

    def apply(self, parameters: Any) -> None:
        """Hand live parameters to the backend; an error is a fault."""
        try:
            self.backend.apply(parameters)
        except Exception as error:
            self.fail(reason_of(error))

    def fail(self, text: str) -> None:
        """Stop by the policy and say why; an emergency stop stays one."""
        self._give_up(text)
        failure = self._stop()
        if self.mode is BridgeMode.EMERGENCY_STOP:
            self._fault = f'emergency stop; {text}{failure}'
        else:
            self._fault = f'{text}{failure}'
            self.mode = BridgeMode.FAULT

    def _take(self, message: Trajectory | Refusal | Identity) -> None:
        if isinstance(message, Identity):
            self._events += self.follower.cancel(message, self.command.value, 'cancelled')
        elif isinstance(message, Refusal):
            event = GoalEvent(message.identity, GoalState.REJECTED, reasons=message.reasons)
            self._events.append(event)
        elif self.driven:
            command = self.command
            self._events += self.follower.offer(message, self.now, command.value, command.rate)
            if self._events and self._events[-1].state is GoalState.ACTIVE:
                self.mode = BridgeMode.EXECUTING
        else:
            reasons = (WAY_OUT[self.mode],)
            self._events.append(GoalEvent(message.identity, GoalState.REJECTED, reasons=reasons))

    def _drive(self, end: int) -> None:
        """Follow the trajectories to the end of the period; the gate makes a safe command of it.

        Periods of wall time differ, and the limits hold in the time that passes: by the nominal
        period, a tick that is a little late would look like a jump.
        """
        command = self.command
        self._events += self.follower.update(
            self.now, end, self.channels, command.value, command.rate
        )
        passing = (end - self.now) / NANOSECONDS
        period = min(max(passing, SHORTEST * self.period), LONGEST * self.period)
        gate_into(self._wanted, command, self.limits, period, command, self._limited)

    def _move(self, now: int) -> None:
        stamp = self.measured.stamp
        try:
            self._note(self.backend.step(now, self.command if self.driven else None))
        except Exception as error:
            # What was measured keeps its stamp, so that nobody takes it for new.
            self.measured.stamp = stamp
            if self.mode not in (BridgeMode.FAULT, BridgeMode.EMERGENCY_STOP):
                self.fail(reason_of(error))
            return
        measured = self.measured
        if self.driven and not np.isfinite(measured.position[measured.valid]).all():
            self.fail('measured joint positions are not finite')

    def _note(self, measured: Measured) -> None:
        """Take a measurement; nothing old or infinite stands for what was not measured."""
        self.channels[:] = measured.channels
        joints = self.channels[: self.limits.joints]
        joints[~measured.valid[: len(joints)]] = np.nan
        self.channels[~np.isfinite(self.channels)] = np.nan
        self.measured = measured

    def _or_fault(
        self, call: Callable[[], object], refusal: type[Exception] | tuple[()] = ()
    ) -> None:
        """Call the backend; an error is a fault, unless it is a refusal, and raised again."""
        try:
            call()
        except refusal:
            raise
        except Exception as error:
            self.fail(reason_of(error))
            raise

    def _stop(self) -> str:
        # Whatever else is broken: the stop is attempted, and the bridge lives on to report.
        try:
            self.backend.stop(self._policy)
        except Exception as error:
            return f'; the backend did not stop: {reason_of(error)}'
        return ''

    def _give_up(self, reason: str) -> None:
        self._events += self.follower.hold(self.command.value, reason)


def reason_of(error: Exception) -> str:
    """An error as the reason of a fault; an error that is not ours comes with its kind."""
    return str(error) if isinstance(error, SoftshellError) else f'{type(error).__name__}: {error}'


def _answer(change: Callable[[], str], future: 'Future[str]') -> None:
    """Carry out a request, unless whoever made it has stopped waiting."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(change())
    except Exception as error:
        future.set_exception(error)
