"""Makes velocities from the keys and pads that are held: a dead man's switch.

The page has to repeat what is held. If it has not for `timeout`, everything counts as released.
While anything is held, velocities are sent at a fixed rate. On release one zero velocity is sent
at once, and then none, so that other senders on cmd_vel are not disturbed. After a stop, what is
still held moves nothing until it has been let go.
"""

from collections.abc import Iterable

from softshell_kinematics.errors import UnknownNameError
from softshell_teleop.commands import Twist
from softshell_teleop.core import DIRECTIONS
from softshell_teleop.settings import Drive

#: Parts of a stick that are smaller count as zero.
DEAD_ZONE = 0.02
#: All pads together, among the names of what is held.
PADS = 'pads'

#: Speeds forward, to the left, and turning to the left, as parts of the largest.
Stick = tuple[float, float, float]
STILL: Stick = (0.0, 0.0, 0.0)


class Driving:
    """The keys and pads that are held, and the velocity that they command.

    Args:
        drive: speeds and rate.
        timeout: time after which keys and pads count as released if they are not repeated [s].
    """

    def __init__(self, drive: Drive, timeout: float) -> None:
        self._drive, self._timeout = drive, timeout
        self._commands: frozenset[str] = frozenset()
        self._stick = STILL
        self._down: frozenset[str] = frozenset()  # all that the page holds
        self._stopped: frozenset[str] = frozenset()  # what of it was held at the last stop
        self._until = 0.0
        self._next: float | None = None
        self._speed = 1.0

    @property
    def speed(self) -> float:
        """Factor of the speeds in the key map; set values are limited to the key map's range."""
        return self._speed

    @speed.setter
    def speed(self, factor: float) -> None:
        drive = self._drive
        self._speed = min(max(factor, drive.speed_minimum), drive.speed_maximum)

    @property
    def moves(self) -> bool:
        """Whether velocities are sent."""
        return self._next is not None

    def hold(self, commands: Iterable[str], stick: Stick, now: float) -> Twist | None:
        """Set all that is held; what was held at the last `stop` moves nothing.

        Args:
            commands: drive commands of the held keys.
            stick: of the held pads.
            now: the time [s].

        Returns:
            The velocity to send at once; None if nothing changed.

        Raises:
            UnknownNameError: a command is no drive command.
        """
        held = frozenset(commands)
        for name in held:
            if name not in DIRECTIONS:
                raise UnknownNameError('drive command', name, DIRECTIONS)
        stick = _steady(stick)
        self._down = held | {PADS} if any(stick) else held
        self._stopped &= self._down
        held -= self._stopped
        if PADS in self._stopped:
            stick = STILL
        if not held and not any(stick):
            return self._halt()
        changed = (held, stick) != (self._commands, self._stick) or self._next is None
        self._commands, self._stick = held, stick
        self._until = now + self._timeout
        return self._send(now) if changed else None

    def stop(self) -> Twist | None:
        """Stop: keys and pads that are held count again only once they have been let go.

        Returns:
            The zero velocity to send; None if none other was commanded.
        """
        self._stopped = self._down
        return self._halt()

    def release(self) -> Twist | None:
        """Forget all that is held, because another visitor drives, or nobody.

        Returns:
            The zero velocity to send; None if none other was commanded.
        """
        self._down = self._stopped = frozenset()
        return self._halt()

    def step(self, now: float) -> Twist | None:
        """The velocity to send at this time [s]; None if none is due."""
        if self._next is None:
            return None
        if now > self._until:
            return self._halt()
        return self._send(now) if now >= self._next else None

    def twist(self) -> Twist:
        """The commanded velocity; its linear speed is never larger than straight ahead."""
        forward, left, turn = (
            sum(DIRECTIONS[name][axis] for name in self._commands) + self._stick[axis]
            for axis in range(3)
        )
        linear = self._drive.linear * self._speed / max(1.0, (forward**2 + left**2) ** 0.5)
        angular = self._drive.angular * self._speed * min(1.0, max(-1.0, turn))
        return Twist(forward * linear, left * linear, angular)

    def _halt(self) -> Twist | None:
        moved, self._next = self.moves, None
        self._commands, self._stick = frozenset(), STILL
        return Twist() if moved else None

    def _send(self, now: float) -> Twist:
        self._next = now + 1.0 / self._drive.rate
        return self.twist()


def _steady(stick: Stick) -> Stick:
    """A stick whose parts in the dead zone are zero."""
    x, y, yaw = (value if abs(value) > DEAD_ZONE else 0.0 for value in stick)
    return x, y, yaw
