"""Something that is awaited, and comes from elsewhere."""

from collections.abc import Generator
from typing import Generic, TypeVar

T = TypeVar('T')


class Promise(Generic[T]):
    """A value that comes later; whoever awaits it looks for it whenever it is given a turn.

    Any executor of coroutines can run that: rclpy's, asyncio's, or a loop that lets a simulated
    period pass between two turns.
    """

    def __init__(self) -> None:
        self._values: list[T] = []

    def set_result(self, value: T) -> None:
        """Let it come; the first value counts."""
        self._values.append(value)

    def __await__(self) -> Generator[None, None, T]:
        """Wait for the value."""
        while not self._values:
            yield
        return self._values[0]
