"""Loading a robot: its URDF is checked against its `robot.yaml`; all problems are listed."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

from softshell_description.check import config_problems
from softshell_description.check_urdf import model_problems
from softshell_description.config import (
    ChainEntry,
    JointEntry,
    PoseEntry,
    RobotConfig,
    read_config,
)
from softshell_description.expand import expand_urdf, find_urdf
from softshell_description.model import (
    ChainSpec,
    GroupSpec,
    JointSpec,
    LegsSpec,
    MimicSpec,
    RobotModel,
)
from softshell_description.robots import DEFAULT_ROBOT, robot_folder
from softshell_description.soft_urdf import soft_problems, with_soft
from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_kinematics.model.urdf import Urdf
from softshell_kinematics.model.urdf_reader import parse_urdf, plain_xml


def load_robot(robot: str | Path = DEFAULT_ROBOT, urdf_text: str | None = None) -> RobotModel:
    """Load a robot from its `robot.yaml` and its URDF.

    Args:
        robot: name of an installed robot, or path of a robot's folder.
        urdf_text: its URDF; default the one that its `robot.yaml` names.

    Raises:
        SoftshellError: there is no such robot.
        ProblemsError: lists everything that is wrong with its `robot.yaml`, with its URDF, and
            between the two.
    """
    folder = robot_folder(robot)
    config = read_config(folder)
    problems = [*config.problems, *config_problems(config)]
    text, urdf_folder, urdf = urdf_text or '', folder, None
    try:
        if urdf_text is None:
            path = _urdf_path(config, folder)
            text, urdf_folder = _with_soft(expand_urdf(path), config), path.parent
            urdf = _parsed(text, str(path.resolve()))
        else:
            text = _with_soft(plain_xml(text), config)
            urdf = _parsed(text, 'the given URDF')
    except ProblemsError as error:
        problems += error.problems
    except SoftshellError as error:
        problems.append(str(error))
    if urdf is not None:
        problems += [*soft_problems(urdf, config.soft), *model_problems(urdf, config)]
    if problems or urdf is None:
        raise ProblemsError(str(config.file.path), problems)
    return _model(folder, config, urdf, text, urdf_folder)


def _with_soft(text: str, config: RobotConfig) -> str:
    """A URDF with the soft manipulators of a configuration; text that is not XML unchanged."""
    try:
        return with_soft(text, config.soft)
    except ElementTree.ParseError:
        return text


def _urdf_path(config: RobotConfig, folder: Path) -> Path:
    try:
        return find_urdf(config.urdf, folder, *config.bases)
    except SoftshellError as error:
        raise SoftshellError(config.file.problem(('urdf',), str(error))) from None


def _parsed(text: str, name: str) -> Urdf:
    """A URDF; `name` says in its problems which file is wrong.

    Raises:
        ProblemsError: everything that is wrong in it.
        SoftshellError: it cannot be read at all.
    """
    try:
        return parse_urdf(text)
    except ProblemsError as error:
        problems = [f'{name}: {problem}' for problem in error.problems]
        raise ProblemsError(name, problems) from None
    except SoftshellError as error:
        raise SoftshellError(f'{name}: {error}') from None


def _model(
    folder: Path, config: RobotConfig, urdf: Urdf, urdf_text: str, urdf_folder: Path
) -> RobotModel:
    return RobotModel(
        name=folder.name,
        folder=folder,
        description=config.description,
        urdf_text=urdf_text,
        urdf_folder=urdf_folder,
        urdf=urdf,
        base=config.base,
        joints=tuple(_joint(urdf, entry, config) for entry in config.joints),
        mimics=tuple(
            MimicSpec(joint.name, joint.mimic.joint, joint.mimic.multiplier, joint.mimic.offset)
            for joint in urdf.joints
            if joint.mimic is not None
        ),
        chains={entry.name: _chain(urdf, entry) for entry in config.chains},
        groups={name: _group(name, config) for name in config.groups},
        motors=config.motors,
        poses={pose.name: {**pose.positions, **_values(pose, config)} for pose in config.poses},
        rest_heights={
            pose.name: pose.rest_height for pose in config.poses if pose.rest_height is not None
        },
        start=config.start,
        legs=_legs(config),
        shared=config.shared,
        channels=config.channels,
        soft={spec.name: spec for spec in config.soft},
        cage=config.cage,
        controllers=config.controllers,
        engine=config.engine,
        commands=config.commands,
        bases=config.bases,
        placeholders=config.placeholders,
    )


def _values(pose: PoseEntry, config: RobotConfig) -> dict[str, float]:
    """The value in a pose of each channel that is no joint: as written, or that nearest to 0."""
    return {
        name: pose.channels.get(name, min(max(0.0, spec.range[0]), spec.range[1]))
        for name, spec in config.channels.items()
    }


def _group(name: str, config: RobotConfig) -> GroupSpec:
    return GroupSpec(
        tuple(entry.name for entry in config.joints if entry.group == name),
        tuple(entry.name for entry in config.chains if entry.group == name),
        config.groups[name],
        config.group_channels[name],
    )


def _legs(config: RobotConfig) -> LegsSpec | None:
    legs = config.legs
    if legs is None:
        return None
    tips = {entry.name: entry.tip_link for entry in config.chains}
    return LegsSpec(legs.chains, tuple(tips[name] for name in legs.chains), legs.stand, legs.rest)


def _joint(urdf: Urdf, entry: JointEntry, config: RobotConfig) -> JointSpec:
    joint, motor = urdf.joint(entry.name), config.motors[entry.motor]
    return JointSpec(
        name=joint.name,
        unit='m' if joint.type == 'prismatic' else 'rad',
        lower=joint.lower,
        upper=joint.upper,
        effort=motor.effort,
        velocity=motor.velocity,
        group=entry.group,
        motor=entry.motor,
        gains=entry.gains,
        goal_tolerance=entry.goal_tolerance,
    )


def _chain(urdf: Urdf, entry: ChainEntry) -> ChainSpec:
    return ChainSpec(
        entry.name,
        entry.group,
        entry.base_link,
        entry.tip_link,
        urdf.independent_joints(entry.base_link, entry.tip_link),
    )
