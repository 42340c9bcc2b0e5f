"""A robot in an engine without softshell: the engine's own calls, and control in numpy.

It is what somebody writes who steps PyBullet or MuJoCo by hand: the same URDF, floor, friction,
gains and law of the motors (`softshell_control/drives/pd.py` says which), read as often.
"""

import tempfile
from pathlib import Path
from typing import Any, Protocol

import mujoco
import numpy as np

from softshell_control.drives.motors import Motors
from softshell_description.expand import resolve_meshes
from softshell_kinematics.arrays import Array
from softshell_sim.urdf.flatten import flatten
from softshell_sim.world import World

#: Part of the speed limit up to which a motor has its whole effort.
KNEE = 0.5


class Law:
    """Springs and dampers at all joints, limited by what the motors have at their speed.

    Args:
        world: whose gains, motors and mechanisms they are.
    """

    def __init__(self, world: World) -> None:
        drives, motors = world.drives, Motors.of(world.robot)
        self.kp, self.kd = drives.kp.copy(), drives.kd.copy()
        self.source, self.multiplier = drives.source, drives.multiplier
        self.most, self.fastest = motors.effort, motors.velocity
        self.weight = self.kp * self.multiplier
        count = len(self.most)
        self.stiffness = np.bincount(self.source, self.weight * self.multiplier, count)
        self.share = self.weight / self.stiffness[self.source]

    def effort(self, position: Array, velocity: Array, target: Array, rate: Array) -> Array:
        """(movable,) efforts [N m] or [N]."""
        wanted = self.kp * (target - position) + self.kd * (rate - velocity)
        count = len(self.most)
        asked = np.bincount(self.source, self.multiplier * wanted, count)
        pace = np.bincount(self.source, self.weight * velocity, count) / self.stiffness
        left = np.clip((1.0 - np.abs(pace) / self.fastest) / (1.0 - KNEE), 0.0, 1.0)
        most = np.where(asked * pace > 0.0, self.most * left, self.most)
        missing = np.clip(asked, -most, most) - asked
        return wanted + missing[self.source] * self.share


class Bare(Protocol):
    """A robot that stands on a floor."""

    def step(self, target: Array, rate: Array) -> None:
        """Let one step pass under control."""

    def measure(self) -> float:
        """Read base and contacts; the height of the base [m]."""

    def close(self) -> None:
        """End it."""


def urdf_of(world: World) -> str:
    """The URDF that the world has."""
    text = flatten(world.robot.urdf_text, visuals=False).text
    return resolve_meshes(text, world.robot.urdf_folder)


class BareMujoco:
    """See `Bare`.

    Args:
        world: what it is to be like, just reset.
        friction: dry, of every joint [N m].
    """

    def __init__(self, world: World, friction: float = 0.0) -> None:
        settings, base = world.settings, world.measured.base
        spec = mujoco.MjSpec.from_string(urdf_of(world))
        spec.compiler.balanceinertia = True
        spec.option.timestep, spec.option.cone = (
            settings.physics_step,
            mujoco.mjtCone.mjCONE_ELLIPTIC,
        )
        spec.option.impratio = 10.0
        for body in spec.bodies:
            for geom in body.geoms:
                geom.contype, geom.friction[0] = 0, settings.friction
        root = spec.worldbody.bodies[0]
        root.add_freejoint()
        floor = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
        floor.friction[0] = settings.friction
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        joints = [self.model.joint(name) for name in world.joint_map.names]
        self._position = np.array([joint.qposadr[0] for joint in joints])
        self._velocity = np.array([joint.dofadr[0] for joint in joints])
        self.model.dof_frictionloss[self._velocity] = friction
        self.data.qpos[:3] = base.position
        self.data.qpos[self._position] = world.position
        self._wrench, self._law = np.zeros(6), Law(world)

    def step(self, target: Array, rate: Array) -> None:
        """Let one step pass under control."""
        data = self.data
        position, velocity = data.qpos[self._position], data.qvel[self._velocity]
        data.qfrc_applied[self._velocity] = self._law.effort(position, velocity, target, rate)
        mujoco.mj_step(self.model, data)

    def measure(self) -> float:
        """Read base and contacts; the height of the base [m]."""
        data, force = self.data, np.zeros(3)
        for number in range(data.ncon):
            mujoco.mj_contactForce(self.model, data, number, self._wrench)
            force += data.contact[number].frame.reshape(3, 3).T @ self._wrench[:3]
        return float(data.qpos[:7].copy()[2])

    def close(self) -> None:
        """Nothing is open."""


