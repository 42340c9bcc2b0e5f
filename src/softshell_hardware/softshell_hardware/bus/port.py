"""The SDK's serial port, which waits for answers by bytes and the adapter's latency, asleep."""

import contextlib
import errno
import os
import select
import time
from collections.abc import Sequence

import dynamixel_sdk as sdk
import serial

from softshell_hardware.bus.families import FAMILIES
from softshell_hardware.bus.wire import BITS

#: After so many questions without an answer, the next is waited for `BRIEF` at most [s].
SILENT, BRIEF = 4, 0.02
#: Longest sleep until the port looks whether the time for an answer is over [s].
NAP = 0.002
#: Most bytes that are read for one question, 64 for each of 253 servos: without it the SDK reads a
#: line that never falls silent for ever.
MOST = 16384
#: An adapter that takes no bytes for so long counts as gone [s]; other lines wait meanwhile.
STUCK = 0.05


class Port(sdk.PortHandler):  # type: ignore[misc]
    """The SDK's port with a time-out by the adapter's own latency, not always by 16 ms.

    It sleeps until something comes; the SDK asks again and again, and keeps a processor busy.
    """

    def __init__(self, path: str, patience: float) -> None:
        super().__init__(path)
        self.patience = patience
        self._in_vain, self._left = 0, MOST
        # When the last byte that was written will have left [s, monotonic].
        self._busy_until = 0.0

    def setupPort(self, cflag_baud: int) -> bool:  # noqa: N802 - the SDK's name
        """Open the device; it is locked before its settings change, which all its users share.

        Raises:
            OSError: it cannot be opened, or another process has locked it.
            ValueError: the adapter refuses the rate.
        """
        self.ser = serial.Serial(self.port_name, cflag_baud, timeout=0, exclusive=True)
        self.is_open = True
        return True

    def note(self, heard: bool) -> None:
        """Take whether anything was heard: on a silent line the time-out is short."""
        self._in_vain = 0 if heard else self._in_vain + 1

    def clearPort(self) -> None:  # noqa: N802 - the SDK's name
        """Drop what has come.

        The SDK before 4.0.5 waits until all has left instead: on an adapter that hangs, for ever.
        """
        self.ser.reset_input_buffer()

    def setPacketTimeout(self, packet_length: int) -> None:  # noqa: N802 - the SDK's name
        """Set the time-out for an answer of so many bytes to what was written last."""
        patience = self.patience if self._in_vain < SILENT else min(self.patience, BRIEF)
        self.setPacketTimeoutMillis(1e3 * (packet_length * BITS / self.baudrate + patience))

    def empty(self) -> None:
        """Drop what an adapter that hangs has not sent: closing would wait for it, up to 30 s."""
        latest = max(self._busy_until, time.monotonic()) + self.patience
        while self.ser.out_waiting:
            if time.monotonic() > latest:
                self.ser.reset_output_buffer()
                return
            time.sleep(NAP)

    def setPacketTimeoutMillis(self, msec: float) -> None:  # noqa: N802 - the SDK's name
        """Set the time-out [ms] from when all that was written has left, and the most bytes."""
        self._left = MOST
        super().setPacketTimeoutMillis(msec + 1e3 * max(self._busy_until - time.monotonic(), 0.0))

    def getCFlagBaud(self, baudrate: int) -> int:  # noqa: N802 - the SDK's name
        """The rate itself if it is one of the SDK's or of a family's, else -1."""
        if any(baudrate in family.bauds.values() for family in FAMILIES.values()):
            return baudrate
        return int(super().getCFlagBaud(baudrate))

    def writePort(self, packet: Sequence[int]) -> int:  # noqa: N802 - the SDK's name
        """Write all bytes; returns how many they are.

        Raises:
            OSError: the adapter takes nothing.
        """
        left = bytes(packet)
        while left:
            # Not pyserial's own time-out, which a program that was asleep has always missed.
            _, ready, _ = select.select([], [self.ser.fileno()], [], STUCK)
            if not ready:
                raise OSError(f'it has taken nothing for {STUCK:g} s')
            with contextlib.suppress(BlockingIOError):
                left = left[os.write(self.ser.fileno(), left) :]
        # They are only queued; the line takes its time for each.
        begin = max(time.monotonic(), self._busy_until)
        self._busy_until = begin + len(packet) * BITS / self.baudrate
        return len(packet)

    def readPort(self, length: int) -> bytes:  # noqa: N802 - the SDK's name
        """Up to so many bytes, as soon as there are any; none after `NAP`, or after `MOST`."""
        if self._left <= 0:
            time.sleep(NAP)
            return b''
        select.select([self.ser.fileno()], [], [], NAP)
        found: bytes = self.ser.read(length)
        self._left -= len(found)
        return found


def open_hint(error: OSError, path: str) -> str:
    """Why a port cannot be opened, and what to do about it."""
    number = error.errno
    if not os.path.exists(path):
        return 'there is no such device; is the adapter plugged in?'
    if number == errno.EACCES or 'Permission' in str(error):
        return 'no permission; join the group of the device: sudo usermod -aG dialout $USER'
    if number in (errno.EBUSY, errno.EAGAIN):
        return 'another process uses it'
    return str(error)
