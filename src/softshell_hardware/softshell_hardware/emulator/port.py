"""A pseudo-terminal that an emulated bus answers on: to a host it is a serial port."""

import contextlib
import os
import pty
import select
import threading
import time
import tty

from softshell_hardware.emulator.bus import EmulatedBus

#: A silence after which servos take what is incomplete for noise [s].
GAP = 0.01


class EmulatedPort:
    """Serves a bus on a pseudo-terminal from a thread of its own, until it is closed.

    Args:
        bus: to be served.

    Attributes:
        path: of the device that a host opens.
        lock: held while the bus is used; whoever else steps or changes it takes it too.
    """

    def __init__(self, bus: EmulatedBus) -> None:
        self._bus = bus
        self.lock = threading.Lock()
        self._own, self._theirs = pty.openpty()
        tty.setraw(self._own)
        tty.setraw(self._theirs)
        self.path = os.ttyname(self._theirs)
        self._end, self._wake = os.pipe()
        self._thread = threading.Thread(target=self._serve, name='servo bus', daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread and the terminal; a host finds its port gone."""
        os.write(self._wake, b'.')
        self._thread.join()
        for descriptor in (self._own, self._theirs, self._end, self._wake):
            os.close(descriptor)

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
                    self._bus.gap()
                continue
            wait = GAP
            with contextlib.suppress(OSError):  # nobody has opened the other side
                data = os.read(self._own, 4096)
                with self.lock:
                    answer, late = self._bus.exchange(data), self._bus.faults.late
                if answer and late:
                    time.sleep(late)
                while answer:
                    answer = answer[os.write(self._own, answer) :]
