"""Whose turn it is to move the robot."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from softshell_actions.performing.promise import Promise
from softshell_actions.performing.robot import PerformError
from softshell_common.outcome import Status

#: So many commands wait at the most.
LONGEST_QUEUE = 32


@dataclass(eq=False)
class Task:
    """What the robot is doing, until it has come to rest.

    Args:
        name: of the command.
        priority: a command takes over from one of the same or lower priority.
        queued: it waits until all that came before it has ended, rather than take over.
        given_up: whether nobody wants it any more.
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

    Who takes over ends what is queued with the same or lower priority, and so does a command that
    fails; one that is cancelled does not.

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
        """Name of the command that moves the robot."""
        return None if self._task is None else self._task.name

    @asynccontextmanager
    async def take(self, task: Task) -> AsyncIterator[None]:
        """Make this command the one that moves the robot; the one before comes to rest first.

        Raises:
            PerformError: the one before has a higher priority, or a newer one came meanwhile; or,
                of a queued one, the queue is full, another took over, one before it failed, or it
                was given up.
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
        """Let go of commands that wait and were given up."""
        for task in list(self._queue):
            if task.given_up():
                self._queue.remove(task)
                text = f'{task.name} was cancelled while it waited'
                task.turn.set_result(PerformError(Status.CANCELED, text))

    async def _wait(self, task: Task) -> None:
        """Return when it is this command's turn.

        Raises:
            PerformError: it does not come; see `take`.
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
        """Give the first that waits its turn."""
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
