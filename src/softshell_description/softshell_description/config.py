"""`robot.yaml`: groups, chains, motors, poses and roles, as written (not yet held to the URDF).

A name may contain a placeholder such as `{k}`; it then stands for several, see `placeholders`.
"""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated

from pydantic import Field, field_validator, model_validator

from softshell_common.yaml_file import StrictModel, YamlFile
from softshell_description.placeholders import Placeholders, fill
from softshell_description.robots import ROBOT_FILE
from softshell_kinematics.errors import ProblemsError, SoftshellError

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Positive = Annotated[Number, Field(gt=0)]

#: Words of the action language that no group may be called.
RESERVED = ('base', 'footprint')


class MotorSpec(StrictModel):
    """A kind of motor: its largest effort [N m] or [N] and speed [rad/s] or [m/s]."""

    effort: Positive
    velocity: Positive


class Gains(StrictModel):
    """PD gains of a joint: kp [N m/rad] or [N/m], kd [N m s/rad] or [N s/m]."""

    kp: Annotated[Number, Field(ge=0)]
    kd: Annotated[Number, Field(ge=0)]


class ChannelKind(Enum):
    """What a channel commands."""

    POSITION = 'position'
    LENGTH = 'length'
    EFFORT = 'effort'
    TENSION = 'tension'
    PRESSURE = 'pressure'


#: Units of the kinds of channels that are no joints.
UNITS = {
    ChannelKind.LENGTH: 'm',
    ChannelKind.EFFORT: 'N m',
    ChannelKind.TENSION: 'N',
    ChannelKind.PRESSURE: 'kPa',
}


class ChannelSpec(StrictModel):
    """A commanded quantity that is no joint's position: a tendon, a pressure chamber.

    Attributes:
        kind: what it is.
        range: lowest and highest value, in the unit of its kind.
        rate: largest change [unit/s].
        acceleration: largest change of the rate [unit/s^2]; for lengths only.
        goal_tolerance: error at which a goal counts as reached.
    """

    kind: ChannelKind
    range: tuple[Number, Number]
    rate: Positive
    acceleration: Positive | None = None
    goal_tolerance: Positive

    @property
    def unit(self) -> str:
        """Of its value."""
        return UNITS[self.kind]

    @model_validator(mode='after')
    def _consistent(self) -> 'ChannelSpec':
        if self.kind not in UNITS:
            known = ', '.join(kind.value for kind in UNITS)
            raise ValueError(f'kind is {self.kind.value}, which joints have; expected {known}')
        if self.range[0] > self.range[1]:
            raise ValueError(f'range is {list(self.range)}; expected the lower end first')
        if (self.kind is ChannelKind.LENGTH) != (self.acceleration is not None):
            raise ValueError('acceleration is expected of a length, and of nothing else')
        return self


class BaseSpec(StrictModel):
    """The body that carries all limbs.

    Attributes:
        link: its frame.
        footprint: the level frame on the ground below it; for robots with legs.
        fixed: whether it is fixed to the world.
    """

    link: str
    footprint: str = 'base_footprint'
    fixed: bool = False


class CageSpec(StrictModel):
    """A ball that panels close to: the pose in which it is closed."""

    pose: str


class CommandsSpec(StrictModel):
    """What follows the streamed commands.

    Attributes:
        cmd_vel: the gait.
        body_pose: the action that brings the base to a pose.
    """

    cmd_vel: str = ''
    body_pose: str = ''


class _Joint(StrictModel):
    motor: str
    gains: Gains | None = None
    goal_tolerance: Positive | None = None


class _Chain(StrictModel):
    base: str
    tip: str


class _Group(StrictModel):
    gains: Gains
    goal_tolerance: Positive
    joints: dict[str, str | _Joint]
    chains: dict[str, _Chain] = Field(default_factory=dict)


class _Pose(StrictModel):
    rest_height: Number | None = None
    joints: dict[str, Number]


class _Legs(StrictModel):
    chains: list[str] = Field(min_length=1)
    stand: str
    rest: str


