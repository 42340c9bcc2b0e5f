"""Notes Ctrl-C and SIGTERM, for work that saves its results before it ends."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupt:
    """Whether a signal has asked for the end.

    Attributes:
        came: whether one has come.
    """

    def __init__(self) -> None:
        self.came = False

    def note(self, number: int, frame: FrameType | None) -> None:
        """Take note of a signal.

        Raises:
            KeyboardInterrupt: one has come before, so that it is to end at once.
        """
        if self.came:
            raise KeyboardInterrupt
        self.came = True


@contextmanager
def noted_interrupts() -> Iterator[Interrupt]:
    """A context in which Ctrl-C and SIGTERM are noted; only a second one interrupts the work."""
    interrupt = Interrupt()
    before = {
        number: signal.signal(number, interrupt.note) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield interrupt
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
