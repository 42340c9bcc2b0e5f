"""`robot.yaml` with its placeholders filled in, not yet held against the URDF.

A name may contain a placeholder such as `{k}`; it then stands for several, see `placeholders`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from softshell_common.wording import Location
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
from softshell_description.form import ChannelKind as ChannelKind
from softshell_description.form import Gains as Gains
from softshell_description.motor_form import MotorSpec
from softshell_description.placeholders import Placeholders, fill
from softshell_description.robots import ROBOT_FILE, share_directory
from softshell_description.soft import SoftSpec, soft_parts
from softshell_kinematics.errors import ProblemsError, SoftshellError

Value = TypeVar('Value')


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
        rest_height: of the base above flat ground [m]; None if the robot cannot rest so.
        named: the joints that its entry names, also those whose position is wrong.
        where: its line.
        places: the line of each position.
    """

    name: str
    positions: dict[str, float]
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
    """The names that have an entry, right or wrong.

    What is wrong with an entry is said of the entry, and not again of all that refers to it.

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
        file: where it is read from; knows the lines.
        include: folders of further actions and gaits.
        written: names of all entries, also of those that are wrong and left out elsewhere.
        problems: what is wrong with single entries.
    """

    file: YamlFile
    description: str
    urdf: str
    include: tuple[Path, ...]
    placeholders: Placeholders
    base: BaseSpec
    motors: dict[str, MotorSpec]
    groups: dict[str, Gains]
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
    written: Written
    problems: tuple[str, ...]

    def entry(self, *location: str) -> Any:
        """An entry as it is written, right or wrong; None if there is none."""
        return _written(self.file.data, location)


def and_more(count: int) -> str:
    """The end of a message about the first of several things that are wrong in the same way."""
    return '' if count == 1 else f' (and {count - 1} more like it)'


class _Names:
    """Fills in the placeholders of names; collects what is wrong with the names.

    Args:
        file: knows the lines.
        placeholders: of its names.
    """

    def __init__(self, file: YamlFile, placeholders: Placeholders) -> None:
        self._file, self.placeholders = file, placeholders
        self.problems: list[str] = []
        self._unfilled: dict[str, list[str]] = {}

    def expand(self, location: Location, name: str) -> tuple[str, ...]:
        """The names that a name stands for; none if it is wrong."""
        try:
            return self.placeholders.expand(name)
        except SoftshellError as error:
            self._unfilled.setdefault(str(error), []).append(self._file.where(location))
            return ()

    def unfilled(self) -> list[str]:
        """Why placeholders could not be filled in: a line for each reason, at the first name."""
        return [
            f'{places[0]}: {text}{and_more(len(places))}'
            for text, places in self._unfilled.items()
        ]

    def rows(
        self, location: Location, names: Iterable[str]
    ) -> Iterator[tuple[str, str | None, str]]:
        """Every name that the keys of an entry stand for, as `Placeholders.rows`."""
        right = [name for name in names if self.expand((*location, name), name)]
        return self.placeholders.rows(right)

    def listed(self, location: Location, names: Iterable[str]) -> tuple[str, ...]:
        """Every name that a list of names stands for, each once."""
        found: dict[str, None] = {}
        for index, written in enumerate(names):
            for name in self.expand((*location, index), written):
                self._once(found, (*location, index), name)
                found[name] = None
        return tuple(found)

    def keyed(
        self, location: Location, entries: Mapping[str, Value]
    ) -> dict[str, tuple[Value, str]]:
        """Value and line of every name that the keys of an entry stand for."""
        found: dict[str, tuple[Value, str]] = {}
        for written, value in entries.items():
            place = (*location, written)
            for name in self.expand(place, written):
                self._once(found, place, name)
                found[name] = value, self._file.where(place)
        return found

    def _once(self, found: Iterable[str], location: Location, name: str) -> None:
        if name in found:
            text = f'{name!r} is given already; expected once'
            self.problems.append(self._file.problem(location, text))


