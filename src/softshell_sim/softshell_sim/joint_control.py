"""The control of a simulated robot's joints: gains, losses of the motors, implicit integration."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from softshell_control.joint_map import JointMap
from softshell_control.pd import Drives
from softshell_control.stable_pd import StablePd
from softshell_description.config import Gains
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.urdf_reader import parse_urdf
from softshell_sim.gains import joint_gains, take_gains
from softshell_sim.joint_mass import JointMass
from softshell_sim.losses import Losses
from softshell_sim.settings import WorldSettings
from softshell_sim.tree import joint_inertia

#: Steps for which implicit control takes the mass matrix of the joints to be the same.
MASS_STEPS = 10


class JointControl:
    """The drives of a robot, with the gains that integration bears.

    Args:
        robot: the robot.
        joint_map: order of its joints.
        settings: of the world.
        urdf: the robot's, in which every joint moves.

    Attributes:
        drives: motors and control of the joints.
        losses: of the motors.
        limited: which gains were limited, by kind of gain: 'kp', 'kd', 'viscous friction'.
    """

    def __init__(
        self, robot: RobotModel, joint_map: JointMap, settings: WorldSettings, urdf: str
    ) -> None:
        self._robot, self._map = robot, joint_map
        self._longest_step = settings.physics_step
        self.drives = Drives.of(robot, joint_map, settings.physics_step)
        self.losses = Losses.of(self.drives)
        self.limited: dict[str, str] = {}
        self._gains: Mapping[str, Gains] = {}
        self._inertia = np.zeros(len(joint_map.names))
        self._mass: JointMass | None = None
        if settings.pd == 'implicit':
            names, rotors = joint_map.names, self.losses.rotor_inertia
            self._mass = JointMass(parse_urdf(urdf), names, robot.base.fixed, rotors)
            self.drives.stable = StablePd(len(names), len(robot.joints), settings.physics_step)

    def begin(self, joints: Mapping[str, float]) -> None:
        """Forget what was before; gains are limited to what the robot bears in this pose.

        Args:
            joints: position of each joint [rad] or [m].
        """
        robot = self._robot
        rotors = dict(zip(joints, self.losses.rotor_inertia.tolist(), strict=True))
        inertia = joint_inertia(robot.urdf, joints, robot.base.fixed, rotors)
        self._inertia = np.array([inertia[name] for name in self._map.names])
        self.drives.forget()
        self.set_gains(self._gains)

    def set_gains(self, gains: Mapping[str, Gains]) -> None:
        """Take PID gains by group of joints.

        With explicit control no joint gets more than integration bears in the pose of the last
        reset; see `limited`.

        Args:
            gains: by group; a group that is left out, or has the model's gains, keeps what the
                model says of each joint.

        Raises:
            UnknownNameError: the robot has no such group.
        """
        asked = joint_gains(self._robot, self._map, gains)
        self._gains = dict(gains)
        viscous, names = self.losses.viscous_friction, self._map.names
        self.limited = take_gains(
            self.drives, asked, viscous, self._inertia, names, self._longest_step
        )

    def save(self) -> Any:
        """The gains that are in force, and all that the drives remember, as a copy."""
        return dict(self._gains), self._inertia.copy(), self.drives.save()

    def restore(self, content: Any) -> None:
        """Go on from what `save` gave."""
        gains, inertia, drives = content
        self._inertia = inertia.copy()
        self.set_gains(gains)
        self.drives.restore(drives)

    def prepare(self, position: Array, steps: int) -> None:
        """Bring what the drives need to know up to date.

        Args:
            position: (movable,) of the joints [rad] or [m].
            steps: that have passed.
        """
        stable = self.drives.stable
        if self._mass is not None and stable is not None and steps % MASS_STEPS == 0:
            self._mass.write(position, stable.mass)
