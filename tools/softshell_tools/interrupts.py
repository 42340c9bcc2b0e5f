"""Ctrl-C and SIGTERM as something to be asked for, for work that keeps what it has."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupt:
    """Whether the end was asked for.

    Attributes:
        came: whether it was.
    """

    def __init__(self) -> None:
        self.came = False

    def note(self, number: int, frame: FrameType | None) -> None:
        """Take note of a signal."""
        self.came = True


@contextmanager
def noted_interrupts() -> Iterator[Interrupt]:
    """Have signals that ask for the end noted, instead of raising, within."""
    interrupt = Interrupt()
    before = {
        number: signal.signal(number, interrupt.note) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield interrupt
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
