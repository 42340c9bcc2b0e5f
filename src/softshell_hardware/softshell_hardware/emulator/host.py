"""Emulated time that waits for the host, which shares its computer with the emulated servos."""

import time
from collections.abc import Callable

from softshell_hardware.emulator.robot import EmulatedRobot

#: A host that was silent for so long is gone [s of wall time].
GONE = 2.0
#: A host that was silent for so long is waiting for the clock of the servos [s of wall time].
WAITS = 0.3
#: Steps by which that clock then goes on, and how far beyond the host's last message [ns].
STEP, MOST = 4_000_000, 100_000_000
#: After so many waits in a row its control period is taken to be longer than `lead`.
WAITED = 3


class Host:
    """Whether the time of the servos has to wait for whoever drives them.

    A host that sends goals gets exactly its control period from one to the next, however slow the
    computer is; one that only reads, from one question to the next.

    A host that has not been heard for `GONE` has gone, and the time of the servos goes on without
    it. A host whose control period is longer than `lead` is found out after some waits.

    Args:
        emulated: whose buses it uses.
        lead: by how much the servos may be ahead of it [s]: its control period.
        wall: [s].
    """

    def __init__(
        self, emulated: EmulatedRobot, lead: float, wall: Callable[[], float] = time.monotonic
    ) -> None:
        self._emulated, self._wall = emulated, wall
        self._least = self._lead = self._allowed = round(1e9 * lead)
        self._waits = 0
        self._goals = _Heard(self._count('goals'))
        self._packets = _Heard(self._count('packets'))

    def is_late(self, now: int) -> bool:
        """Whether the servos are to stand still for the moment.

        Args:
            now: their time [ns].
        """
        wall = self._wall()
        interval = now - self._goals.time
        self._packets.note(self._count('packets'), now, wall)
        # Goals of one period may come in several packets.
        if self._goals.note(self._count('goals'), now, wall) and interval > self._least // 2:
            self._learn(interval)
        heard = self._goals if wall - self._goals.wall < GONE else self._packets
        if wall - heard.wall >= GONE:
            self._lead = self._allowed = self._least
            return False
        if wall - heard.wall >= WAITS:
            self._allowed = min(max(self._allowed, now - heard.time + STEP), max(MOST, self._lead))
        return now - heard.time >= self._allowed

    def _learn(self, interval: int) -> None:
        """Take the time between two goals [ns]: it may be a longer control period."""
        self._waits = self._waits + 1 if self._allowed > self._lead else 0
        if self._waits == WAITED:
            self._lead, self._waits = interval, 0
        self._allowed = self._lead

    def _count(self, name: str) -> int:
        return sum(getattr(port.bus, name) for port in self._emulated.ports.values())


class _Heard:
    """When something was last heard, on both clocks."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.time, self.wall = 0, -float('inf')

    def note(self, count: int, now: int, wall: float) -> bool:
        """Take the count; whether it has changed."""
        if count == self._count:
            return False
        self._count, self.time, self.wall = count, now, wall
        return True
