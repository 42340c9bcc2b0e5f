"""How a ball moves, from its gyro alone, and where it has to be pushed to keep a heading."""

import numpy as np

from softshell_kinematics.arrays import Array

#: Height of the ball's centre while it rolls on its panels [m], as a part of its radius.
SQUAT = 0.99
#: Time constant of the low-pass of the gyro's speed [s].
SMOOTHING = 0.05
#: A heading that changes by less at a tick turns the line; by more, it begins a new one [rad].
SWERVE = 0.2
#: Of the push: full forward speed [m/s], least forward push [m/s], weight of sideways speed, rate
#: at which the offset from the line is to decrease [1/s], largest offset that counts [m].
FULL, LEAST, SIDEWAYS, RETURN, FARTHEST = 1.2, 0.5, 3.0, 1.0, 1.0
#: Largest angle between push and heading [rad].
SHARPEST = np.radians(100.0)


class Odometer:
    """The ball's velocity over the ground: it rolls without slip.

    Args:
        radius: of the ball [m].
        period: of a tick [s].

    Attributes:
        velocity: (2,) of its centre, in the world [m/s].
    """

    def __init__(self, radius: float, period: float = 0.01) -> None:
        self._height = SQUAT * radius
        self._taken = min(period / SMOOTHING, 1.0)
        self.velocity = np.zeros(2)

    def reset(self) -> None:
        """Begin anew, with a ball at rest."""
        self.velocity = np.zeros(2)

    def update(self, spin: Array) -> None:
        """Take note of the angular velocity (3,) in the world [rad/s], once a tick."""
        rolled = self._height * np.array([spin[1], -spin[0]])
        self.velocity = self.velocity + self._taken * (rolled - self.velocity)


class Heading:
    """Keeps the ball on a line.

    Attributes:
        offset: integrated sideways speed, to the left of the line [m].
        progress: way along the line since it began [m].
    """

    def __init__(self) -> None:
        self._direction = np.array([1.0, 0.0])
        self._angle: float | None = None
        self.offset = self.progress = 0.0

    def reset(self) -> None:
        """Forget the line."""
        self._angle, self.offset, self.progress = None, 0.0, 0.0

    def push(self, angle: float, velocity: Array, elapsed: float) -> Array:
        """(2,) unit vector in which to push; a new heading begins a new line.

        Args:
            angle: the heading in the world [rad].
            velocity: (2,) of the ball [m/s].
            elapsed: since the last tick [s].
        """
        if angle != self._angle:
            if self._angle is None or abs(wrapped(angle - self._angle)) > SWERVE:
                self.reset()
            self._angle, self._direction = angle, np.array([np.cos(angle), np.sin(angle)])
        ahead = float(self._direction @ velocity)
        aside = float(self._direction[0] * velocity[1] - self._direction[1] * velocity[0])
        self.progress += ahead * elapsed
        self.offset = float(np.clip(self.offset + aside * elapsed, -FARTHEST, FARTHEST))
        wrong = aside + RETURN * self.offset
        turn = np.arctan2(-SIDEWAYS * wrong, max(FULL - ahead, LEAST))
        turn = float(np.clip(turn, -SHARPEST, SHARPEST))
        cosine, sine = np.cos(turn), np.sin(turn)
        x, y = self._direction
        return np.array([cosine * x - sine * y, sine * x + cosine * y])


def wrapped(angle: float) -> float:
    """The same angle, from -π to π [rad]."""
    return float((angle + np.pi) % (2.0 * np.pi) - np.pi)
