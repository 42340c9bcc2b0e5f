"""A pseudo-terminal that an emulated bus answers on: to a host it is a serial port."""

import contextlib
import fcntl
import os
import pty
import select
import struct
import termios
import threading
import time
import tty
from collections import deque
from pathlib import Path

from softshell_hardware.emulator.bus import EmulatedBus

#: A silence after which servos take what is incomplete for noise [s].
GAP = 0.003
#: Asks a terminal for its settings with both speeds as numbers, and their form: flags, the line's
#: discipline, control characters, speeds. Source: Linux, asm-generic/termbits.h, `termios2`.
TCGETS2, TERMIOS2 = 0x802C542A, struct.Struct('4I20B2I')


class EmulatedPort:
    """Serves a bus on a pseudo-terminal from a thread of its own, until it is closed.

    Args:
        bus: to be served.
        link: path of a symbolic link to the device, which stays the same when the adapter is
            unplugged and plugged in again; None: there is none, and the device may be another.

    Attributes:
        bus: as given.
        path: of the device that a host opens: the link, if there is one.
        taken: bytes of the host so far that are answered, or will be late.
        lock: held while the bus is used; whoever else steps or changes it takes it too.
    """

    def __init__(self, bus: EmulatedBus, link: Path | None = None) -> None:
        self.bus, self._link = bus, link
        self.lock = threading.Lock()
        self.taken = 0
        self._end, self._wake = os.pipe()
        self._thread: threading.Thread | None = None
        self.plug()

    @property
    def plugged(self) -> bool:
        """Whether the device is there."""
        return self._thread is not None and self._thread.is_alive()

    def plug(self) -> None:
        """Let the device be there."""
        if self.plugged:
            return
        self._own, self._theirs = pty.openpty()
        tty.setraw(self._own)
        tty.setraw(self._theirs)
        self.path = os.ttyname(self._theirs)
        if self._link is not None:
            self._link.unlink(missing_ok=True)
            self._link.symlink_to(self.path)
            self.path = str(self._link)
        self._thread = threading.Thread(target=self._serve, name='servo bus', daemon=True)
        self._thread.start()

    def unplug(self) -> None:
        """Take the device away; whoever has it open finds it gone."""
        if self._thread is None:
            return
        os.write(self._wake, b'.')
        self._thread.join()
        self._thread = None
        os.read(self._end, 1)
        if self._link is not None:
            self._link.unlink(missing_ok=True)
        os.close(self._own)
        os.close(self._theirs)

    def close(self) -> None:
        """End the thread and the terminal; a host finds its port gone."""
        self.unplug()
        os.close(self._end)
        os.close(self._wake)

    def __enter__(self) -> 'EmulatedPort':
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _serve(self) -> None:
        quiet = float('inf')  # when what is incomplete becomes noise
        late: deque[tuple[float, bytes]] = deque()
        while True:
            due = min(quiet, late[0][0] if late else quiet)
            wait = None if due == float('inf') else max(due - time.monotonic(), 0.0)
            ready, _, _ = select.select([self._own, self._end], [], [], wait)
            if self._end in ready:
                return
            now = time.monotonic()
            with contextlib.suppress(OSError):  # nobody has opened the other side
                if self._own in ready:
                    quiet = now + GAP
                    self._answer(os.read(self._own, 4096), late)
                elif now >= quiet:
                    quiet = float('inf')
                    # A host that has died leaves it to itself, since this end keeps it open.
                    fcntl.ioctl(self._theirs, termios.TIOCNXCL)
                    with self.lock:
                        self.bus.gap()
                while late and now >= late[0][0]:
                    self._send(late.popleft()[1])

    def _answer(self, data: bytes, late: deque[tuple[float, bytes]]) -> None:
        """Hear the host, and answer now, or when the answer is due."""
        with self.lock:
            answer = self.bus.exchange(data, _speed(self._own))
            delay = self.bus.faults.late
        if answer and delay:
            late.append((time.monotonic() + delay, answer))
        else:
            self._send(answer)
        self.taken += len(data)

    def _send(self, answer: bytes) -> None:
        while answer:
            answer = answer[os.write(self._own, answer) :]


def _speed(terminal: int) -> int:
    """The baud rate that the host has set, which a pseudo-terminal only keeps in mind."""
    settings = fcntl.ioctl(terminal, TCGETS2, bytes(TERMIOS2.size))
    return int(TERMIOS2.unpack(settings)[-1])
