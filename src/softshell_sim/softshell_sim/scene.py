"""Putting floor and robot into a PyBullet world."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pybullet
from numpy.typing import NDArray

from softshell_control.joint_map import JointMap
from softshell_description.model import RobotModel
from softshell_sim.flatten import Flattened
from softshell_sim.settings import WorldSettings

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scene:
    """Floor and robot in a world, by PyBullet's numbers.

    Args:
        client: the world.
        floor, body: the bodies.
        joints: (movable,) joint of each movable joint, in the order of the joint map.
        links: by name; not the base.
        feet: number of the foot by the link that carries it.
        base_inertial: position and orientation of the base's inertial frame in base_link.
    """

    client: int
    floor: int
    body: int
    joints: list[int]
    links: dict[str, int]
    feet: dict[int, int]
    base_inertial: tuple

    def place_base(self, height: float) -> None:
        """Put base_link level above the origin [m], at rest."""
        position, orientation = pybullet.multiplyTransforms(
            (0.0, 0.0, height), (0.0, 0.0, 0.0, 1.0), *self.base_inertial
        )
        pybullet.resetBasePositionAndOrientation(
            self.body, position, orientation, physicsClientId=self.client
        )
        pybullet.resetBaseVelocity(
            self.body, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), physicsClientId=self.client
        )

    def place_joints(self, positions: Array) -> None:
        """Put all joints at (movable,) positions [rad], at rest."""
        for joint, position in zip(self.joints, positions.tolist(), strict=True):
            pybullet.resetJointState(self.body, joint, position, 0.0, physicsClientId=self.client)

    def clearance(self) -> float:
        """Height of the robot's lowest point above the floor [m]."""
        points = pybullet.getClosestPoints(
            self.body, self.floor, 10.0, physicsClientId=self.client
        )
        return min((point[8] for point in points), default=0.0)

    def joint_inertia(self, positions: Array) -> Array:
        """(movable,) inertia that each joint feels, all others and the base free [kg m^2].

        Args:
            positions: (movable,) of all joints [rad].
        """
        order = np.argsort(self.joints)
        matrix = pybullet.calculateMassMatrix(
            self.body, positions[order].tolist(), physicsClientId=self.client
        )
        inertia = np.empty(len(order))
        inertia[order] = 1.0 / np.diag(np.linalg.inv(np.array(matrix)))[-len(order) :]
        return inertia


def build_scene(
    client: int,
    settings: WorldSettings,
    robot: RobotModel,
    joint_map: JointMap,
    flat: Flattened,
) -> Scene:
    """Empty a world and put floor and robot into it, motors off."""
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
    floor = pybullet.createMultiBody(0.0, plane, physicsClientId=client)
    body = _load(client, settings, flat)
    scene = _find(client, floor, body, robot, joint_map, flat)
    _set_surfaces(scene, settings)
    # Without this each joint brakes: Bullet's default motors hold it at rest.
    pybullet.setJointMotorControlArray(
        body,
        scene.joints,
        pybullet.VELOCITY_CONTROL,
        forces=[0.0] * len(scene.joints),
        physicsClientId=client,
    )
    if settings.self_collision:
        _filter_collisions(scene, robot, joint_map)
    if settings.gui:
        _look(client)
    return scene


def _look(client: int) -> None:
    """Give the window to the robot alone, seen from near by."""
    pybullet.configureDebugVisualizer(pybullet.COV_ENABLE_GUI, 0, physicsClientId=client)
    pybullet.resetDebugVisualizerCamera(1.4, 75.0, -25.0, (0.0, 0.0, 0.1), physicsClientId=client)


def _load(client: int, settings: WorldSettings, flat: Flattened) -> int:
    flags = pybullet.URDF_USE_INERTIA_FROM_FILE
    if settings.self_collision:
        flags |= pybullet.URDF_USE_SELF_COLLISION
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'robot.urdf'
        path.write_text(flat.text)
        return pybullet.loadURDF(str(path), flags=flags, physicsClientId=client)


def _find(
    client: int, floor: int, body: int, robot: RobotModel, joint_map: JointMap, flat: Flattened
) -> Scene:
    joints, links = {}, {}
    for index in range(pybullet.getNumJoints(body, physicsClientId=client)):
        info = pybullet.getJointInfo(body, index, physicsClientId=client)
        joints[info[1].decode()] = index
        links[info[12].decode()] = index
    tips = [robot.chains[chain].tip_link for chain in robot.groups.get('lower', ())]
    info = pybullet.getDynamicsInfo(body, -1, physicsClientId=client)
    return Scene(
        client=client,
        floor=floor,
        body=body,
        joints=[joints[name] for name in joint_map.names],
        links=links,
        feet={links[flat.frames[tip][0]]: foot for foot, tip in enumerate(tips)},
        base_inertial=(info[3], info[4]),
    )


def _set_surfaces(scene: Scene, settings: WorldSettings) -> None:
    surface = {
        'lateralFriction': settings.friction,
        'spinningFriction': 0.0,
        'rollingFriction': 0.0,
        'restitution': settings.restitution,
        'physicsClientId': scene.client,
    }
    pybullet.changeDynamics(scene.floor, -1, **surface)
    for link in (-1, *scene.links.values()):
        pybullet.changeDynamics(
            scene.body,
            link,
            linearDamping=0.0,
            angularDamping=0.0,
            jointDamping=0.0,
            activationState=pybullet.ACTIVATION_STATE_DISABLE_SLEEPING,
            **surface,
        )


def _filter_collisions(scene: Scene, robot: RobotModel, joint_map: JointMap) -> None:
    """Let parts pass through each other that touch by design.

    These are neighbours, and whatever overlaps in a named pose of the robot: the panels' collision
    shapes are rounder than the panels.
    """
    client, body = scene.client, scene.body
    parents = {
        link: pybullet.getJointInfo(body, link, physicsClientId=client)[16]
        for link in scene.links.values()
    }
    pairs = set()
    for link, parent in parents.items():
        pairs |= {(link, parent), (link, parents.get(parent, -1))}
        pairs |= {(link, other) for other, above in parents.items() if above == parent}
    scene.place_base(10.0)
    positions = np.zeros(len(joint_map.names))
    for pose in robot.poses:
        joint_map.positions(robot.pose(pose), positions)
        scene.place_joints(positions)
        pybullet.performCollisionDetection(physicsClientId=client)
        contacts = pybullet.getContactPoints(body, body, physicsClientId=client)
        pairs |= {(contact[3], contact[4]) for contact in contacts}
    for one, other in pairs:
        if one != other:
            pybullet.setCollisionFilterPair(body, body, one, other, 0, physicsClientId=client)
