"""The pose of the base over its feet, and small steps of it."""

import dataclasses
import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Posture:
    """Pose of the base over its feet.

    Attributes:
        x, y, z: position in the robot's footprint [m]; z is the height over the feet.
        roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll) [rad]; positive pitch is nose down,
            positive roll is right side down.
    """

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    roll: float = 0.0
    pitch: float = 0.0
    yaw: float = 0.0

    @property
    def finite(self) -> bool:
        """Whether all six numbers are known."""
        return all(math.isfinite(value) for value in dataclasses.astuple(self))

    def __str__(self) -> str:
        return (
            f'height {self.z:.3f} m, roll {math.degrees(self.roll):+.1f}°, '
            f'pitch {math.degrees(self.pitch):+.1f}°'
        )


def stepped(value: float, step: float, minimum: float, maximum: float) -> float:
    """A value moved by a step within a range.

    A value outside the range moves only towards it, and by no more than the step, so that one key
    press cannot make the base jump.

    Args:
        value: the value now.
        step: the step, positive or negative.
        minimum, maximum: the range.
    """
    return min(max(value + step, min(minimum, value)), max(maximum, value))
