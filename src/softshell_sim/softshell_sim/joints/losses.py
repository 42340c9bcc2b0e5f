"""Friction and rotor inertia of motors, as they act at the joints of a simulation."""

from dataclasses import dataclass

from softshell_control.drives.pd import Drives
from softshell_kinematics.arrays import Array


@dataclass(frozen=True, eq=False)
class Losses:
    """Friction and rotor inertia of each joint; joints of a mechanism share those of its motor.

    Args:
        dry_friction: (movable,) [N m] or [N].
        viscous_friction: (movable,) [N m s/rad] or [N s/m].
        rotor_inertia: (movable,) [kg m^2] or [kg].
    """

    dry_friction: Array
    viscous_friction: Array
    rotor_inertia: Array

    @classmethod
    def of(cls, drives: Drives) -> 'Losses':
        """The losses of the motors of drives."""
        motors, joints = drives.motors, (drives.source, drives.multiplier)
        return cls(
            motors.per_joint('dry_friction', *joints, by_speed=False),
            motors.per_joint('viscous_friction', *joints, by_speed=True),
            motors.per_joint('rotor_inertia', *joints, by_speed=True),
        )