class BarePybullet:
    """See `Bare`.

    Args:
        world: what it is to be like, just reset.
        friction: dry, of every joint [N m].
    """

    def __init__(self, world: World, friction: float = 0.0) -> None:
        from softshell_sim.pybullet.quietly import pybullet

        settings, self._api = world.settings, pybullet
        self._client = client = pybullet.connect(pybullet.DIRECT)
        pybullet.setGravity(0.0, 0.0, -settings.gravity, physicsClientId=client)
        pybullet.setTimeStep(settings.physics_step, physicsClientId=client)
        pybullet.setPhysicsEngineParameter(enableConeFriction=1, physicsClientId=client)
        plane = pybullet.createCollisionShape(pybullet.GEOM_PLANE, physicsClientId=client)
        floor = pybullet.createMultiBody(0.0, plane, physicsClientId=client)
        pybullet.changeDynamics(
            floor, -1, lateralFriction=settings.friction, physicsClientId=client
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / 'robot.urdf'
            path.write_text(urdf_of(world), encoding='utf-8')
            self._robot = pybullet.loadURDF(
                str(path), flags=pybullet.URDF_USE_INERTIA_FROM_FILE, physicsClientId=client
            )
        self._joints = self._free_joints(world.joint_map.names, friction)
        for joint, angle in zip(self._joints, world.position.tolist(), strict=True):
            pybullet.resetJointState(self._robot, joint, angle, physicsClientId=client)
        # PyBullet places the inertial frame of the base.
        centre, turn = pybullet.getDynamicsInfo(self._robot, -1, physicsClientId=client)[3:5]
        place = (world.measured.base.position + centre).tolist()
        pybullet.resetBasePositionAndOrientation(self._robot, place, turn, physicsClientId=client)
        self._centre, self._law = centre, Law(world)

    def _free_joints(self, names: tuple[str, ...], friction: float) -> list[int]:
        """Numbers of the joints, which have no motor but this friction; no link has damping."""
        pybullet, client, places = self._api, self._client, {}
        for joint in range(pybullet.getNumJoints(self._robot, physicsClientId=client)):
            info = pybullet.getJointInfo(self._robot, joint, physicsClientId=client)
            places[info[1].decode()] = joint
        for link in range(-1, len(places)):
            pybullet.changeDynamics(
                self._robot, link, lateralFriction=1.0, linearDamping=0.0, angularDamping=0.0,
                jointDamping=0.0, physicsClientId=client,
            )  # fmt: skip
        joints = [places[name] for name in names]
        pybullet.setJointMotorControlArray(
            self._robot, joints, pybullet.VELOCITY_CONTROL, forces=[friction] * len(joints),
            physicsClientId=client,
        )  # fmt: skip
        return joints

    def step(self, target: Array, rate: Array) -> None:
        """Let one step pass under control."""
        pybullet, client = self._api, self._client
        states = pybullet.getJointStates(self._robot, self._joints, physicsClientId=client)
        position = np.array([state[0] for state in states])
        velocity = np.array([state[1] for state in states])
        effort = self._law.effort(position, velocity, target, rate)
        pybullet.setJointMotorControlArray(
            self._robot, self._joints, pybullet.TORQUE_CONTROL, forces=effort,
            physicsClientId=client,
        )  # fmt: skip
        pybullet.stepSimulation(physicsClientId=client)

    def measure(self) -> float:
        """Read base and contacts; the height of the base [m]."""
        pybullet, client, force = self._api, self._client, np.zeros(3)
        place, _ = pybullet.getBasePositionAndOrientation(self._robot, physicsClientId=client)
        pybullet.getBaseVelocity(self._robot, physicsClientId=client)
        for point in pybullet.getContactPoints(self._robot, physicsClientId=client):
            force += point[9] * np.array(point[7])
        return float(place[2] - self._centre[2])

    def close(self) -> None:
        """Disconnect."""
        self._api.disconnect(self._client)


BARE: dict[str, Any] = {'pybullet': BarePybullet, 'mujoco': BareMujoco}
