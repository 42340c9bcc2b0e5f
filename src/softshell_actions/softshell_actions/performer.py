"""Performs sub-actions one after another on a robot that solves, moves and reports.

Each sub-action is planned from the state the one before ends in, solved by one call of inverse
kinematics, and queued at the bridge, which starts it when the goal before is reached. So at any
time one sub-action moves and at most one waits there, while the next is planned already.
"""

import itertools
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from typing import Protocol

import numpy as np

from softshell_actions.call import Call, base_call
from softshell_actions.language import BaseMove
from softshell_actions.motion import Motion
from softshell_actions.pacing import Pacing
from softshell_actions.planner import Planner
from softshell_actions.state import State
from softshell_common.outcome import Status
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError

#: Time for the base to come back from its sway [s].
SETTLING = 0.6


class PerformError(SoftshellError):
    """A sub-action that could not be performed.

    Args:
        status: why.
        message: names the thing, the value and what was expected.
    """

    def __init__(self, status: Status, message: str) -> None:
        self.status = status
        super().__init__(message)


class Moving(Protocol):
    """A motion on its way. Both methods raise the PerformError that it ended with otherwise."""

    async def started(self) -> None:
        """Return once it moves."""

    async def reached(self) -> None:
        """Return once its goal is reached."""

    @property
    def over(self) -> bool:
        """Whether it has ended."""


class Robot(Protocol):
    """What the performer needs of a robot."""

    async def solve(
        self, limbs: Mapping[str, Array], seed: Mapping[str, float]
    ) -> Mapping[str, Array]:
        """Joint paths (points,) [rad] by joint, for tip goals (points, 6) by chain."""

    async def measure(self) -> State:
        """The state of the robot at rest."""

    async def tilt(self) -> float:
        """Angle between the base's z axis and the vertical [rad]; 0 if nothing measures it."""

    async def driven(self) -> None:
        """Return if its joints follow commands; raise a PerformError that says why not."""

    def disturbed(self) -> bool:
        """Whether anything but what was sent may have moved it since this was last asked."""

    def send(self, motion: Motion, queue: bool) -> Moving:
        """Start a motion now, or when the one before it is reached."""

    def slowed(self, why: str) -> None:
        """Take note that a sub-action takes longer than asked for."""

    def late(self, name: str) -> None:
        """Take note that a sub-action was sent only after the one before it had ended."""


