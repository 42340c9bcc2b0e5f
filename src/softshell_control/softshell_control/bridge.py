"""The bridge without ROS: gate, follower and backend tied together, one tick at a time."""

from collections import deque
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from softshell_control.backend import Backend
from softshell_control.check import Refusal
from softshell_control.follower import Follower, FollowerSettings, GoalEvent, GoalState
from softshell_control.gate import Command, Limits, describe, gate_into
from softshell_control.trajectory import NANOSECONDS, Trajectory


class Mode(IntEnum):
    """What the bridge is doing; values as in softshell_interfaces/BridgeStatus."""

    STARTING = 0
    HOLDING = 1
    EXECUTING = 2
    FAULT = 3


@dataclass(frozen=True)
class Status:
    """A report of the bridge.

    Args:
        mode: what it is doing.
        goal: the trajectory last accepted or refused.
        reasons: why the gate refused or limited something since the last report, or the fault.
    """

    mode: Mode
    goal: GoalEvent
    reasons: tuple[str, ...] = ()


_NOTHING: tuple[Status, ...] = ()


class BridgeCore:
    """Takes trajectories, moves the joints, reports.

    `offer` may be called from any thread; everything else belongs to the thread that ticks.

    Args:
        backend: what moves the joints.
        limits: of the safety gate, for the independent joints.
        period: the control period [s].
        settings: when a goal counts as reached.
        start_time: of the bridge's clock [ns].
    """

    def __init__(
        self,
        backend: Backend,
        limits: Limits,
        period: float,
        settings: FollowerSettings,
        start_time: int = 0,
    ) -> None:
        count = len(limits.names)
        self.backend = backend
        self.limits = limits
        self.period = period
        self.mode = Mode.STARTING
        self.now = start_time
        self.command = Command.at_rest(np.zeros(count))
        self.follower = Follower(count, period, settings)
        self._wanted = Command(self.follower.position, self.follower.velocity)
        self._step = round(period * NANOSECONDS)
        self._inbox: deque[Trajectory | Refusal] = deque(maxlen=64)
        self._goal = GoalEvent(0, GoalState.NONE)
        self._limited = np.zeros(count, dtype=np.uint8)
        self._fault = ''
        self._count = count
        self.measured = backend.reset()
        self._activate()
        # Compiles or loads whatever the first motion would otherwise have to wait for.
        gate_into(self._wanted, self.command, limits, period, self.command, self._limited)
        self._limited[:] = 0

    def offer(self, message: Trajectory | Refusal) -> None:
        """Hand in a checked message; it is taken at the next tick."""
        self._inbox.append(message)

    def tick(self) -> tuple[Status, ...]:
        """Move for one control period.

        Returns:
            What changed, in order: empty most of the time.
        """
        if self.mode == Mode.FAULT:
            self.now += self._step
            return self._refuse_all() if self._inbox else _NOTHING
        reports = self._take_messages() if self._inbox else []
        reports += self._follow()
        gate_into(
            self._wanted, self.command, self.limits, self.period, self.command, self._limited
        )
        try:
            self.measured = self.backend.step(self.command)
        except Exception as error:
            return (*reports, self._fail(f'{type(error).__name__}: {error}'))
        self.now += self._step
        if not np.isfinite(self.measured.position).all():
            return (*reports, self._fail('measured joint positions are not finite'))
        mode = Mode.EXECUTING if self.follower.executing(self.now) else Mode.HOLDING
        if mode != self.mode:
            self.mode = mode
            reports.append(self.status())
        return tuple(reports) if reports else _NOTHING

    def status(self) -> Status:
        """The present state, with what the gate limited since it was last asked for."""
        reasons = self._goal.reasons
        if self._fault:
            reasons += (self._fault,)
        if self._limited.any():
            reasons += describe(self._limited, self.limits.names)
            self._limited[:] = 0
        return Status(self.mode, self._goal, reasons)

    def reset(self) -> Status:
        """Start the backend anew, forget all trajectories and any fault; nothing jumps."""
        self._fault = ''
        self._inbox.clear()
        self.measured = self.backend.reset()
        self._activate()
        return self.status()

    def _activate(self) -> None:
        """Hold where the joints are measured to be."""
        self.command.position[:] = self.measured.position[: self._count]
        self.command.velocity[:] = 0.0
        self.follower.hold(self.command.position)
        self.mode = Mode.HOLDING

    def _follow(self) -> list[Status]:
        events = self.follower.update(
            self.now,
            self.measured.position[: self._count],
            self.command.position,
            self.command.velocity,
        )
        return [self._report(event) for event in events]

    def _take_messages(self) -> list[Status]:
        reports = []
        while self._inbox:
            message = self._inbox.popleft()
            if isinstance(message, Refusal):
                event = GoalEvent(message.stamp, GoalState.REJECTED, 0.0, message.reasons)
                reports.append(self._report(event))
                continue
            events = self.follower.offer(
                message, self.now, self.command.position, self.command.velocity
            )
            reports += [self._report(event) for event in events]
        return reports

    def _report(self, event: GoalEvent) -> Status:
        self._goal = event
        if event.state == GoalState.ACTIVE:
            self.mode = Mode.EXECUTING
        return self.status()

    def _fail(self, text: str) -> Status:
        self._fault = text
        self.mode = Mode.FAULT
        self.follower.hold(self.command.position)
        return self.status()

    def _refuse_all(self) -> tuple[Status, ...]:
        reports = []
        while self._inbox:
            stamp = self._inbox.popleft().stamp
            event = GoalEvent(stamp, GoalState.REJECTED, 0.0, ('the bridge is in a fault',))
            reports.append(self._report(event))
        return tuple(reports)
