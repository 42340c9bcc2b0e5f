"""A PyBullet world with a floor and the robot, which follows by joint torques."""

import numpy as np
import pybullet
from numpy.typing import NDArray

from softshell_common.errors import SoftshellError
from softshell_control.backend import Measured
from softshell_control.joint_map import JointMap
from softshell_control.pd import Motors, joint_torques
from softshell_description.expand import robot_urdf
from softshell_description.model import RobotModel
from softshell_sim.flatten import flatten
from softshell_sim.scene import build_scene
from softshell_sim.settings import Gains, WorldSettings

Array = NDArray[np.float64]


class World:
    """A floor at z = 0 in odom, and the robot on it.

    Several worlds may live in one process.

    Args:
        robot: the robot.
        settings: what the world is like.
        urdf_text: the robot's URDF, with meshes by path; default the package's own.
    """

    def __init__(
        self,
        robot: RobotModel,
        settings: WorldSettings | None = None,
        urdf_text: str | None = None,
    ) -> None:
        self.robot = robot
        self.settings = settings or WorldSettings()
        self.joint_map = JointMap.of(robot)
        text = robot_urdf(resolve_meshes=self.settings.gui) if urdf_text is None else urdf_text
        self._flat = flatten(text, visuals=self.settings.gui)
        self.client = pybullet.connect(pybullet.GUI if self.settings.gui else pybullet.DIRECT)
        if self.client < 0:
            raise SoftshellError('PyBullet did not start; a window (gui) needs a display')
        count = len(self.joint_map.names)
        self.position, self.velocity = np.zeros(count), np.zeros(count)
        self.torque = np.zeros(count)
        self.kp, self.kd = np.zeros(count), np.zeros(count)
        self.motors = _motors(robot, self.joint_map)
        self.measured = Measured.empty(count, feet=len(robot.groups.get('lower', ())))
        self._gains = self.settings.gains
        self._effort_sum = np.zeros(count)
        self._effort_count = 0
        self.reset(robot.pose('idle'))

    def close(self) -> None:
        """Leave the world; a second call does nothing."""
        if self.client >= 0:
            pybullet.disconnect(self.client)
            self.client = -1

    def set_gains(self, gains: dict[str, Gains]) -> None:
        """Take PD gains by group of joints; a follower has its leader's.

        No joint gets more than explicit integration bears: kd ≤ I/(2 h) and kp ≤ I/(4 h²), with I
        the inertia that the joint feels, all others free, in the pose of the last reset. Of the
        default gains this cuts those of the gear that leads the fold, which carries no load, and
        the damping of the knees to about 0.12.
        """
        self._gains = gains
        step = self.settings.physics_step
        for place, source in enumerate(self.joint_map.source):
            group = gains[self.robot.joints[source].group]
            inertia = self._inertia[place]
            self.kp[place] = min(group.kp, inertia / (4.0 * step**2))
            self.kd[place] = min(group.kd, inertia / (2.0 * step))

    def reset(self, pose: Array, height: float | None = None) -> Measured:
        """Begin anew with the robot in a pose, at rest.

        Args:
            pose: (independent,) joint positions [rad].
            height: of base_link [m]; default: so that the robot just touches the floor.
        """
        self.scene = build_scene(
            self.client, self.settings, self.robot, self.joint_map, self._flat
        )
        self.joint_map.positions(np.asarray(pose, dtype=np.float64), self.position)
        self.scene.place_joints(self.position)
        self.scene.place_base(1.0)
        self.scene.place_base(1.0 - self.scene.clearance() if height is None else height)
        self._inertia = self.scene.joint_inertia(self.position)
        self.set_gains(self._gains)
        self._base_in_inertial = pybullet.invertTransform(*self.scene.base_inertial)
        self._effort_sum[:] = 0.0
        self._effort_count = 0
        self._last_velocity = np.zeros(3)
        self.torque[:] = 0.0
        self.measured.effort[:] = 0.0
        return self.measure(0.0)

    def step(self, target_position: Array, target_velocity: Array) -> None:
        """One physics step under PD torque.

        Args:
            target_position: (movable,) [rad].
            target_velocity: (movable,) [rad/s].
        """
        self._read_joints()
        joint_torques(
            self.position,
            self.velocity,
            target_position,
            target_velocity,
            self.kp,
            self.kd,
            self.motors,
            self.torque,
        )
        pybullet.setJointMotorControlArray(
            self.scene.body,
            self.scene.joints,
            pybullet.TORQUE_CONTROL,
            forces=self.torque.tolist(),
            physicsClientId=self.client,
        )
        pybullet.stepSimulation(physicsClientId=self.client)
        self._effort_sum += self.torque
        self._effort_count += 1

    def measure(self, elapsed: float) -> Measured:
        """Read the state into `measured`.

        Args:
            elapsed: since the last call [s]; efforts are means over it, and so is acceleration.
        """
        measured = self.measured
        self._read_joints()
        measured.position[:] = self.position
        measured.velocity[:] = self.velocity
        if self._effort_count:
            np.divide(self._effort_sum, self._effort_count, out=measured.effort)
            self._effort_sum[:] = 0.0
            self._effort_count = 0
        self._measure_base(elapsed)
        self._measure_feet()
        return measured

    def contacts(self) -> list[tuple]:
        """PyBullet's contact points between the robot (A) and the floor (B)."""
        return pybullet.getContactPoints(
            self.scene.body, self.scene.floor, physicsClientId=self.client
        )

    def _read_joints(self) -> None:
        states = pybullet.getJointStates(
            self.scene.body, self.scene.joints, physicsClientId=self.client
        )
        self.position[:] = [state[0] for state in states]
        self.velocity[:] = [state[1] for state in states]

    def _measure_base(self, elapsed: float) -> None:
        measured, body, client = self.measured, self.scene.body, self.client
        pose = pybullet.getBasePositionAndOrientation(body, physicsClientId=client)
        position, orientation = pybullet.multiplyTransforms(*pose, *self._base_in_inertial)
        linear, angular = pybullet.getBaseVelocity(body, physicsClientId=client)
        measured.base_position[:] = position
        measured.base_orientation[:] = orientation
        turn = np.array(pybullet.getMatrixFromQuaternion(orientation)).reshape(3, 3)
        # Bullet's velocity is that of the centre of mass.
        arm = measured.base_position - pose[0]
        velocity = np.array(linear) + np.cross(angular, arm)
        measured.base_linear_velocity[:] = velocity @ turn
        measured.base_angular_velocity[:] = angular @ turn
        acceleration = np.array([0.0, 0.0, self.settings.gravity])
        if elapsed > 0.0:
            acceleration += (velocity - self._last_velocity) / elapsed
        measured.linear_acceleration[:] = acceleration @ turn
        self._last_velocity = velocity

    def _measure_feet(self) -> None:
        force = self.measured.foot_force
        force[:] = 0.0
        for contact in self.contacts():
            foot = self.scene.feet.get(contact[3])
            if foot is not None:
                force[foot] += contact[9]


def _motors(robot: RobotModel, joint_map: JointMap) -> Motors:
    joints = [robot.urdf.joint(name) for name in joint_map.names]
    return Motors(
        np.array([joint.effort for joint in joints]),
        np.array([joint.velocity for joint in joints]),
    )
