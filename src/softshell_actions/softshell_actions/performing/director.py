"""Performs commands, one at a time, each after what it requires."""

import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from softshell_actions.facts import FALLEN, MEASURED
from softshell_actions.language.expression import names_of
from softshell_actions.language.grammar import Assurance, Requirement
from softshell_actions.library import ActionLibrary
from softshell_actions.performing.call import Call
from softshell_actions.performing.performer import Performer
from softshell_actions.performing.robot import PerformError
from softshell_actions.performing.turns import Task, Turns
from softshell_common.outcome import Status
from softshell_kinematics.errors import SoftshellError


class Director:
    """Ties the performer, the library and the turns together.

    Args:
        library: the actions.
        performer: performs sub-actions.
        at_rest: called whenever a command has ended and the robot stands still.
        report: takes the traceback of an unexpected error.
    """

    def __init__(
        self,
        library: ActionLibrary,
        performer: Performer,
        at_rest: Callable[[], Awaitable[None]],
        report: Callable[[str], None],
    ) -> None:
        self.library, self.performer, self._report = library, performer, report
        self.turns = Turns(at_rest)

    async def perform(
        self,
        task: Task,
        requires: Requirement | None,
        calls: AsyncIterator[Call],
        announce: Callable[[Call], None] = lambda call: None,
        stop: Callable[[], bool] = lambda: False,
        ensures: Assurance | None = None,
    ) -> bool:
        """Perform a command when it is its turn.

        Args:
            task: the command.
            requires: what has to be true first.
            calls: its sub-actions.
            announce: called with each of these when it begins to move, not with those that bring
                about what is required.
            stop: asked before each sub-action; if true, the command ends there.
            ensures: what has to be true once all were performed.

        Returns:
            Whether all were performed.

        Raises:
            PerformError: a sub-action could not be performed; what is required is not true, and no
                action makes it true; what is ensured is not true at the end; an unexpected error.
            SoftshellError: a sub-action could not be planned.
        """
        if not task.queued:
            self.refuse_in_vain(task.name, requires)
        try:
            async with self.turns.take(task), self._forgetting():
                complete = await self._perform(task, requires, calls, announce, stop)
                if complete and ensures is not None:
                    await self._ensure(task.name, ensures)
                return complete
        except SoftshellError:
            raise
        except Exception as error:
            self._report(traceback.format_exc())
            text = f'{task.name}: {type(error).__name__}: {error}'
            raise PerformError(Status.INTERNAL_ERROR, text) from error

    @asynccontextmanager
    async def _forgetting(self) -> AsyncIterator[None]:
        """Forget the state after an unexpected error, before anybody is told that all rests."""
        try:
            yield
        except Exception as error:
            if not isinstance(error, SoftshellError):
                self.performer.forget()
            raise

    def refuse_in_vain(self, name: str, requires: Requirement | None) -> None:
        """Refuse a command that would end the one under way and could then not begin.

        What it requires is evaluated for the end of the motion sent last, if that is known.

        Raises:
            PerformError: that is not true there, and no action makes it true.
        """
        under_way, asked, needed = self.turns.moving, name, requires
        if under_way is None:
            return
        while needed is not None and self.performer.foresees(needed.condition) is False:
            if needed.action is None:
                now = ', '.join(self.performer.known_facts or ()) or 'no fact'
                raise PerformError(
                    Status.NOT_READY,
                    f'{asked} requires: {needed.condition}; true now: {now}'
                    f'{self._foreseen_advice(needed)}; {under_way} is under way and goes on',
                )
            action = self.library.action(needed.action)
            asked, needed = action.name, action.requires

    async def _perform(
        self,
        task: Task,
        requires: Requirement | None,
        calls: AsyncIterator[Call],
        announce: Callable[[Call], None],
        stop: Callable[[], bool],
    ) -> bool:
        own: set[int] = set()
        await self.performer.begin()
        try:
            return await self.performer.perform(
                self._all(task.name, requires, calls, own),
                lambda call: announce(call) if id(call) in own else None,
                stop=lambda: task.stop or stop(),
            )
        except PerformError as error:
            if error.status is Status.GOAL_MISSED and await self._has_fallen():
                raise PerformError(error.status, f'{error}; the robot has fallen') from None
            raise

    async def _ensure(self, name: str, ensures: Assurance) -> None:
        """Check that what an action ensures is true.

        Raises:
            PerformError: it is not.
        """
        if await self.performer.holds(ensures.condition, anew=True):
            return
        text = f'{name}: {ensures.otherwise}; expected after it: {ensures.condition}'
        raise PerformError(Status.GOAL_MISSED, text)

    async def _has_fallen(self) -> bool:
        try:
            return FALLEN in await self.performer.facts()
        except PerformError:  # it cannot be measured; the error before is what counts
            return False

    async def _all(
        self,
        name: str,
        requires: Requirement | None,
        calls: AsyncIterator[Call],
        own: set[int],
    ) -> AsyncIterator[Call]:
        """Sub-actions for what is required, then the command's own, whose ids go to `own`."""
        async for call in self.required(name, requires):
            yield call
        async for call in calls:
            own.add(id(call))
            yield call

    async def required(self, name: str, requires: Requirement | None) -> AsyncIterator[Call]:
        """The sub-actions that bring about what an action requires.

        Raises:
            PerformError: that is not true, and no action makes it true.
        """
        if requires is None or await self.performer.holds(requires.condition):
            return
        problem = f'{name} requires: {requires.condition}'
        if requires.action is not None:
            action = self.library.action(requires.action)
            async for call in self.required(action.name, action.requires):
                yield call
            for call in self.library.call(action.name):
                yield call
            if names_of(requires.condition) & {*MEASURED}:
                await self.performer.settle()  # what is measured is true of now alone
            if await self.performer.holds(requires.condition):
                return
            problem += f'; {action.name} did not bring it about'
        now = ', '.join(await self.performer.facts())
        text = f'{problem}; true now: {now or "no fact"}{await self._advice(requires)}'
        raise PerformError(Status.NOT_READY, text)

    async def _advice(self, requires: Requirement) -> str:
        """Words that recommend the action `advice`; empty if it cannot be performed now."""
        if requires.advice is None:
            return ''
        needed = self.library.action(requires.advice).requires
        able = needed is None or await self.performer.holds(needed.condition)
        return f'; {requires.advice} helps' if able else ''

    def _foreseen_advice(self, requires: Requirement) -> str:
        """As `_advice`, at the end of the motion sent last, as far as that is known."""
        if requires.advice is None:
            return ''
        needed = self.library.action(requires.advice).requires
        able = needed is None or self.performer.foresees(needed.condition)
        return f'; {requires.advice} helps' if able else ''
