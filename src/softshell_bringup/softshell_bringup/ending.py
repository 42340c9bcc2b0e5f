"""Handles the signals that ask a program to end."""

import signal
from collections.abc import Callable, Iterable
from types import FrameType

#: Ctrl-C, `kill`, and a terminal that was closed.
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def on_ending(
    handler: Callable[[int, FrameType | None], object], numbers: Iterable[int] = ENDING
) -> None:
    """Handle signals from now on; SIGHUP only unless `nohup` has this program ignore it."""
    for number in numbers:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, handler)
