"""The control of a simulated robot's joints: gains, losses of motors, implicit integration."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from softshell_control.drives.pd import Drives
from softshell_control.drives.stable_pd import StablePd
from softshell_control.joint_map import JointMap
from softshell_description.config import Gains
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_sim.joints.gains import joint_gains, take_gains
from softshell_sim.joints.losses import Losses
from softshell_sim.joints.mass import MASS_STEPS, JointMass
from softshell_sim.settings import WorldSettings
from softshell_sim.urdf.parsed import parsed
from softshell_sim.urdf.tree import joint_inertia

#: Steps after which the stiffness of dry friction is computed anew.
GRIP_STEPS = 100
#: Stiffness and damping with which dry friction holds a joint, as parts of I/h² and I/h: I is the
#: inertia at the joint, h the longest step. With gains at their limits the sums are 0.45 I/h² and
#: I/(2 h): stable while M⁻¹, scaled to ones on its diagonal, has no eigenvalue above
#: 4/(0.45 + 2/2) = 2.75. The largest of Shell is 2.64, of the quadruped and the arm 2.
GRIP, GRIP_DAMPING = 0.2, 0.3


class JointControl:
    """The drives of a robot, with gains that keep the integration stable.

    Args:
        robot: the robot.
        joint_map: order of its joints.
        settings: of the world.
        urdf: of the robot; every joint in it moves.

    Attributes:
        drives: motors and control of the joints.
        losses: friction and rotor inertia of the motors, at the joints.
        limited: one line on the gains that were limited, by kind: 'kp', 'kd', 'viscous friction'.
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
            self._mass = JointMass(parsed(urdf), names, robot.base.fixed, rotors)
            self._matrix = np.eye(len(names))
        if implicit:
            self.drives.stable = StablePd(
                joint_map.driven, len(robot.joints), settings.physics_step
            )

    @property
    def rotor_inertia(self) -> Array:
        """(movable,) inertia of the motors at the joints [kg m^2] or [kg]; 0 of elastic ones."""
        return np.concatenate([self.losses.rotor_inertia, np.zeros(len(self._map.neutral))])

    def begin(self, joints: Mapping[str, float]) -> None:
        """Begin anew; the gains are limited to what is stable in this pose of the robot.

        Args:
            joints: position of each joint by name [rad] or [m].
        """
        robot = self._robot
        rotors = dict(zip(self._map.names, self.rotor_inertia.tolist(), strict=True))
        inertia = joint_inertia(robot.urdf, joints, robot.base.fixed, rotors)
        self._inertia = np.array([inertia[name] for name in self._map.names[: self._map.driven]])
        self.drives.forget()
        self.set_gains(self._gains)

    def set_gains(self, gains: Mapping[str, Gains]) -> None:
        """Set PID gains by group of joints.

        With explicit control they are limited to what is stable in the pose of the last reset;
        see `limited`.

        Args:
            gains: by name of group; the joints of a group that is left out, or has the gains of
                the model, keep the gains that the model has for each joint.

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
        """A copy of the gains and of the state of the drives."""
        return dict(self._gains), self._inertia.copy(), self.drives.save()

    def restore(self, content: Any) -> None:
        """Bring back what `save` returned."""
        gains, inertia, drives = content
        self._inertia = inertia.copy()
        self.set_gains(gains)
        self.drives.restore(drives)

    def prepare(self, position: Array, steps: int) -> None:
        """Update the mass matrix and the stiffness of dry friction, in some of the steps.

        Args:
            position: (movable,) of the joints [rad] or [m].
            steps: number of steps that have passed.
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
        """(driven, driven) mass matrix of the joints with motors, while all others move freely."""
        count, whole = self._map.driven, self._matrix
        if count == len(whole):
            return whole
        between = whole[count:, :count]
        moved = between.T @ np.linalg.solve(whole[count:, count:], between)
        return whole[:count, :count] - moved