def read_config(folder: Path) -> RobotConfig:
    """Read a robot's configuration.

    Args:
        folder: of the robot.

    Raises:
        ProblemsError: the file is missing, is not YAML, lacks a whole section, or its placeholders
            are wrong, without which no name is known. Anything else is a problem in the result.
    """
    file = YamlFile(folder / ROBOT_FILE)
    robot, problems = file.fitting(RobotForm)
    if robot is None:
        raise ProblemsError(str(file.path), problems)
    placeholders = file.data.get('placeholders', {})
    if not isinstance(placeholders, dict) or len(robot.placeholders) < len(placeholders):
        raise ProblemsError(str(file.path), problems)
    names = _Names(file, Placeholders(robot.placeholders))
    config = _filled(file, robot, names, problems)
    unfilled = names.unfilled()
    if unfilled:
        raise ProblemsError(str(file.path), [*config.problems, *unfilled])
    return config


def _filled(file: YamlFile, robot: RobotForm, names: _Names, problems: list[str]) -> RobotConfig:
    keyed = names.keyed(('channels',), robot.channels)
    channels = {name: spec for name, (spec, _) in keyed.items()}
    right = {name: form for name, form in robot.soft.items() if names.expand(('soft', name), name)}
    shared = share_directory() / 'urdf'
    soft, wrong = soft_parts(file, right, names.placeholders, channels, shared)
    return RobotConfig(
        file=file,
        description=robot.description,
        urdf=robot.urdf,
        include=tuple((file.path.parent / name).resolve() for name in robot.include),
        placeholders=names.placeholders,
        base=robot.base,
        motors=robot.motors,
        groups={name: group.gains for name, group in robot.groups.items()},
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
        commands=robot.commands,
        written=_names_written(file.data, names.placeholders),
        problems=(*problems, *names.problems, *wrong),
    )


def _joints(file: YamlFile, names: _Names, group: str, form: GroupForm) -> Iterator[JointEntry]:
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


def _chains(file: YamlFile, names: _Names, group: str, form: GroupForm) -> Iterator[ChainEntry]:
    location = ('groups', group, 'chains')
    for name, key, value in names.rows(location, form.chains):
        yield ChainEntry(
            name=fill(name, key, value),
            group=group,
            base_link=fill(form.chains[name].base, key, value),
            tip_link=fill(form.chains[name].tip, key, value),
            where=file.where((*location, name)),
        )


def _pose(file: YamlFile, names: _Names, name: str, form: PoseForm) -> PoseEntry:
    positions = names.keyed(('poses', name, 'joints'), form.joints)
    return PoseEntry(
        name=name,
        positions={joint: position for joint, (position, _) in positions.items()},
        rest_height=form.rest_height,
        named=_expanded(_written(file.data, ('poses', name, 'joints')), names.placeholders),
        where=file.where(('poses', name)),
        places={joint: place for joint, (_, place) in positions.items()},
    )


def _legs(names: _Names, form: LegsForm) -> LegsEntry:
    return LegsEntry(names.listed(('legs', 'chains'), form.chains), form.stand, form.rest)


def _names_written(data: object, placeholders: Placeholders) -> Written:
    groups = _written(data, ('groups',)) or {}

    def of_groups(kind: str) -> frozenset[str]:
        written = (_expanded(_written(group, (kind,)), placeholders) for group in groups.values())
        return frozenset(name for names in written for name in names)

    return Written(
        motors=_expanded(_written(data, ('motors',)), placeholders),
        joints=of_groups('joints'),
        chains=of_groups('chains'),
        poses=_expanded(_written(data, ('poses',)), placeholders),
        complete=all(isinstance(_written(g, ('joints',)), dict) for g in groups.values()),
    )


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
    """An entry of a document, whatever it is; None if there is none."""
    for step in location:
        data = data.get(step) if isinstance(data, dict) else None
    return data
