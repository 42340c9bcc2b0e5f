"""A PyBullet world with a floor and the robot, which follows by joint torques."""

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pybullet
from numpy.typing import NDArray

from softshell_common.errors import SoftshellError
from softshell_control.backend import Measured
from softshell_control.joint_map import JointMap
from softshell_control.pd import Motors, joint_torques
from softshell_description.expand import robot_urdf
from softshell_description.model import RobotModel
from softshell_sim.flatten import Flattened, flatten

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Gains:
    """PD gains of one group of joints: kp [N m/rad], kd [N m s/rad]."""

    kp: float
    kd: float


#: Stiff enough to sag less than 0.01 rad on three legs; see the tests.
DEFAULT_GAINS = {
    'fold': Gains(30.0, 0.6),
    'lower': Gains(40.0, 0.2),
    'upper': Gains(15.0, 0.15),
}


@dataclass(frozen=True)
class WorldSettings:
    """What a world is like.

    Args:
        physics_step: [s].
        gravity: [m/s^2], downwards.
        friction: of the floor and of the robot; Bullet multiplies the two.
        restitution: of the floor and of the robot; likewise.
        self_collision: whether the robot's parts that are not neighbours collide.
        gui: show the world in a window.
        seed: of everything random. Nothing is yet: kept with the world so that it will be.
        gains: by group of joints.
    """

    physics_step: float = 0.001
    gravity: float = 9.81
    friction: float = 1.0
    restitution: float = 0.0
    self_collision: bool = False
    gui: bool = False
    seed: int = 0
    gains: dict[str, Gains] = field(default_factory=lambda: dict(DEFAULT_GAINS))


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
        self.kp, self.kd = np.zeros(count), np.zeros(count)
        self._gains = self.settings.gains
        self.motors = _motors(robot, self.joint_map)
        self.position, self.velocity = np.zeros(count), np.zeros(count)
        self.torque = np.zeros(count)
        self.measured = Measured.empty(count, feet=len(robot.groups.get('lower', ())))
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

        No joint gets more than explicit integration bears: kd ≤ I/h and kp ≤ I/(4 h²), with I the
        inertia that the joint feels, all others free, in the pose of the last reset. Among the
        default gains this concerns only the gear that leads the fold, which carries no load.
        """
        self._gains = gains
        step = self.settings.physics_step
        for place, source in enumerate(self.joint_map.source):
            group = gains[self.robot.joints[source].group]
            inertia = self._inertia[place]
            self.kp[place] = min(group.kp, inertia / (4.0 * step**2))
            self.kd[place] = min(group.kd, inertia / step)

    def reset(self, pose: Array, height: float | None = None) -> Measured:
        """Begin anew with the robot in a pose, at rest.

        Args:
            pose: (independent,) joint positions [rad].
            height: of base_link [m]; default: so that the robot just touches the floor.
        """
        self._build()
        self.joint_map.positions(np.asarray(pose, dtype=np.float64), self.position)
        for index, position in zip(self._indices, self.position.tolist(), strict=True):
            pybullet.resetJointState(self.body, index, position, 0.0, physicsClientId=self.client)
        self.place_base(1.0)
        self.place_base(1.0 - self._clearance() if height is None else height)
        self._inertia = self._joint_inertia()
        self.set_gains(self._gains)
        self.velocity[:] = 0.0
        self.torque[:] = 0.0
        self._last_velocity = np.zeros(3)
        self.measure(0.0)
        return self.measured

    def place_base(self, height: float) -> None:
        """Put base_link level above the origin [m], at rest."""
        position, orientation = pybullet.multiplyTransforms(
            (0.0, 0.0, height), (0.0, 0.0, 0.0, 1.0), *self._base_inertial
        )
        pybullet.resetBasePositionAndOrientation(
            self.body, position, orientation, physicsClientId=self.client
        )
        pybullet.resetBaseVelocity(
            self.body, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), physicsClientId=self.client
        )

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
            self.body,
            self._indices,
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
        return pybullet.getContactPoints(self.body, self.floor, physicsClientId=self.client)

    def _build(self) -> None:
        client, settings = self.client, self.settings
        pybullet.resetSimulation(physicsClientId=client)
        pybullet.setGravity(0.0, 0.0, -settings.gravity, physicsClientId=client)
        pybullet.setPhysicsEngineParameter(
            fixedTimeStep=settings.physics_step,
            numSubSteps=0,
            deterministicOverlappingPairs=1,
            enableConeFriction=1,
            physicsClientId=client,
        )
        plane = pybullet.createCollisionShape(pybullet.GEOM_PLANE, physicsClientId=client)
        self.floor = pybullet.createMultiBody(0.0, plane, physicsClientId=client)
        self.body = self._load()
        self._find_links()
        surface = {
            'lateralFriction': settings.friction,
            'spinningFriction': 0.0,
            'rollingFriction': 0.0,
            'restitution': settings.restitution,
        }
        pybullet.changeDynamics(self.floor, -1, **surface, physicsClientId=client)
        for link in range(-1, pybullet.getNumJoints(self.body, physicsClientId=client)):
            pybullet.changeDynamics(
                self.body,
                link,
                **surface,
                linearDamping=0.0,
                angularDamping=0.0,
                jointDamping=0.0,
                activationState=pybullet.ACTIVATION_STATE_DISABLE_SLEEPING,
                physicsClientId=client,
            )
        pybullet.setJointMotorControlArray(
            self.body,
            self._indices,
            pybullet.VELOCITY_CONTROL,
            forces=[0.0] * len(self._indices),
            physicsClientId=client,
        )
        if settings.self_collision:
            self._filter_collisions()

    def _load(self) -> int:
        flags = pybullet.URDF_USE_INERTIA_FROM_FILE
        if self.settings.self_collision:
            flags |= pybullet.URDF_USE_SELF_COLLISION
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / 'robot.urdf'
            path.write_text(self._flat.text)
            return pybullet.loadURDF(str(path), flags=flags, physicsClientId=self.client)

    def _find_links(self) -> None:
        client = self.client
        joints, links = {}, {}
        for index in range(pybullet.getNumJoints(self.body, physicsClientId=client)):
            info = pybullet.getJointInfo(self.body, index, physicsClientId=client)
            joints[info[1].decode()] = index
            links[info[12].decode()] = index
        self._links = links
        self._indices = [joints[name] for name in self.joint_map.names]
        info = pybullet.getDynamicsInfo(self.body, -1, physicsClientId=client)
        self._base_inertial = (info[3], info[4])
        inverse = pybullet.invertTransform(*self._base_inertial)
        self._base_in_inertial = inverse
        self._feet = _feet(self.robot, self._flat, links)

    def _filter_collisions(self) -> None:
        """Let parts pass through each other that touch by design."""
        parents = {
            index: pybullet.getJointInfo(self.body, index, physicsClientId=self.client)[16]
            for index in self._links.values()
        }
        for index, parent in parents.items():
            near = {parent, parents.get(parent, -1)}
            near |= {other for other, above in parents.items() if above == parent}
            for other in near - {index}:
                pybullet.setCollisionFilterPair(
                    self.body, self.body, index, other, 0, physicsClientId=self.client
                )

    def _joint_inertia(self) -> Array:
        """(movable,) inertia that each joint feels, all others and the base free [kg m^2]."""
        order = np.argsort(self._indices)
        matrix = np.array(
            pybullet.calculateMassMatrix(
                self.body, self.position[order].tolist(), physicsClientId=self.client
            )
        )
        inertia = np.empty(len(order))
        inertia[order] = 1.0 / np.diag(np.linalg.inv(matrix))[-len(order) :]
        return inertia

    def _clearance(self) -> float:
        """Height of the robot's lowest point above the floor [m]."""
        points = pybullet.getClosestPoints(
            self.body, self.floor, 10.0, physicsClientId=self.client
        )
        return min((point[8] for point in points), default=0.0)

    def _read_joints(self) -> None:
        states = pybullet.getJointStates(self.body, self._indices, physicsClientId=self.client)
        self.position[:] = [state[0] for state in states]
        self.velocity[:] = [state[1] for state in states]

    def _measure_base(self, elapsed: float) -> None:
        measured, client = self.measured, self.client
        pose = pybullet.getBasePositionAndOrientation(self.body, physicsClientId=client)
        com = np.array(pose[0])
        position, orientation = pybullet.multiplyTransforms(*pose, *self._base_in_inertial)
        linear, angular = pybullet.getBaseVelocity(self.body, physicsClientId=client)
        measured.base_position[:] = position
        measured.base_orientation[:] = orientation
        turn = np.array(pybullet.getMatrixFromQuaternion(orientation)).reshape(3, 3)
        angular = np.array(angular)
        velocity = np.array(linear) + np.cross(angular, measured.base_position - com)
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
            foot = self._feet.get(contact[3])
            if foot is not None:
                force[foot] += contact[9]


def _motors(robot: RobotModel, joint_map: JointMap) -> Motors:
    joints = [robot.urdf.joint(name) for name in joint_map.names]
    return Motors(
        np.array([joint.effort for joint in joints]),
        np.array([joint.velocity for joint in joints]),
    )


def _feet(robot: RobotModel, flat: Flattened, links: dict[str, int]) -> dict[int, int]:
    """PyBullet's link of each foot, to the foot's number."""
    chains = robot.groups.get('lower', ())
    return {
        links[flat.frames[robot.chains[chain].tip_link][0]]: foot
        for foot, chain in enumerate(chains)
    }
