"""`robot.yaml` with its placeholders filled in, not yet checked against the URDF.

A name may contain a placeholder such as `{k}`; it then stands for several names, see
`placeholders`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from softshell_common.yaml_file import YamlFile
from softshell_description.form import (
    BaseSpec,
    CageSpec,
    ChannelSpec,
    CommandsSpec,
    GroupForm,
    LegsForm,
    PoseForm,
    RobotForm,
)
from softshell_description.form import Gains as Gains
from softshell_description.motor_form import MotorSpec
from softshell_description.names import Names
from softshell_description.placeholders import Placeholders, fill
from softshell_description.robots import ROBOT_FILE, robot_folder, share_directory
from softshell_description.soft import SoftSpec, soft_parts
from softshell_kinematics.errors import ProblemsError, SoftshellError


@dataclass(frozen=True)
class JointEntry:
    """A joint that is commanded, its group, its motor and how it is controlled."""

    name: str
    group: str
    motor: str
    gains: Gains
    goal_tolerance: float
    where: str


@dataclass(frozen=True)
class ChainEntry:
    """A chain of a group, between two links."""

    name: str
    group: str
    base_link: str
    tip_link: str
    where: str


@dataclass(frozen=True)
class PoseEntry:
    """A named pose.

    Args:
        name: of the pose.
        positions: of joints [rad] or [m].
        channels: values of other channels, in the unit of each.
        rest_height: of the base above flat ground [m]; None if the robot cannot rest so.
        named: the joints that its entry names, also those whose position is wrong.
        where: its line.
        places: the line of each position.
    """

    name: str
    positions: dict[str, float]
    channels: dict[str, float]
    rest_height: float | None
    named: frozenset[str]
    where: str
    places: dict[str, str]


@dataclass(frozen=True)
class LegsEntry:
    """The chains that are legs, and the poses in which the robot stands and rests."""

    chains: tuple[str, ...]
    stand: str
    rest: str


@dataclass(frozen=True)
class Written:
    """The names that have an entry, valid or not.

    A problem of an entry is reported once, at the entry, and not at each name that refers to it.

    Args:
        motors, joints, chains, poses: names.
        complete: whether all joints and chains are known: every group lists its joints.
    """

    motors: frozenset[str]
    joints: frozenset[str]
    chains: frozenset[str]
    poses: frozenset[str]
    complete: bool


@dataclass(frozen=True)
class RobotConfig:
    """A `robot.yaml`.

    Args:
        file: that it was read from; tells the line of each entry.
        bases: folders of the robots that it extends, the nearest first.
        written: names of all entries, also of invalid ones, which the other fields leave out.
        problems: what is wrong with single entries.
    """

    file: YamlFile
    description: str
    urdf: str
    bases: tuple[Path, ...]
    placeholders: Placeholders
    base: BaseSpec
    motors: dict[str, MotorSpec]
    groups: dict[str, Gains]
    group_channels: dict[str, tuple[str, ...]]
    joints: tuple[JointEntry, ...]
    chains: tuple[ChainEntry, ...]
    poses: tuple[PoseEntry, ...]
    start: str
    legs: LegsEntry | None
    shared: tuple[str, ...]
    channels: dict[str, ChannelSpec]
    soft: tuple[SoftSpec, ...]
    cage: CageSpec | None
    controllers: dict[str, str]
    commands: CommandsSpec
    engine: str
    written: Written
    problems: tuple[str, ...]

    def entry(self, *location: str) -> Any:
        """An entry as it is written, valid or not; None if there is none."""
        return _written(self.file.data, location)


def read_config(folder: Path) -> RobotConfig:
    """Read a robot's configuration.

    Args:
        folder: of the robot.

    Raises:
        ProblemsError: the file is missing, is not YAML, lacks a whole section, or has wrong
            placeholders. Anything else that is wrong is in `problems` of the result.
    """
    file, bases = _whole_file(folder)
    robot, problems = file.fitting(RobotForm)
    if robot is None:
        raise ProblemsError(str(file.path), problems)
    placeholders = file.data.get('placeholders', {})
    if not isinstance(placeholders, dict) or len(robot.placeholders) < len(placeholders):
        raise ProblemsError(str(file.path), problems)
    names = Names(file, Placeholders(robot.placeholders))
    config = _filled(file, robot, names, problems, bases)
    unfilled = names.unfilled()
    if unfilled:
        raise ProblemsError(str(file.path), [*config.problems, *unfilled])
    return config


def _whole_file(folder: Path, inner: tuple[Path, ...] = ()) -> tuple[YamlFile, list[Path]]:
    """A robot's file, merged with those of the robots that it extends.

    Args:
        folder: of the robot.
        inner: folders of the robots that extend it.

    Returns:
        The file, and the folders of the robots that it extends, the nearest first.

    Raises:
        ProblemsError: a file cannot be read, extends something that is no robot, or extends
            itself.
    """
    file = YamlFile(folder / ROBOT_FILE)
    name = file.data.get('extends') if isinstance(file.data, dict) else None
    if not isinstance(name, str):
        return file, []
    try:
        beside = (folder / name).resolve()
        below = beside if (beside / ROBOT_FILE).is_file() else robot_folder(name)
    except SoftshellError as error:
        raise ProblemsError(str(file.path), [file.problem(('extends',), str(error))]) from None
    if below in (*inner, folder):
        text = f'is {name!r}, which extends this robot; expected a robot that does not'
        problem = file.problem(('extends',), text)
        raise ProblemsError(str(file.path), [problem])
    base, folders = _whole_file(below, (*inner, folder))
    return file.over(base), [below, *folders]


def _filled(
    file: YamlFile, robot: RobotForm, names: Names, problems: list[str], bases: list[Path]
) -> RobotConfig:
    keyed = names.keyed(('channels',), robot.channels)
    channels = {name: spec for name, (spec, _) in keyed.items()}
    right = {name: form for name, form in robot.soft.items() if names.expand(('soft', name), name)}
    folders = (file.path.parent, *bases, share_directory() / 'urdf')
    soft, wrong = soft_parts(file, right, names.placeholders, channels, folders)
    return RobotConfig(
        file=file,
        description=robot.description,
        urdf=robot.urdf,
        bases=tuple(bases),
        placeholders=names.placeholders,
        base=robot.base,
        motors=robot.motors,
        groups={name: group.gains for name, group in robot.groups.items()},
        group_channels={
            name: names.listed(('groups', name, 'channels'), group.channels)
            for name, group in robot.groups.items()
        },
        joints=tuple(
            entry
            for name, group in robot.groups.items()
            for entry in _joints(file, names, name, group)
        ),
        chains=tuple(
            entry
            for name, group in robot.groups.items()
            for entry in _chains(file, names, name, group)
        ),
        poses=tuple(_pose(file, names, name, pose) for name, pose in robot.poses.items()),
        start=robot.start,
        legs=None if robot.legs is None else _legs(names, robot.legs),
        shared=names.listed(('shared',), robot.shared),
        channels=channels,
        soft=soft,
        cage=robot.cage,
        controllers=robot.controllers,
        engine=robot.engine,
        commands=robot.commands,
        written=_names_written(file.data, names.placeholders),
        problems=(*problems, *names.problems, *wrong),
    )


def _joints(file: YamlFile, names: Names, group: str, form: GroupForm) -> Iterator[JointEntry]:
    location = ('groups', group, 'joints')
    for name, key, value in names.rows(location, form.joints):
        joint = form.joints[name]
        yield JointEntry(
            name=fill(name, key, value),
            group=group,
            motor=joint.motor,
            gains=joint.gains or form.gains,
            goal_tolerance=joint.goal_tolerance or form.goal_tolerance,
            where=file.where((*location, name)),
        )


def _chains(file: YamlFile, names: Names, group: str, form: GroupForm) -> Iterator[ChainEntry]:
    location = ('groups', group, 'chains')
    for name, key, value in names.rows(location, form.chains):
        yield ChainEntry(
            name=fill(name, key, value),
            group=group,
            base_link=fill(form.chains[name].base, key, value),
            tip_link=fill(form.chains[name].tip, key, value),
            where=file.where((*location, name)),
        )


def _pose(file: YamlFile, names: Names, name: str, form: PoseForm) -> PoseEntry:
    positions = names.keyed(('poses', name, 'joints'), form.joints)
    channels = names.keyed(('poses', name, 'channels'), form.channels)
    return PoseEntry(
        name=name,
        positions={joint: position for joint, (position, _) in positions.items()},
        channels={channel: value for channel, (value, _) in channels.items()},
        rest_height=form.rest_height,
        named=_expanded(_written(file.data, ('poses', name, 'joints')), names.placeholders),
        where=file.where(('poses', name)),
        places={joint: place for joint, (_, place) in positions.items()},
    )


def _legs(names: Names, form: LegsForm) -> LegsEntry:
    return LegsEntry(names.listed(('legs', 'chains'), form.chains), form.stand, form.rest)


def _names_written(data: object, placeholders: Placeholders) -> Written:
    groups = _written(data, ('groups',)) or {}

    def of_groups(kind: str) -> frozenset[str]:
        written = (_expanded(_written(group, (kind,)), placeholders) for group in groups.values())
        return frozenset(name for names in written for name in names)

    return Written(
        motors=frozenset(map(str, _written(data, ('motors',)) or ())),
        joints=of_groups('joints'),
        chains=of_groups('chains'),
        poses=frozenset(map(str, _written(data, ('poses',)) or ())),
        complete=all(_lists_members(group) for group in groups.values()),
    )


def _lists_members(group: object) -> bool:
    """Whether a group has its joints, or has channels and no joints."""
    joints = _written(group, ('joints',))
    return isinstance(joints, dict) or (joints is None and bool(_written(group, ('channels',))))


def _expanded(written: object, placeholders: Placeholders) -> frozenset[str]:
    """The names that the keys of an entry stand for; wrong placeholders are left as they are."""
    found: set[str] = set()
    for key in written if isinstance(written, dict) else ():
        try:
            found.update(placeholders.expand(str(key)))
        except SoftshellError:
            found.add(str(key))
    return frozenset(found)


def _written(data: Any, location: Iterable[str]) -> Any:
    """An entry of a document, valid or not; None if there is none."""
    for step in location:
        data = data.get(step) if isinstance(data, dict) else None
    return data
