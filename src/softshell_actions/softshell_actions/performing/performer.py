"""Performs sub-actions one after another on a robot that solves, moves and reports.

Each sub-action is planned from the state the one before ends in, solved by one call of inverse
kinematics, and queued at the bridge, which starts it when the goal before is reached. So at any
time one sub-action moves and at most one waits there, while the next is planned already.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace

import numpy as np

from softshell_actions.facts import MEASURED
from softshell_actions.language.expression import names_of
from softshell_actions.performing.call import Call
from softshell_actions.performing.controlling import control
from softshell_actions.performing.course import Course
from softshell_actions.performing.robot import PerformError, Robot, Running
from softshell_actions.performing.sent import Sent
from softshell_actions.performing.solving import solved
from softshell_actions.performing.walking import passage, settling
from softshell_actions.planning.debt import Debt
from softshell_actions.planning.planner import Planner
from softshell_actions.planning.preparing import Prepared, Preparing
from softshell_actions.state import State
from softshell_actions.trajectories.pacing import Pacing
from softshell_common.outcome import Status
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError


class Performer:
    """Performs sub-actions: plans one ahead, and keeps the commanded state.

    Args:
        planner: plans sub-actions.
        robot: performs them.
        pacing: makes trajectories of plans.
        stand: sub-actions that bring the robot to where it can walk.

    Attributes:
        duration: of the motion sent last [s].
        holds_heading: whether strides make up for the slip of those before them.
        running: the controller that moves the robot, if one does.
    """

    def __init__(
        self, planner: Planner, robot: Robot, pacing: Pacing, stand: Sequence[Call] = ()
    ) -> None:
        self._planner, self._robot = planner, robot
        self._stand = tuple(stand)
        self._preparing = Preparing(planner, pacing)
        self._state: State | None = None
        self._sent, self._course = Sent(), Course()
        self.duration, self.holds_heading = 0.0, True
        self.running: Running | None = None

    @property
    def known_facts(self) -> tuple[str, ...] | None:
        """Facts of the commanded state; None if it is not known."""
        return None if self._state is None else self._planner.facts(self._state)

    async def state(self) -> State:
        """The commanded state; measured first where it is not known."""
        if self._state is None:
            measured = await self._robot.measure()
            if self._state is None:  # what was commanded meanwhile is newer
                self._state = measured
        return self._state

    async def begin(self) -> None:
        """Prepare for a command: gaits start anew, and the tilt is measured.

        If anything else has moved the robot, its whole state is measured.

        Raises:
            PerformError: the robot is not driven, or cannot be measured.
        """
        await self._robot.driven()
        if self._robot.disturbed():
            self.forget()
        state = await self.state()
        self._course.begin()
        parts = state.parts if state.swings else {}
        self._state = replace(state, parts=parts, tilt=await self._robot.tilt())

    async def holds(self, condition: str, anew: bool = False) -> bool:
        """Whether a condition over facts is true of the commanded state.

        Whether an object is held is measured if it asks for that; with `anew` the tilt as well.
        """
        state = await self.state()
        state = replace(state, tilt=await self._robot.tilt()) if anew else state
        if names_of(condition) & {*MEASURED}:
            state = replace(state, holds=await self._robot.holds())
        return self._planner.holds(condition, state)

    def foresees(self, condition: str) -> bool | None:
        """Whether a condition is true of the commanded state; None if that has to be measured."""
        if self._state is None or names_of(condition) & {*MEASURED}:
            return None
        return self._planner.holds(condition, self._state)

    async def facts(self) -> tuple[str, ...]:
        """Names of the facts that are true of the commanded state, tilted as it is now."""
        state = replace(await self.state(), tilt=await self._robot.tilt())
        return self._planner.facts(state)

    async def under_way(self) -> None:
        """Return once the motion sent last moves.

        Raises:
            PerformError: it ended before that.
        """
        await self._sent.begun()

    def forget(self) -> None:
        """Measure the state anew before the next sub-action."""
        self._state, self._sent, self._course = None, Sent(), Course()

    async def perform(
        self,
        calls: AsyncIterator[Call],
        announce: Callable[[Call], None] = lambda call: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Perform sub-actions until they end or `stop` says so; the robot then stands still.

        Args:
            calls: the sub-actions; each is asked for as soon as the one before it is sent.
            announce: called with each sub-action when it begins to move.
            stop: asked before each sub-action is sent.

        Returns:
            Whether all were performed.

        Raises:
            PerformError: one could not be; those before it were.
            SoftshellError: one could not be planned; those before it were performed.
        """
        try:
            complete = await self._all(calls, announce, stop)
            await self._stand_still(announce)
            await self.settle()
        except Exception as error:  # one that nobody expects as well: what moves ends first
            await self._come_to_rest(error)
            raise
        return complete

    async def _all(
        self,
        calls: AsyncIterator[Call],
        announce: Callable[[Call], None],
        stop: Callable[[], bool],
    ) -> bool:
        """Send all sub-actions, and those that make up for shortened ones; False if stopped."""
        debt = Debt(self._planner)
        async for call in calls:
            if not (
                await self._make_up(debt, call, stop)
                and await self._next(call, announce, stop, debt)
            ):
                return False
        return await self._make_up(debt, None, stop)

    async def _make_up(self, debt: Debt, following: Call | None, stop: Callable[[], bool]) -> bool:
        while (due := debt.due(following)) is not None:
            if not await self._next(due, stop=stop, debt=debt, makes_up=True):
                return False
        return True

    async def _next(
        self,
        call: Call,
        announce: Callable[[Call], None] = lambda call: None,
        stop: Callable[[], bool] = lambda: False,
        debt: Debt | None = None,
        makes_up: bool = False,
    ) -> bool:
        """Plan and solve a sub-action, and queue it behind the one that moves by then.

        Returns:
            False if `stop` kept it from being sent.

        Raises:
            PerformError: it cannot be solved, or the one before failed.
            SoftshellError: it cannot be planned.
        """
        state = await self.state()
        if stop():
            return False
        if not (makes_up or self._planner.applies(call, state)):
            return True
        if call.controller is not None:
            return await self._control(call, announce, stop)
        state = await self._ready_for(call, stop)
        if stop():
            return False
        change = self._course.correction(call) if self.holds_heading else None
        try:
            prepared = await self._prepared(call, state, change)
        except PerformError as error:
            if error.status is Status.UNREACHABLE and call.plain is not None:
                self._robot.adapted(f'{call.name}: the base stays as it is: {error}')
                return await self._next(call.plain, announce, stop, debt, makes_up)
            if not (error.status is Status.UNREACHABLE and call.travels and state.at_rest):
                raise
            risen = await self._from_a_stand(call, error, stop)
            if risen is None:
                return False
            prepared, state = risen, await self.state()
        before = self._sent.last
        await self.under_way()
        if stop():
            return False
        if before is not None and before.over:
            self._robot.late(call.name)
        motion = self._robot.send(prepared.motion, queue=before is not None)
        self._sent.add(motion, lambda: announce(call))
        self._course.sent(motion, state, prepared)
        self.duration = prepared.motion.duration
        self._state = prepared.end
        if debt is not None:
            debt.note(call, prepared, makes_up)
        return True

    async def _control(
        self, call: Call, announce: Callable[[Call], None], stop: Callable[[], bool]
    ) -> bool:
        """Run a controller till it is done, or till `stop` says that it has to end.

        Raises:
            PerformError: it did not begin, or did not reach its goal.
        """
        await self.under_way()
        if stop():
            return False
        follows = self._sent.last is not None

        def begun(run: Running) -> None:
            self.running = run
            announce(call)

        try:
            return await control(self._robot, call, follows, begun, stop)
        except Exception:  # the move before a run that did not begin goes on
            await self._sent.ended()
            raise
        finally:
            self.running = None
            self.forget()

    async def _ready_for(self, call: Call, stop: Callable[[], bool]) -> State:
        """Send what has to come before a call, see `passage`; the state in which it begins."""
        while (between := passage(call, state := await self.state(), self._planner)) is not None:
            if not await self._next(between, stop=stop):
                break
        return state

    async def _from_a_stand(
        self, call: Call, reason: PerformError, stop: Callable[[], bool]
    ) -> Prepared | None:
        """Let the robot stand up, then prepare a stride that it could not begin where it was.

        Returns:
            None if `stop` ended that.

        Raises:
            PerformError: the stride cannot begin there either.
            SoftshellError: it cannot be planned.
        """
        if not self._stand:
            raise reason
        self._robot.adapted(f'{call.name}: the robot stands up first: {reason}')
        for rising in self._stand:
            if not await self._next(rising, stop=stop):
                return None
        return await self._prepared(call, await self.state())

    async def _prepared(self, call: Call, state: State, change: Array | None = None) -> Prepared:
        """A sub-action as the robot can do it; errors are those of `_next`."""
        prepared = await solved(self._preparing.prepare(call, state, change), self._robot)
        for remark in prepared.remarks:
            self._robot.adapted(remark)
        return prepared

    async def _stand_still(self, announce: Callable[[Call], None] = lambda call: None) -> None:
        """Come to rest, set down feet in the air, then end sway, and travel without a gait."""
        stride = (await self.state()).stride
        if stride is not None and np.any((await self.state()).velocity):
            await self._next(stride.halting(), announce)
        while stride is not None and (await self.state()).swings:
            await self._next(stride.halting().landing(), announce)
        if np.any((await self.state()).sway) or np.any((await self.state()).velocity):
            await self._next(settling(), announce)

    async def settle(self) -> None:
        """Wait until nothing moves.

        Raises:
            PerformError: the motion did not reach its goal.
        """
        if (last := self._sent.last) is None:
            return
        try:
            await self.under_way()
            await last.reached()
        except PerformError:
            await self._lose()
            raise
        self._sent = Sent()

    async def _lose(self) -> None:
        """Forget the state once nothing moves: what is measured on the way is no beginning."""
        await self._sent.ended()
        self.forget()

    async def _come_to_rest(self, error: Exception) -> None:
        """After an error: halt if the robot can; keep the state if it is known.

        Raises:
            PerformError: what was sent before failed as well; this error is then the cause.
        """
        # A sub-action that could not be planned or reached was not sent: the state is known.
        status = getattr(error, 'status', Status.UNREACHABLE)
        unsent = isinstance(error, SoftshellError) and status is Status.UNREACHABLE
        if not unsent or self._state is None:
            await self._lose()
            return
        stuck = not await self._halted()
        await self.settle()
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
            await self._lose()
            raise
        except SoftshellError:
            return False
        return True
