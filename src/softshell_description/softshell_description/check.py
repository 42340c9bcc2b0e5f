"""What is wrong between a robot's URDF and its `robot.yaml`, in the words of the latter."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from softshell_description.config import (
    ChainEntry,
    JointEntry,
    LegsEntry,
    MotorSpec,
    PoseEntry,
    RobotConfig,
)
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_kinematics.urdf import Joint, Urdf

#: URDF and motor agree on a number that differs by no more than this part.
AGREEMENT = 1e-6


def model_problems(urdf: Urdf, config: RobotConfig) -> list[str]:
    """Everything in which URDF and configuration are wrong or disagree, one line each."""
    return [
        *_base_problems(urdf, config),
        *_joint_problems(urdf, config),
        *(problem for chain in config.chains for problem in _chain_problems(urdf, chain, config)),
        *_shared_problems(urdf, config),
        *_channel_problems(config),
        *(problem for pose in config.poses for problem in _pose_problems(urdf, pose, config)),
        *_role_problems(config),
        *(_legs_problems(config.legs, config) if config.legs is not None else ()),
    ]


def _channel_problems(config: RobotConfig) -> Iterator[str]:
    joints = {entry.name for entry in config.joints}
    for name in config.channels:
        if name in joints:
            yield f'{config.places["channels"]}: {name!r} is a joint as well'


def _base_problems(urdf: Urdf, config: RobotConfig) -> Iterator[str]:
    links = {link.name for link in urdf.links}
    if config.base.link not in links:
        yield f'{config.places["base"]}: {UnknownNameError("link", config.base.link, links)}'
    if config.base.footprint in links:
        yield (
            f'{config.places["base"]}: footprint is {config.base.footprint!r}; expected the name '
            'of no link of the URDF'
        )
    if config.base.fixed and config.legs is not None:
        yield f'{config.places["base"]}: a fixed base has no legs'


def _joint_problems(urdf: Urdf, config: RobotConfig) -> Iterator[str]:
    joints = {joint.name: joint for joint in urdf.joints}
    for name, count in Counter(entry.name for entry in config.joints).items():
        if count > 1:
            yield f'joint {name!r} is in {count} places'
    for entry in config.joints:
        joint = joints.get(entry.name)
        motor = config.motors.get(entry.motor)
        if motor is None:
            yield f'{entry.where}: {UnknownNameError("motor", entry.motor, config.motors)}'
        if joint is None:
            yield f'{entry.where}: the URDF has no joint {entry.name!r}'
        elif not joint.movable or joint.mimic is not None:
            yield f'{entry.where}: {entry.name!r} cannot be commanded (fixed or mimic)'
        else:
            yield from _limit_problems(joint, entry, motor)
    listed = {entry.name for entry in config.joints}
    for joint in urdf.joints:
        if joint.movable and joint.mimic is None and joint.name not in listed:
            yield f'no group holds the URDF joint {joint.name!r}'
        if joint.mimic is not None and joint.mimic.joint not in listed:
            yield f'{joint.name!r} mimics an unlisted joint'


def _limit_problems(joint: Joint, entry: JointEntry, motor: MotorSpec | None) -> Iterator[str]:
    limits = {'lower': joint.lower, 'upper': joint.upper}
    missing = [name for name, value in limits.items() if not np.isfinite(value)]
    if missing:
        yield f'{entry.where}: URDF joint {joint.name!r} has no limit: {", ".join(missing)}'
    for name, written in (('effort', joint.effort), ('velocity', joint.velocity)):
        if motor is None or not np.isfinite(written):
            continue
        value = getattr(motor, name)
        if abs(written - value) > AGREEMENT * value:
            yield (
                f'{entry.where}: {name} of {joint.name!r} is {written} in the URDF; expected the '
                f'{value} of motor {entry.motor!r}'
            )


def _chain_problems(urdf: Urdf, chain: ChainEntry, config: RobotConfig) -> Iterator[str]:
    links = {link.name for link in urdf.links}
    ends = {'base': chain.base_link, 'tip': chain.tip_link}
    unknown = [role for role, link in ends.items() if link not in links]
    for role in unknown:
        yield f'{chain.where}: {role} link {ends[role]!r} of {chain.name!r} is unknown'
    if unknown:
        return
    try:
        joints = urdf.independent_joints(chain.base_link, chain.tip_link)
    except SoftshellError as error:
        yield f'{chain.where}: {error}'
        return
    if not joints:
        yield f'{chain.where}: no joint moves {chain.name!r}'
    for name in joints:
        if name not in {entry.name for entry in config.joints}:
            yield f'{chain.where}: {chain.name!r} needs joint {name!r}, in no group'


def _shared_problems(urdf: Urdf, config: RobotConfig) -> Iterator[str]:
    """Joints that move several chains and are not listed so, or the reverse."""
    moved: Counter[str] = Counter()
    for chain in config.chains:
        try:
            moved.update(urdf.independent_joints(chain.base_link, chain.tip_link))
        except SoftshellError:
            return  # said of the chain; without it nothing is known of its joints
    for name in config.shared:
        if moved[name] < 2:
            yield f'{config.places["shared"]}: {name!r} moves {moved[name]} chain(s), not several'
    for name, count in moved.items():
        if count > 1 and name not in config.shared:
            yield f'{config.places["shared"]}: lacks {name!r}, which moves {count} chains'


def _pose_problems(urdf: Urdf, pose: PoseEntry, config: RobotConfig) -> Iterator[str]:
    joints = {joint.name: joint for joint in urdf.joints}
    listed = {entry.name for entry in config.joints}
    for name, value in pose.positions.items():
        if name not in listed:
            yield f'{pose.where}: {name!r} is no independent joint'
        elif name in joints and not joints[name].lower <= value <= joints[name].upper:
            limits = f'[{joints[name].lower:.4g}, {joints[name].upper:.4g}]'
            yield f'{pose.where}: {name} is {value:.4g}, outside {limits}'
    missing = [entry.name for entry in config.joints if entry.name not in pose.positions]
    if missing:
        yield f'{pose.where}: leaves out {", ".join(missing)}'


def _role_problems(config: RobotConfig) -> Iterator[str]:
    poses = [pose.name for pose in config.poses]
    if config.start not in poses:
        yield f'{config.places["start"]}: {UnknownNameError("pose", config.start, poses)}'
    if config.cage is not None and config.cage.pose not in poses:
        yield f'{config.places["cage"]}: {UnknownNameError("pose", config.cage.pose, poses)}'


def _legs_problems(legs: LegsEntry, config: RobotConfig) -> Iterator[str]:
    chains = [chain.name for chain in config.chains]
    for name in legs.chains:
        if name not in chains:
            yield f'{legs.where}: {UnknownNameError("chain", name, chains)}'
    heights = {pose.name: pose.rest_height for pose in config.poses}
    for role, pose in (('stand', legs.stand), ('rest', legs.rest)):
        if pose not in heights:
            yield f'{legs.where}: {role}: {UnknownNameError("pose", pose, heights)}'
        elif heights[pose] is None:
            yield f'{legs.where}: {role}: pose {pose!r} has no rest_height'