class Performer:
    """Keeps the commanded state, and one motion ahead.

    Args:
        planner: plans sub-actions.
        robot: performs them.
        pacing: makes trajectories of plans.
        halt: a call that ends any travel, e.g. a stride with velocity 0; None for a robot that
            does not walk.

    Attributes:
        duration: of the motion sent last [s].
    """

    def __init__(self, planner: Planner, robot: Robot, pacing: Pacing, halt: Call | None) -> None:
        self._planner, self._robot, self._halt = planner, robot, halt
        self._pacing = pacing
        self._state: State | None = None
        self._last: Moving | None = None
        #: Announces the sub-action sent last, which may still wait for its turn.
        self._announce: Callable[[], None] = _nothing
        self.duration = 0.0

    async def state(self) -> State:
        """The commanded state; measured first where it is not known."""
        if self._state is None:
            self._state = await self._robot.measure()
        return self._state

    async def begin(self) -> None:
        """Before a command: let gaits start with the first part of their cycle, measure the tilt.

        If anything else has moved the robot, its whole state is measured.

        Raises:
            PerformError: the robot is not driven, or cannot be measured.
        """
        await self._robot.driven()
        if self._robot.disturbed():
            self.forget()
        state = await self.state()
        parts = state.parts if state.swings else {}
        self._state = replace(state, parts=parts, tilt=await self._robot.tilt())

    async def holds(self, condition: str) -> bool:
        """Whether a condition over facts is true of the commanded state."""
        return self._planner.holds(condition, await self.state())

    async def facts(self) -> tuple[str, ...]:
        """Names of the facts that are true of the commanded state, tilted as it is now."""
        state = replace(await self.state(), tilt=await self._robot.tilt())
        return self._planner.facts(state)

    async def under_way(self) -> None:
        """Return once the motion sent last moves.

        Raises:
            PerformError: it ended before that.
        """
        if self._last is None:
            return
        await self._last.started()
        announce, self._announce = self._announce, _nothing
        announce()

    def forget(self) -> None:
        """Measure the state anew before the next sub-action."""
        self._state, self._last, self._announce = None, None, _nothing

    async def perform(
        self,
        calls: AsyncIterator[Call],
        announce: Callable[[Call], None] = lambda call: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Perform sub-actions until they end or `stop` says so; the robot then stands still.

        Args:
            calls: the sub-actions; each is asked for as soon as the one before it is sent.
            announce: told each sub-action when it begins to move.
            stop: asked before each sub-action is sent.

        Returns:
            Whether all were performed.

        Raises:
            PerformError: one could not be; those before it were.
            SoftshellError: one could not be planned; those before it were performed.
        """
        complete = True
        try:
            async for call in calls:
                if not await self._next(call, announce, stop):
                    complete = False
                    break
            await self._stand_still(announce)
        except SoftshellError as error:
            await self._come_to_rest(error)
            raise
        await self._settle()
        return complete

    async def _next(
        self,
        call: Call,
        announce: Callable[[Call], None],
        stop: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Plan and solve a sub-action, and queue it behind the one that moves by then.

        Returns:
            False if `stop` kept it from being sent.
        """
        state = await self.state()
        if stop():
            return False
        if not self._planner.applies(call, state):
            return True
        motion, end = await self._planned(call, state)
        follows = self._last is not None
        await self.under_way()
        if stop():
            return False
        if self._last is not None and self._last.over:
            self._robot.late(call.name)
        self._last = self._robot.send(motion, queue=follows)
        self._announce = lambda: announce(call)
        self.duration = motion.duration
        self._state = end
        return True

    async def _planned(self, call: Call, state: State) -> tuple[Motion, State]:
        """The motion of a sub-action, no faster than joints may go, and the state it ends in."""
        call = self._pacing.usual(call)
        for attempt in itertools.count():
            plan = self._planner.plan(call, state)
            solved = await self._robot.solve(plan.limbs, state.joints) if plan.limbs else {}
            motion, end = self._pacing.motion(plan, solved)
            slower = self._pacing.slower(call, motion, attempt)
            if slower is None:
                break
            call, reason = slower
            self._robot.slowed(f'{call.name} is slowed down: {reason}')
        return motion, end

    async def _stand_still(self, announce: Callable[[Call], None] = lambda call: None) -> None:
        """End any travel, bring feet in the air to the ground, and the base back from its sway."""
        if self._halt is None:
            return
        if np.any((await self.state()).velocity):
            await self._next(self._halt, announce)
        while (await self.state()).swings:
            await self._next(self._halt.landing(), announce)
        if np.any((await self.state()).sway):
            await self._next(base_call('settle', SETTLING, BaseMove(base=[{}])), announce)

    async def _settle(self) -> None:
        """Wait until nothing moves.

        Raises:
            PerformError: what moved did not get where it should be.
        """
        last = self._last
        if last is None:
            return
        try:
            await self.under_way()
            self._last = None
            await last.reached()
        except PerformError:
            self.forget()
            raise

    async def _come_to_rest(self, error: SoftshellError) -> None:
        """After an error: halt if the robot can, and know where it is.

        Raises:
            PerformError: what was sent before failed as well, which is the reason to be told.
        """
        # What could not be planned or reached was never sent: the robot is where it should be.
        unsent = not isinstance(error, PerformError) or error.status is Status.UNREACHABLE
        if not unsent or self._state is None:
            self.forget()
            return
        stuck = not await self._halted()
        await self._settle()
        if stuck and self._state is not None:
            self._state = replace(self._state, velocity=np.zeros(3), swings={})

    async def _halted(self) -> bool:
        """Whether a halt could be planned and reached, and was sent.

        Raises:
            PerformError: it failed otherwise.
        """
        try:
            await self._stand_still()
        except PerformError as error:
            if error.status is Status.UNREACHABLE:
                return False
            self.forget()
            raise
        except SoftshellError:
            return False
        return True


def _nothing() -> None:
    """Announces nothing: the motion on its way was announced already."""
