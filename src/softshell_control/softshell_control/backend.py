"""What moves the joints: a simulation, a mock, or motors. One small class each."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softshell_control.gate import Command

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Measured:
    """What a backend measures. The arrays are reused: they hold until its next step.

    Args:
        position, velocity, effort: (movable,) of all movable joints [rad], [rad/s], [N m].
        base_position: (3,) of base_link in odom [m].
        base_orientation: (4,) of base_link in odom, quaternion x, y, z, w.
        base_linear_velocity: (3,) of base_link against odom, in base_link [m/s].
        base_angular_velocity: (3,) likewise [rad/s].
        linear_acceleration: (3,) what an accelerometer at base_link's origin shows, in base_link
            [m/s^2]: acceleration less gravity, so +9.81 upwards at rest.
        foot_force: (feet,) normal force on each foot [N]; empty where it is not measured.
    """

    position: Array
    velocity: Array
    effort: Array
    base_position: Array
    base_orientation: Array
    base_linear_velocity: Array
    base_angular_velocity: Array
    linear_acceleration: Array
    foot_force: Array

    @classmethod
    def empty(cls, movable: int, feet: int = 0) -> 'Measured':
        """All zero, the base level and at rest at the origin."""
        return cls(
            position=np.zeros(movable),
            velocity=np.zeros(movable),
            effort=np.zeros(movable),
            base_position=np.zeros(3),
            base_orientation=np.array([0.0, 0.0, 0.0, 1.0]),
            base_linear_velocity=np.zeros(3),
            base_angular_velocity=np.zeros(3),
            linear_acceleration=np.array([0.0, 0.0, 9.81]),
            foot_force=np.zeros(feet),
        )


class Backend(ABC):
    """Moves the joints for one control period at a time.

    A backend trusts its commands: they have passed the safety gate.
    """

    #: How the bridge calls itself: 'sim', 'mock' or 'hardware'.
    name: str

    @abstractmethod
    def reset(self) -> Measured:
        """Start anew, at rest. Returns what is measured then."""

    @abstractmethod
    def step(self, command: Command) -> Measured:
        """Move for one control period.

        Args:
            command: where the independent joints are to be at its end, and how fast.
        """

    def close(self) -> None:  # noqa: B027
        """Let go of what the backend holds."""
