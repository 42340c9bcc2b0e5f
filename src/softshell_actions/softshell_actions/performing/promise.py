"""A value that coroutines await and that other code sets."""

from collections.abc import Generator
from typing import Generic, TypeVar

T = TypeVar('T')


class Promise(Generic[T]):
    """A value that is set later; a coroutine that awaits it looks for it each time it runs.

    So any executor of coroutines can be used: rclpy's, asyncio's, or a loop in which a simulated
    period passes each time.
    """

    def __init__(self) -> None:
        self._values: list[T] = []

    def set_result(self, value: T) -> None:
        """Set the value; only the first call counts."""
        self._values.append(value)

    def __await__(self) -> Generator[None, None, T]:
        """Wait for the value."""
        while not self._values:
            yield
        return self._values[0]
