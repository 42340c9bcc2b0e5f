"""Emulated time that waits for the host, which shares its computer with the emulated servos."""

import time
from collections.abc import Callable

from softshell_hardware.emulator.robot import EmulatedRobot

#: A host that was silent for so long is gone [s of wall time].
GONE = 2.0


class Host:
    """Whether the time of the servos has to wait for whoever drives them.

    A host that sends goals is not left behind by more than a certain time after the last ones,
    however slow the computer is; one that only reads, after the last question. A host that has not
    been heard for `GONE` has gone, and the time of the servos goes on without it.

    Args:
        emulated: whose buses it uses.
        lead: by how much the servos may be ahead of it [s].
        wall: [s].
    """

    def __init__(
        self, emulated: EmulatedRobot, lead: float, wall: Callable[[], float] = time.monotonic
    ) -> None:
        self._emulated, self._lead, self._wall = emulated, lead, wall
        self._goals = _Heard(self._count('goals'))
        self._packets = _Heard(self._count('packets'))

    def is_late(self, now: float) -> bool:
        """Whether the servos are to stand still for the moment.

        Args:
            now: their time [s].
        """
        wall = self._wall()
        self._goals.note(self._count('goals'), now, wall)
        self._packets.note(self._count('packets'), now, wall)
        heard = self._goals if wall - self._goals.wall < GONE else self._packets
        return wall - heard.wall < GONE and now - heard.time >= self._lead

    def _count(self, name: str) -> int:
        return sum(getattr(port.bus, name) for port in self._emulated.ports.values())


class _Heard:
    """When something was last heard, on both clocks."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.time = self.wall = -float('inf')

    def note(self, count: int, now: float, wall: float) -> None:
        if count != self._count:
            self._count, self.time, self.wall = count, now, wall
