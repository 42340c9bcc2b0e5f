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
from softshell_sim.joints.gains import joint_gains, take_gains
from softshell_sim.joints.losses import Losses
from softshell_sim.joints.mass import JointMass
from softshell_sim.settings import WorldSettings
from softshell_sim.tree import joint_inertia

#: Steps for which implicit control takes the mass matrix of the joints to be the same.
MASS_STEPS = 10
#: Steps for which dry friction holds as stiffly.
GRIP_STEPS = 100
#: How stiffly dry friction holds a joint that feels the inertia I, with the longest step h: by
#: this part of I/h², and damped by this part of I/h. With gains at their limits that is
#: 0.45 I/h² and I/(2 h): stable while M⁻¹, scaled to ones on its diagonal, has no eigenvalue above
#: 4/(0.45 + 2/2) = 2.75. The largest of Shell is 2.64, of the quadruped and the arm 2.
GRIP, GRIP_DAMPING = 0.2, 0.3


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
        self._inertia = np.zeros(joint_map.driven)
        self._grips, implicit = bool(self.losses.dry_friction.any()), settings.pd == 'implicit'
        self._mass: JointMass | None = None
        if implicit or self._grips:
            names, rotors = joint_map.names, self.rotor_inertia
            self._mass = JointMass(parse_urdf(urdf), names, robot.base.fixed, rotors)
            self._matrix = np.eye(len(names))
        if implicit:
            self.drives.stable = StablePd(
                joint_map.driven, len(robot.joints), settings.physics_step
            )

    @property
    def rotor_inertia(self) -> Array:
        """(movable,) of the joints' motors; elastic ones have none [kg m^2] or [kg]."""
        return np.concatenate([self.losses.rotor_inertia, np.zeros(len(self._map.neutral))])

    def begin(self, joints: Mapping[str, float]) -> None:
        """Forget what was before; gains are limited to what the robot bears in this pose.

        Args:
            joints: position of each joint [rad] or [m].
        """
        robot = self._robot
        rotors = dict(zip(self._map.names, self.rotor_inertia.tolist(), strict=True))
        inertia = joint_inertia(robot.urdf, joints, robot.base.fixed, rotors)
        self._inertia = np.array([inertia[name] for name in self._map.names[: self._map.driven]])
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
        viscous, names = self.losses.viscous_friction, self._map.names[: self._map.driven]
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
        if self._mass is None:
            return
        stable = self.drives.stable
        if stable is not None and steps % MASS_STEPS == 0:
            self._mass.write(position, self._matrix)
            stable.mass[:] = self._of_driven()
        if self._grips and steps % GRIP_STEPS == 0:
            self._mass.write(position, self._matrix)
            felt = 1.0 / np.diag(np.linalg.inv(self._matrix))
            inertia, step = felt[: self._map.driven], self._longest_step
            self.drives.set_grip(GRIP * inertia / step**2, GRIP_DAMPING * inertia / step)

    def _of_driven(self) -> Array:
        """(driven, driven) mass matrix of the joints with motors, all others free to move."""
        count, whole = self._map.driven, self._matrix
        if count == len(whole):
            return whole
        between = whole[count:, :count]
        moved = between.T @ np.linalg.solve(whole[count:, count:], between)
        return whole[:count, :count] - moved
