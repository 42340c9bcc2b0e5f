"""From what is held down to velocities: a dead man's handle.

What is held has to be said again and again. Once it has not been for `timeout`, for whatever
reason, it counts as let go of. While anything is held a velocity leaves at a fixed rate; when the
last is let go one zero leaves at once, and then nothing: others on cmd_vel are left alone.
"""

from collections.abc import Iterable

from softshell_kinematics.errors import UnknownNameError
from softshell_teleop.commands import Twist
from softshell_teleop.core import DIRECTIONS
from softshell_teleop.settings import Drive

#: A stick is let go of within this part of its way.
DEAD_ZONE = 0.02

Stick = tuple[float, float, float]


class Driving:
    """What is held, and the velocity that it asks for.

    Args:
        drive: speeds and rate.
        timeout: how long what was said holds [s].
    """

    def __init__(self, drive: Drive, timeout: float) -> None:
        self._drive, self._timeout = drive, timeout
        self._commands: frozenset[str] = frozenset()
        self._stick: Stick = (0.0, 0.0, 0.0)
        self._until = 0.0
        self._next: float | None = None
        self._speed = 1.0

    @property
    def speed(self) -> float:
        """Factor of the speeds of the key map."""
        return self._speed

    @speed.setter
    def speed(self, factor: float) -> None:
        drive = self._drive
        self._speed = min(max(factor, drive.speed_minimum), drive.speed_maximum)

    @property
    def moves(self) -> bool:
        """Whether a velocity other than zero was sent last."""
        return self._next is not None

    def hold(self, commands: Iterable[str], stick: Stick, now: float) -> Twist | None:
        """Hold these from now on and no others.

        Returns:
            What to send at once, if this changes anything.

        Raises:
            UnknownNameError: a command is no direction.
        """
        held = frozenset(commands)
        for name in held:
            if name not in DIRECTIONS:
                raise UnknownNameError('drive command', name, DIRECTIONS)
        stick = _steady(stick)
        if not held and not any(stick):
            return self.release()
        changed = (held, stick) != (self._commands, self._stick) or self._next is None
        self._commands, self._stick = held, stick
        self._until = now + self._timeout
        return self._send(now) if changed else None

    def release(self) -> Twist | None:
        """Let go of everything; returns the zero to send at once, if anything was held."""
        held, self._next = self._next is not None, None
        self._commands, self._stick = frozenset(), (0.0, 0.0, 0.0)
        return Twist() if held else None

    def step(self, now: float) -> Twist | None:
        """What to send now that time has passed."""
        if self._next is None:
            return None
        if now > self._until:
            return self.release()
        return self._send(now) if now >= self._next else None

    def twist(self) -> Twist:
        """The velocity asked for; no part of it is faster than straight ahead."""
        forward, left, turn = (
            sum(DIRECTIONS[name][axis] for name in self._commands) + self._stick[axis]
            for axis in range(3)
        )
        linear = self._drive.linear * self._speed / max(1.0, (forward**2 + left**2) ** 0.5)
        angular = self._drive.angular * self._speed * min(1.0, max(-1.0, turn))
        return Twist(forward * linear, left * linear, angular)

    def _send(self, now: float) -> Twist:
        self._next = now + 1.0 / self._drive.rate
        return self.twist()


def _steady(stick: Stick) -> Stick:
    x, y, yaw = (value if abs(value) > DEAD_ZONE else 0.0 for value in stick)
    return x, y, yaw
