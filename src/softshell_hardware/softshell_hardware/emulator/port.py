"""A pseudo-terminal that an emulated bus answers on: to a host it is a serial port."""

import contextlib
import os
import pty
import select
import threading
import time
import tty
from pathlib import Path

from softshell_hardware.emulator.bus import EmulatedBus

#: A silence after which servos take what is incomplete for noise [s].
GAP = 0.01


class EmulatedPort:
    """Serves a bus on a pseudo-terminal from a thread of its own, until it is closed.

    Args:
        bus: to be served.
        link: path of a symbolic link to the device, which stays the same when the adapter is
            unplugged and plugged in again; None: there is none.

    Attributes:
        bus: as given.
        path: of the device that a host opens: the link, if there is one.
        taken: bytes of the host so far whose answers are on their way, or will be late.
        lock: held while the bus is used; whoever else steps or changes it takes it too.
    """

    def __init__(self, bus: EmulatedBus, link: Path | None = None) -> None:
        self.bus, self._link = bus, link
        self.lock = threading.Lock()
        self.taken = 0
        self._end, self._wake = os.pipe()
        self.plug()

    @property
    def plugged(self) -> bool:
        """Whether the device is there."""
        return self._thread.is_alive()

    def plug(self) -> None:
        """Let the device be there."""
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
        if not self.plugged:
            return
        os.write(self._wake, b'.')
        self._thread.join()
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
        wait: float | None = None
        while True:
            ready, _, _ = select.select([self._own, self._end], [], [], wait)
            if self._end in ready:
                return
            if not ready:
                wait = None
                with self.lock:
                    self.bus.gap()
                continue
            wait = GAP
            with contextlib.suppress(OSError):  # nobody has opened the other side
                data = os.read(self._own, 4096)
                with self.lock:
                    answer, late = self.bus.exchange(data), self.bus.faults.late
                answered = bool(answer)
                if answered and late:
                    self.taken += len(data)
                    time.sleep(late)
                while answer:
                    answer = answer[os.write(self._own, answer) :]
                if not (answered and late):
                    self.taken += len(data)
