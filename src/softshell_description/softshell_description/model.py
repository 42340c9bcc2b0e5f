"""The typed model of the robot: its URDF held against `config/robot.yaml`."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softshell_common.errors import ProblemsError, SoftshellError, UnknownNameError
from softshell_description.config import (
    ChainEntry,
    JointEntry,
    MotorSpec,
    PoseEntry,
    RobotConfig,
    read_config,
)
from softshell_description.expand import robot_urdf, share_directory
from softshell_description.urdf import Joint, Urdf, parse_urdf

Array = NDArray[np.float64]


@dataclass(frozen=True)
class JointSpec:
    """An independent joint: limits [rad], effort [N m], velocity [rad/s], group and motor."""

    name: str
    lower: float
    upper: float
    effort: float
    velocity: float
    group: str
    motor: str


@dataclass(frozen=True)
class MimicSpec:
    """A joint that follows another: position = multiplier · position(source) + offset.

    It unpacks as (name, source, multiplier, offset).
    """

    name: str
    source: str
    multiplier: float
    offset: float

    def __iter__(self):
        return iter((self.name, self.source, self.multiplier, self.offset))


@dataclass(frozen=True)
class ChainSpec:
    """A chain of links from base to tip.

    Args:
        name, group: of the chain.
        base_link, tip_link: where it starts and ends.
        joint_names: the independent joints that move it, from the base outwards; a mimicking
            joint on the way stands here by the joint that it follows.
    """

    name: str
    group: str
    base_link: str
    tip_link: str
    joint_names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class RobotModel:
    """What the robot is.

    Args:
        urdf: its links and joints.
        joints: the independent joints, in the order of every joint vector.
        mimics: the joints that follow one of them.
        chains: by name.
        groups: names of the chains of each group.
        motors: by name.
        poses: named poses: angle [rad] of each independent joint.
        rest_heights: height [m] of base_link above flat ground when the robot rests in a pose;
            only of poses that it can rest in.
    """

    urdf: Urdf
    joints: tuple[JointSpec, ...]
    mimics: tuple[MimicSpec, ...]
    chains: dict[str, ChainSpec]
    groups: dict[str, tuple[str, ...]]
    motors: dict[str, MotorSpec]
    poses: dict[str, dict[str, float]]
    rest_heights: dict[str, float]

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the independent joints."""
        return tuple(joint.name for joint in self.joints)

    @cached_property
    def lower_limits(self) -> Array:
        """(joints,) lowest angles [rad]."""
        return np.array([joint.lower for joint in self.joints])

    @cached_property
    def upper_limits(self) -> Array:
        """(joints,) highest angles [rad]."""
        return np.array([joint.upper for joint in self.joints])

    @cached_property
    def efforts(self) -> Array:
        """(joints,) largest torques [N m]."""
        return np.array([joint.effort for joint in self.joints])

    @cached_property
    def velocities(self) -> Array:
        """(joints,) largest speeds [rad/s]."""
        return np.array([joint.velocity for joint in self.joints])

    @cached_property
    def _indices(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.joint_names)}

    def index(self, name: str) -> int:
        """Place of an independent joint in a joint vector.

        Raises:
            UnknownNameError: no independent joint goes by it.
        """
        if name not in self._indices:
            raise UnknownNameError('joint', name, self._indices)
        return self._indices[name]

    def pose(self, name: str) -> Array:
        """(joints,) angles [rad] of a named pose.

        Raises:
            UnknownNameError: no pose goes by it.
        """
        if name not in self.poses:
            raise UnknownNameError('pose', name, self.poses)
        return np.array([self.poses[name][joint] for joint in self.joint_names])

    def with_mimics(self, positions: dict[str, float]) -> dict[str, float]:
        """Angles [rad] of all movable joints from those of the independent ones."""
        followers = {
            name: multiplier * positions[source] + offset
            for name, source, multiplier, offset in self.mimics
        }
        return {**positions, **followers}


def load_robot(urdf_text: str | None = None, config_path: Path | str | None = None) -> RobotModel:
    """Read the robot.

    Args:
        urdf_text: its URDF; default the package's own.
        config_path: its configuration; default the package's own.

    Raises:
        SoftshellError: the URDF is missing or unreadable.
        ProblemsError: everything in which URDF and configuration are wrong or disagree.
    """
    path = Path(config_path or share_directory() / 'config' / 'robot.yaml')
    urdf = parse_urdf(robot_urdf() if urdf_text is None else urdf_text)
    config = read_config(path)
    problems = [
        *config.problems,
        *_joint_problems(urdf, config),
        *(problem for chain in config.chains for problem in _chain_problems(urdf, chain, config)),
        *(problem for pose in config.poses for problem in _pose_problems(urdf, pose, config)),
    ]
    if problems:
        raise ProblemsError(str(path), problems)
    return RobotModel(
        urdf=urdf,
        joints=tuple(_joint_spec(urdf.joint(entry.name), entry) for entry in config.joints),
        mimics=tuple(
            MimicSpec(joint.name, joint.mimic.joint, joint.mimic.multiplier, joint.mimic.offset)
            for joint in urdf.joints
            if joint.mimic is not None
        ),
        chains={chain.name: _chain_spec(urdf, chain) for chain in config.chains},
        groups={
            group: tuple(chain.name for chain in config.chains if chain.group == group)
            for group in config.groups
        },
        motors=config.motors,
        poses={pose.name: pose.positions for pose in config.poses},
        rest_heights={
            pose.name: pose.rest_height for pose in config.poses if pose.rest_height is not None
        },
    )


