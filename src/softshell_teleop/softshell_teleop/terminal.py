"""Reads the terminal key by key, and collects signals that end or suspend the interface."""

import atexit
import contextlib
import os
import signal
import socket
import termios
from types import TracebackType
from typing import Any

_PASTE_ON, _PASTE_OFF = b'\x1b[?2004h', b'\x1b[?2004l'


class Terminal:
    r"""A context in which each key arrives at once and without echo; it restores the terminal.

    Ctrl-C, Ctrl-Z and Ctrl-\ stay signals. Flow control is off: Ctrl-S is an ordinary key. At the
    end, keys that were not read are dropped, so that a key still held does not reach the shell.

    Args:
        fd: file descriptor of the terminal.
        output: file descriptor on which bracketed paste is switched on; None: it is not.
    """

    def __init__(self, fd: int, output: int | None = None) -> None:
        self._fd = fd
        self._output = output
        self._saved: list[Any] | None = None

    def __enter__(self) -> 'Terminal':
        self._saved = termios.tcgetattr(self._fd)
        atexit.register(self.restore)  # for an end of the program that skips __exit__
        self.apply()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.restore()
        self._saved = None
        atexit.unregister(self.restore)

    def apply(self) -> None:
        """Enter the key-by-key mode, also again after another program changed the terminal.

        In the background this stops the job, as if it had read a key, until it is called back.
        """
        if self._saved is None:
            return
        mode: list[Any] = [list(part) if isinstance(part, list) else part for part in self._saved]
        mode[0] &= ~(termios.IXON | termios.ICRNL)
        mode[3] &= ~(termios.ICANON | termios.ECHO | termios.IEXTEN)
        mode[3] |= termios.ISIG
        mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
        with contextlib.suppress(termios.error):  # hung up
            termios.tcsetattr(self._fd, termios.TCSANOW, mode)
        self._write(_PASTE_ON)

    def restore(self) -> None:
        """Put the terminal back into the mode that it had before."""
        if self._saved is None or not self._is_ours():
            return
        self._write(_PASTE_OFF)
        with contextlib.suppress(termios.error):
            termios.tcflush(self._fd, termios.TCIFLUSH)
        with contextlib.suppress(termios.error):
            termios.tcsetattr(self._fd, termios.TCSANOW, self._saved)

    def drop_input(self) -> None:
        """Drop keys that were typed and not read."""
        if not self._is_ours():
            return
        with contextlib.suppress(termios.error):
            termios.tcflush(self._fd, termios.TCIFLUSH)

    def _is_ours(self) -> bool:
        """Whether this process may change the terminal; in the background that would stop it."""
        try:
            return os.tcgetpgrp(self._fd) == os.getpgrp()
        except OSError:  # not the terminal that controls this process, or hung up
            return True

    def _write(self, sequence: bytes) -> None:
        if self._output is not None:
            with contextlib.suppress(OSError):
                os.write(self._output, sequence)


class Signals:
    """A context that collects signals instead of interrupting the program.

    A clean-up is never interrupted, however often Ctrl-C is pressed: the loop selects on `fd` and
    calls `read`. After the context, signals that would end the process are ignored, since it is
    about to end.
    """

    ENDING = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT})
    JOB = frozenset({signal.SIGTSTP, signal.SIGCONT})

    def __init__(self) -> None:
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)

    @property
    def fd(self) -> int:
        """A file descriptor that is readable when a signal has come."""
        return self._reader.fileno()

    def __enter__(self) -> 'Signals':
        signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        for number in self.ENDING | self.JOB:
            signal.signal(number, _note)
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(-1)
        for number in self.JOB:
            signal.signal(number, signal.SIG_DFL)
        for number in self.ENDING:
            signal.signal(number, signal.SIG_IGN)
        self._reader.close()
        self._writer.close()

    def read(self) -> frozenset[int]:
        """The signals since the last call."""
        try:
            return frozenset(self._reader.recv(4096))
        except BlockingIOError:
            return frozenset()

    def suspend(self) -> None:
        """Stop this process as Ctrl-Z does; returns when it is continued."""
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, _note)


def _note(number: int, frame: object) -> None:
    """Does nothing: Python writes a signal to the wake-up descriptor only if it has a handler."""
