"""What turns an emulated servo's shaft: itself, or a simulated world."""

import math
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Drive:
    """What a servo's electronics want of its motor.

    Attributes:
        angle: to go to [rad], 0 in the middle of its range; None: no torque.
        speed: not to be exceeded on the way [rad/s].
        torque: part of the motor's largest that may be used, 0 to 1.
        push: torque that it gives wherever the shaft is [N m].
        blocked: something keeps the shaft where it is.
    """

    angle: float | None
    speed: float
    torque: float
    push: float = 0.0
    blocked: bool = False


#: What an idle motor is told.
LIMP = Drive(None, 0.0, 0.0)


class Shaft(Protocol):
    """The output of a servo.

    Attributes:
        angle: where it is [rad], 0 in the middle of its range.
        speed: how fast it turns [rad/s].
        load: torque that it gives [N m].
    """

    angle: float
    speed: float
    load: float

    def step(self, drive: Drive, seconds: float) -> None:
        """Let time pass."""


class FreeShaft:
    """A shaft that carries nothing: it follows its goal as a first-order lag, and its speed limit.

    Args:
        angle: where it begins [rad].
        lag: time constant of the approach [s].
    """

    def __init__(self, angle: float = 0.0, lag: float = 0.02) -> None:
        self.angle, self.speed, self.load = angle, 0.0, 0.0
        self._lag = lag

    def step(self, drive: Drive, seconds: float) -> None:
        """Let time pass; without torque it stays where it is."""
        self.speed, self.load = 0.0, drive.push
        if drive.angle is None or drive.torque <= 0.0 or seconds <= 0.0:
            return
        left = drive.angle - self.angle
        way = -math.expm1(-seconds / self._lag) * left
        most = drive.speed * seconds
        way = min(max(way, -most), most)
        self.angle += way
        self.speed = way / seconds