class _Robot(StrictModel):
    description: str
    urdf: str
    placeholders: dict[str, list[str] | int] = Field(default_factory=dict)
    base: BaseSpec
    motors: dict[str, MotorSpec]
    groups: dict[str, _Group]
    poses: dict[str, _Pose]
    start: str
    legs: _Legs | None = None
    shared: list[str] = Field(default_factory=list)
    channels: dict[str, ChannelSpec] = Field(default_factory=dict)
    cage: CageSpec | None = None
    commands: CommandsSpec = CommandsSpec()

    @field_validator('groups')
    @classmethod
    def _valid_names(cls, groups: dict[str, _Group]) -> dict[str, _Group]:
        for name in groups:
            if not name.isidentifier() or name in RESERVED:
                raise ValueError(
                    f'group {name!r}; expected letters, digits and _, and none of '
                    f'{", ".join(RESERVED)}'
                )
        return groups


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
    """A named pose: joint positions [rad] or [m], and the height of the base above ground [m]."""

    name: str
    positions: dict[str, float]
    rest_height: float | None
    where: str


@dataclass(frozen=True)
class LegsEntry:
    """The chains that are legs, and the poses in which the robot stands and rests."""

    chains: tuple[str, ...]
    stand: str
    rest: str
    where: str


@dataclass(frozen=True)
class RobotConfig:
    """A `robot.yaml` with its placeholders filled in.

    `problems` lists what is wrong in it; `places` tells the line of each top-level entry.
    """

    path: Path
    description: str
    urdf: str
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
    cage: CageSpec | None
    commands: CommandsSpec
    places: dict[str, str]
    problems: tuple[str, ...]


def read_config(folder: Path) -> RobotConfig:
    """Read a robot's configuration.

    Args:
        folder: of the robot.

    Raises:
        ProblemsError: the file is missing, is not YAML or lacks a whole section. Anything else is
            a problem in the result.
    """
    file = YamlFile(folder / ROBOT_FILE)
    robot, problems = file.fitting(_Robot)
    if robot is None:
        raise ProblemsError(str(file.path), problems)
    names = Placeholders(
        {
            name: map(str, range(values) if isinstance(values, int) else values)
            for name, values in robot.placeholders.items()
        }
    )
    try:
        return _filled(file, robot, names, problems)
    except SoftshellError as error:  # a placeholder: without it the names are not known
        raise ProblemsError(str(file.path), [*problems, str(error)]) from None


def _filled(
    file: YamlFile, robot: _Robot, names: Placeholders, problems: list[str]
) -> RobotConfig:
    legs = robot.legs
    return RobotConfig(
        path=file.path,
        description=robot.description,
        urdf=robot.urdf,
        placeholders=names,
        base=robot.base,
        motors=robot.motors,
        groups={name: group.gains for name, group in robot.groups.items()},
        joints=tuple(
            _joint(fill(name, key, value), group, entries, entries.joints[name], where)
            for group, entries in robot.groups.items()
            for name, key, value in names.rows(entries.joints)
            for where in [file.where(['groups', group, 'joints', name])]
        ),
        chains=tuple(
            ChainEntry(
                name=fill(name, key, value),
                group=group,
                base_link=fill(entries.chains[name].base, key, value),
                tip_link=fill(entries.chains[name].tip, key, value),
                where=file.where(['groups', group, 'chains', name]),
            )
            for group, entries in robot.groups.items()
            for name, key, value in names.rows(entries.chains)
        ),
        poses=tuple(
            PoseEntry(
                name=name,
                positions={
                    joint: position
                    for entry, position in pose.joints.items()
                    for joint in names.expand(entry)
                },
                rest_height=pose.rest_height,
                where=file.where(['poses', name]),
            )
            for name, pose in robot.poses.items()
        ),
        start=robot.start,
        legs=None
        if legs is None
        else LegsEntry(
            tuple(chain for entry in legs.chains for chain in names.expand(entry)),
            legs.stand,
            legs.rest,
            file.where(['legs']),
        ),
        shared=tuple(joint for entry in robot.shared for joint in names.expand(entry)),
        channels={
            name: spec for entry, spec in robot.channels.items() for name in names.expand(entry)
        },
        cage=robot.cage,
        commands=robot.commands,
        places={key: file.where([key]) for key in type(robot).model_fields},
        problems=tuple(problems),
    )


def _joint(
    name: str, group: str, entries: _Group, written: str | _Joint, where: str
) -> JointEntry:
    joint = _Joint(motor=written) if isinstance(written, str) else written
    return JointEntry(
        name=name,
        group=group,
        motor=joint.motor,
        gains=joint.gains or entries.gains,
        goal_tolerance=joint.goal_tolerance or entries.goal_tolerance,
        where=where,
    )
