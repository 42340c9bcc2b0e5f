"""Whose turn it is to move the robot."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from rclpy.task import Future

from softshell_actions.performing import PerformError
from softshell_common.outcome import Status


@dataclass
class Task:
    """What the robot is doing, until it has come to rest.

    Args:
        name: of the command.
        priority: a command takes over from one of the same or lower priority.
    """

    name: str
    priority: int = 1
    stop: bool = False
    ended: Future = field(default_factory=Future)


class Turns:
    """Lets one command at a time move the robot; a newer one takes over.

    Args:
        at_rest: called whenever a command has ended and the robot stands still.
    """

    def __init__(self, at_rest: Callable[[], Awaitable[None]]) -> None:
        self._at_rest = at_rest
        self._task: Task | None = None
        self._newest: Task | None = None

    @property
    def busy(self) -> bool:
        """Whether a command moves the robot."""
        return self._task is not None

    @asynccontextmanager
    async def take(self, task: Task) -> AsyncIterator[None]:
        """Make this command the one that moves the robot; the one before comes to rest first.

        Raises:
            PerformError: the one before has a higher priority, or a newer one came meanwhile.
        """
        if self._task is not None and task.priority < self._task.priority:
            raise PerformError(
                Status.PREEMPTED,
                f'{task.name} has priority {task.priority}; {self._task.name} is being performed '
                f'with priority {self._task.priority}',
            )
        self._newest = task
        while self._task is not None:
            self._task.stop = True
            await self._task.ended
            if self._newest is not task:
                raise PerformError(Status.PREEMPTED, f'{task.name}: a newer command took over')
        self._task = task
        try:
            yield
        finally:
            self._task = None
            task.ended.set_result(None)
            await self._at_rest()