def _joint_spec(joint: Joint, entry: JointEntry) -> JointSpec:
    return JointSpec(
        joint.name,
        joint.lower,
        joint.upper,
        joint.effort,
        joint.velocity,
        entry.group,
        entry.motor,
    )


def _chain_spec(urdf: Urdf, chain: ChainEntry) -> ChainSpec:
    names = [
        joint.mimic.joint if joint.mimic is not None else joint.name
        for joint in urdf.path(chain.base_link, chain.tip_link)
        if joint.movable
    ]
    ordered = tuple(dict.fromkeys(names))
    return ChainSpec(chain.name, chain.group, chain.base_link, chain.tip_link, ordered)


def _joint_problems(urdf: Urdf, config: RobotConfig) -> list[str]:
    problems = []
    joints = {joint.name: joint for joint in urdf.joints}
    for name, count in Counter(entry.name for entry in config.joints).items():
        if count > 1:
            problems.append(f'joint {name!r} is in {count} places')
    for entry in config.joints:
        joint = joints.get(entry.name)
        motor = config.motors.get(entry.motor)
        if motor is None:
            known = ', '.join(sorted(config.motors)) or 'none'
            problems.append(f'{entry.where}: unknown motor {entry.motor!r}; known: {known}')
        if joint is None:
            problems.append(f'{entry.where}: the URDF has no joint {entry.name!r}')
        elif not joint.movable or joint.mimic is not None:
            problems.append(f'{entry.where}: {entry.name!r} cannot be commanded (fixed or mimic)')
        else:
            problems += _limit_problems(joint, entry, motor)
    listed = {entry.name for entry in config.joints}
    for joint in urdf.joints:
        if joint.movable and joint.mimic is None and joint.name not in listed:
            problems.append(f'no group holds the URDF joint {joint.name!r}')
        if joint.mimic is not None and joint.mimic.joint not in listed:
            problems.append(f'{joint.name!r} mimics an unlisted joint')
    return problems


def _limit_problems(joint: Joint, entry: JointEntry, motor: MotorSpec | None) -> list[str]:
    problems = []
    values = {'lower': joint.lower, 'upper': joint.upper}
    values |= {'effort': joint.effort, 'velocity': joint.velocity}
    missing = [name for name, value in values.items() if not np.isfinite(value)]
    if missing:
        problems.append(
            f'{entry.where}: URDF joint {joint.name!r} has no limit: {", ".join(missing)}'
        )
    for name in ('effort', 'velocity'):
        if motor is not None and np.isfinite(values[name]) and values[name] > getattr(motor, name):
            problems.append(
                f'{entry.where}: {name} of {joint.name!r} is {values[name]} in the URDF, '
                f'more than the {getattr(motor, name)} of motor {entry.motor!r}'
            )
    return problems


def _chain_problems(urdf: Urdf, chain: ChainEntry, config: RobotConfig) -> list[str]:
    problems = []
    links = {link.name for link in urdf.links}
    for role, link in (('base', chain.base_link), ('tip', chain.tip_link)):
        if link not in links:
            problems.append(f'{chain.where}: {role} link {link!r} of {chain.name!r} is unknown')
    if problems:
        return problems
    try:
        joints = _chain_spec(urdf, chain).joint_names
    except SoftshellError as error:
        return [f'{chain.where}: {error}']
    if not joints:
        problems.append(f'{chain.where}: no joint moves {chain.name!r}')
    for name in joints:
        if name not in {entry.name for entry in config.joints}:
            problems.append(f'{chain.where}: {chain.name!r} needs joint {name!r}, in no group')
    return problems


def _pose_problems(urdf: Urdf, pose: PoseEntry, config: RobotConfig) -> list[str]:
    problems = []
    joints = {joint.name: joint for joint in urdf.joints}
    listed = {entry.name for entry in config.joints}
    for name, angle in pose.positions.items():
        if name not in listed:
            problems.append(f'{pose.where}: {name!r} is no independent joint')
        elif name in joints and not joints[name].lower <= angle <= joints[name].upper:
            limits = f'[{joints[name].lower:.4g}, {joints[name].upper:.4g}]'
            problems.append(f'{pose.where}: {name} is {angle:.4g}, outside {limits}')
    missing = [entry.name for entry in config.joints if entry.name not in pose.positions]
    if missing:
        problems.append(f'{pose.where}: leaves out {", ".join(missing)}')
    return problems
