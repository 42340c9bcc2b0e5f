"""The base's posture over its feet, and small steps of it."""

import dataclasses
import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Posture:
    """Pose of base_link in base_footprint, the ground frame of the feet.

    Attributes:
        x, y, z: position [m]; z is the height over the ground.
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
        return all(math.isfinite(value) for value in dataclasses.astuple(self))

    def __str__(self) -> str:
        return (
            f'height {self.z:.3f} m, roll {math.degrees(self.roll):+.1f}°, '
            f'pitch {math.degrees(self.pitch):+.1f}°'
        )


def stepped(value: float, step: float, minimum: float, maximum: float) -> float:
    """`value` moved by `step` within [minimum, maximum].

    A value that is already outside only ever moves inwards, and never by more than the step, so
    that one key press cannot make the base jump.
    """
    return min(max(value + step, min(minimum, value)), max(maximum, value))


def rpy_from_quaternion(x: float, y: float, z: float, w: float) -> tuple[float, float, float]:
    """Roll, pitch, yaw [rad] of a quaternion of any length but zero (then zeros)."""
    norm = math.sqrt(x * x + y * y + z * z + w * w)
    if not norm > 0:
        return 0.0, 0.0, 0.0
    x, y, z, w = x / norm, y / norm, z / norm, w / norm
    return (
        math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
        math.asin(min(1.0, max(-1.0, 2 * (w * y - z * x)))),
        math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
    )


def quaternion_from_rpy(
    roll: float, pitch: float, yaw: float
) -> tuple[float, float, float, float]:
    """Unit quaternion (x, y, z, w) of Rz(yaw) Ry(pitch) Rx(roll)."""
    cr, sr = math.cos(roll / 2), math.sin(roll / 2)
    cp, sp = math.cos(pitch / 2), math.sin(pitch / 2)
    cy, sy = math.cos(yaw / 2), math.sin(yaw / 2)
    return (
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    )
