"""The typed model of a robot; `load` makes it."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from softshell_description.expand import resolve_meshes
from softshell_description.form import (
    BaseSpec,
    CageSpec,
    ChannelSpec,
    CommandsSpec,
    Gains,
)
from softshell_description.motor_form import MotorSpec
from softshell_description.placeholders import Placeholders
from softshell_description.soft import SoftSpec
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import UnknownNameError
from softshell_kinematics.model.urdf import Urdf


@dataclass(frozen=True)
class JointSpec:
    """An independent joint.

    Args:
        name: of the joint.
        unit: of its position: 'rad' or 'm'.
        lower, upper: limits of its position [rad] or [m].
        effort: largest effort of its motor [N m] or [N].
        velocity: largest speed of its motor [rad/s] or [m/s].
        group, motor: names of its group and of its kind of motor.
        gains: of its PID control.
        goal_tolerance: error of its position at which a goal counts as reached [rad] or [m].
    """

    name: str
    unit: str
    lower: float
    upper: float
    effort: float
    velocity: float
    group: str
    motor: str
    gains: Gains
    goal_tolerance: float


@dataclass(frozen=True)
class MimicSpec:
    """A joint that follows another: position = multiplier · position(source) + offset.

    Both are moved by the one motor of the source.
    """

    name: str
    source: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class ChainSpec:
    """A chain of links from base to tip.

    Args:
        name, group: of the chain.
        base_link, tip_link: where it starts and ends.
        joint_names: the independent joints that move it, from the base outwards; a mimicking
            joint on the way is replaced by the joint that it follows.
    """

    name: str
    group: str
    base_link: str
    tip_link: str
    joint_names: tuple[str, ...]


@dataclass(frozen=True)
class GroupSpec:
    """Joints, chains and channels that belong together, by name, and the gains of its joints."""

    joints: tuple[str, ...]
    chains: tuple[str, ...]
    gains: Gains
    channels: tuple[str, ...] = ()


@dataclass(frozen=True)
class LegsSpec:
    """The chains that are legs.

    Args:
        chains: their names, in the order of every array of feet.
        feet: the frames of their feet.
        stand, rest: poses in which the robot stands and lies.
    """

    chains: tuple[str, ...]
    feet: tuple[str, ...]
    stand: str
    rest: str


@dataclass(frozen=True, eq=False)
class RobotModel:
    """A robot: its links, joints, chains, motors, poses and files.

    Args:
        name: that of its folder.
        folder: with `robot.yaml`, `actions/`, `gaits/` and `demo.yaml`.
        description: one line.
        urdf_text: its URDF, with meshes as its author names them.
        urdf_folder: where relative names of meshes start.
        urdf: its links and joints.
        base: the body that carries the limbs.
        joints: the independent joints, in the order of every joint vector.
        mimics: the joints that follow one of them.
        chains, groups, motors: by name.
        poses: named poses: position [rad] or [m] of each independent joint, and the value of each
            other channel.
        rest_heights: height [m] of the base above flat ground when the robot rests in a pose; only
            of poses that it can rest in.
        start: the pose in which a simulation begins.
        legs: None for a robot without legs.
        shared: independent joints that move several chains.
        channels: commanded quantities that are no joints, such as tendons, by name.
        soft: its soft manipulators, by name; channels drive them.
        cage: the ball that its panels close to; None for a robot without panels.
        controllers: classes that move joints by what is measured, as `module:Class`, by name.
        commands: what carries out the streamed commands.
        engine: the physics engine that simulates it by default; empty: the default engine.
        bases: folders of the robots that it extends, the nearest first.
        placeholders: of the names in its files.
    """

    name: str
    folder: Path
    description: str
    urdf_text: str
    urdf_folder: Path
    urdf: Urdf
    base: BaseSpec
    joints: tuple[JointSpec, ...]
    mimics: tuple[MimicSpec, ...]
    chains: dict[str, ChainSpec]
    groups: dict[str, GroupSpec]
    motors: dict[str, MotorSpec]
    poses: dict[str, dict[str, float]]
    rest_heights: dict[str, float]
    start: str
    legs: LegsSpec | None = None
    shared: tuple[str, ...] = ()
    channels: dict[str, ChannelSpec] = field(default_factory=dict)
    soft: dict[str, SoftSpec] = field(default_factory=dict)
    cage: CageSpec | None = None
    controllers: dict[str, str] = field(default_factory=dict)
    commands: CommandsSpec = field(default_factory=CommandsSpec)
    engine: str = ''
    bases: tuple[Path, ...] = ()
    placeholders: Placeholders = field(default_factory=lambda: Placeholders({}))

    @cached_property
    def resolved_urdf(self) -> str:
        """The URDF with meshes by absolute path."""
        return resolve_meshes(self.urdf_text, self.urdf_folder)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the independent joints."""
        return tuple(joint.name for joint in self.joints)

    @cached_property
    def elastic_joints(self) -> tuple[str, ...]:
        """Names of the joints of all soft manipulators, which no motor moves."""
        return tuple(joint for spec in self.soft.values() for joint in spec.joints)

    @cached_property
    def lower_limits(self) -> Array:
        """(joints,) lowest positions [rad] or [m]."""
        return np.array([joint.lower for joint in self.joints])

    @cached_property
    def upper_limits(self) -> Array:
        """(joints,) highest positions [rad] or [m]."""
        return np.array([joint.upper for joint in self.joints])

    @cached_property
    def velocities(self) -> Array:
        """(joints,) largest speeds of the motors [rad/s] or [m/s]."""
        return np.array([joint.velocity for joint in self.joints])

    @cached_property
    def _indices(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.joint_names)}

    def index(self, name: str) -> int:
        """Place of the independent joint of this name in a joint vector.

        Raises:
            UnknownNameError: the robot has no such independent joint.
        """
        if name not in self._indices:
            raise UnknownNameError('joint', name, self._indices)
        return self._indices[name]

    def pose(self, name: str) -> Array:
        """(joints,) positions [rad] or [m] of the pose of this name.

        Raises:
            UnknownNameError: the robot has no such pose.
        """
        if name not in self.poses:
            raise UnknownNameError('pose', name, self.poses)
        return np.array([self.poses[name][joint] for joint in self.joint_names])

    def own_joints(self, chain: str) -> tuple[str, ...]:
        """The joints that move a chain and no other, from the base outwards.

        Raises:
            UnknownNameError: the robot has no such chain.
        """
        if chain not in self.chains:
            raise UnknownNameError('chain', chain, self.chains)
        return tuple(name for name in self.chains[chain].joint_names if name not in self.shared)
