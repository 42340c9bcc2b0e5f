"""Whose turn it is to move the robot."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from softshell_actions.performing.promise import Promise
from softshell_actions.performing.robot import PerformError
from softshell_common.outcome import Status

#: Most commands that wait.
LONGEST_QUEUE = 32


@dataclass(eq=False)
class Task:
    """A command, from when it is given until the robot has come to rest after it.

    Args:
        name: of the command.
        priority: a command takes over from one of the same or lower priority.
        queued: whether it waits until all commands before it have ended, and does not take over.
        given_up: tells whether it was cancelled.
        stop: whether it has to end, as another took over.
        ended: set once the robot has come to rest after it.
        turn: set when a queued command may begin: None, or the error with which it ends instead.
    """

    name: str
    priority: int = 1
    queued: bool = False
    given_up: Callable[[], bool] = lambda: False
    stop: bool = False
    ended: Promise[None] = field(default_factory=Promise)
    turn: Promise[PerformError | None] = field(default_factory=Promise)


class Turns:
    """Lets one command at a time move the robot; a newer one takes over, or waits in the queue.

    A command that takes over ends those in the queue with the same or lower priority. A command
    that fails ends the whole queue; one that is cancelled does not.

    Args:
        at_rest: called whenever a command has ended and the robot stands still.
    """

    def __init__(self, at_rest: Callable[[], Awaitable[None]]) -> None:
        self._at_rest = at_rest
        self._task: Task | None = None
        self._newest: Task | None = None
        self._queue: list[Task] = []

    @property
    def busy(self) -> bool:
        """Whether a command moves the robot."""
        return self._task is not None

    @property
    def moving(self) -> str | None:
        """Name of the command that moves the robot; None if there is none."""
        return None if self._task is None else self._task.name

    @asynccontextmanager
    async def take(self, task: Task) -> AsyncIterator[None]:
        """Make this command the one that moves the robot; the one before comes to rest first.

        Raises:
            PerformError: the one before has a higher priority, or a newer one came meanwhile; for
                a queued command: the queue is full, another took over, one before it failed, or it
                was cancelled.
        """
        if task.queued:
            await self._wait(task)
        else:
            await self._take_over(task)
        try:
            yield
        except BaseException:
            text = f'{task.name} before it in the queue failed'
            self.drop(lambda other: PerformError(Status.PREEMPTED, f'{other.name}: {text}'))
            raise
        finally:
            self._task = None
            task.ended.set_result(None)
            if self._newest is None or self._newest is task:  # else that one is about to begin
                self._newest = None
                self._advance()
            await self._at_rest()

    def drop(self, error: Callable[[Task], PerformError], priority: int | None = None) -> None:
        """End commands that wait, all or those of up to a priority, with an error for each."""
        for task in list(self._queue):
            if priority is None or task.priority <= priority:
                self._queue.remove(task)
                task.turn.set_result(error(task))

    def look(self) -> None:
        """End commands that were cancelled while they wait."""
        for task in list(self._queue):
            if task.given_up():
                self._queue.remove(task)
                text = f'{task.name} was cancelled while it waited'
                task.turn.set_result(PerformError(Status.CANCELED, text))

    async def _wait(self, task: Task) -> None:
        """Return when it is this command's turn.

        Raises:
            PerformError: its turn does not come; see `take`.
        """
        if self._task is None and self._newest is None and not self._queue:
            self._task = task
            return
        if len(self._queue) >= LONGEST_QUEUE:
            text = f'{task.name}: {LONGEST_QUEUE} commands wait already; expected fewer'
            raise PerformError(Status.REJECTED, text)
        self._queue.append(task)
        error = await task.turn
        if error is not None:
            raise error

    def _advance(self) -> None:
        """Let the first command in the queue begin."""
        if self._queue:
            self._task = self._queue.pop(0)
            self._task.turn.set_result(None)

    async def _take_over(self, task: Task) -> None:
        if self._task is not None and task.priority < self._task.priority:
            raise PerformError(
                Status.PREEMPTED,
                f'{task.name} has priority {task.priority}; {self._task.name} is being performed '
                f'with priority {self._task.priority}',
            )
        if self._newest is not None and task.priority < self._newest.priority:
            raise PerformError(
                Status.PREEMPTED,
                f'{task.name} has priority {task.priority}; {self._newest.name} is about to begin '
                f'with priority {self._newest.priority}',
            )
        self._newest = task
        text = f'{task.name} took over'
        self.drop(
            lambda other: PerformError(Status.PREEMPTED, f'{other.name}: {text}'), task.priority
        )
        while self._task is not None:
            self._task.stop = True
            await self._task.ended
            if self._newest is not task:
                raise PerformError(Status.PREEMPTED, f'{task.name}: a newer command took over')
        self._task = task
