"""The form of `robot.yaml`: which entries it has, and what each may hold by itself."""

import re
from enum import Enum
from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from softshell_common.yaml_file import NotNegative, Number, Positive, StrictModel
from softshell_description.motor_form import MotorSpec
from softshell_description.soft_form import SoftForm

#: A placeholder stands for no more names than these.
MOST_VALUES = 1000

_WORD = re.compile(r'[\w.-]+')


class Gains(StrictModel):
    """PID gains of a joint.

    Args:
        kp: [N m/rad] or [N/m].
        kd: [N m s/rad] or [N s/m].
        ki: [N m/(rad s)] or [N/(m s)].
    """

    kp: NotNegative
    kd: NotNegative
    ki: NotNegative = 0.0


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
        kind: what it commands.
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
        """Unit of its value."""
        return UNITS[self.kind]

    @model_validator(mode='after')
    def _consistent(self) -> 'ChannelSpec':
        if self.kind not in UNITS:
            known = ', '.join(kind.value for kind in UNITS)
            raise ValueError(f'kind is {self.kind.value}, which joints have; expected {known}')
        if self.range[0] > self.range[1]:
            raise ValueError(f'range is {list(self.range)}; expected the lower end first')
        if self.kind in (ChannelKind.TENSION, ChannelKind.LENGTH) and self.range[0] < 0.0:
            given = f'range is {list(self.range)} {self.unit}'
            raise ValueError(f'{given}; expected 0 or more, as a tendon never pushes')
        if self.kind is ChannelKind.LENGTH and self.acceleration is None:
            raise ValueError('lacks acceleration, which a channel of kind length has')
        if self.kind is not ChannelKind.LENGTH and self.acceleration is not None:
            given = f'has an acceleration, and is of kind {self.kind.value}'
            raise ValueError(f'{given}; expected one only of kind length')
        return self


class BaseSpec(StrictModel):
    """The body that carries all limbs.

    Attributes:
        link: its frame.
        footprint: the level frame below it, at the height of the lowest foot's frame; for robots
            with legs.
        fixed: whether it is fixed to the world.
    """

    link: str
    footprint: str = 'base_footprint'
    fixed: bool = False


class RoomSpec(StrictModel):
    """A sphere that stays free.

    Args:
        centre: x, y, z in the base link [m].
        radius: [m].
    """

    centre: tuple[Number, Number, Number]
    radius: Positive


class CageSpec(StrictModel):
    """A ball that panels close to.

    Args:
        pose: in which it is closed.
        room: the space inside it that no panel enters while it pushes.
    """

    pose: str
    room: RoomSpec | None = None


class CommandsSpec(StrictModel):
    """What carries out the streamed commands of a robot with legs.

    Attributes:
        cmd_vel: the gait that follows `cmd_vel`; empty: none.
        body_pose: the action that brings the base to a pose of `body_pose`; empty: none.
        rolling: the controller that follows `cmd_vel` while the cage is closed; empty: none.
    """

    cmd_vel: str = ''
    body_pose: str = ''
    rolling: str = ''


class JointForm(StrictModel):
    """A joint: its motor, and how it is controlled where that differs from its group.

    Attributes:
        motor: one of `motors`.
        gains: instead of its group's.
        goal_tolerance: instead of its group's [rad] or [m].
    """

    motor: str
    gains: Gains | None = None
    goal_tolerance: Positive | None = None


def _joint(written: object) -> object:
    """The keys of a joint, which may be written as the name of its motor alone.

    Raises:
        ValueError: it is neither.
    """
    if isinstance(written, str):
        return {'motor': written}
    if not isinstance(written, dict | JointForm):
        raise ValueError('expected the name of a motor, or the keys motor, gains, goal_tolerance')
    return written


class ChainForm(StrictModel):
    """A chain of links.

    Attributes:
        base: the link that it begins with.
        tip: the link that it ends with, which is moved to goals.
    """

    base: str
    tip: str


class GroupForm(StrictModel):
    """Joints, chains and channels that belong together; without joints it needs no gains.

    Attributes:
        gains: of the PID control of its joints, in simulation; on every bridge plans lead by what
            a motor with this kp gives way under the load that is expected.
        goal_tolerance: error of a joint at which a goal counts as reached [rad] or [m].
        joints: motor of each joint, or its keys where it differs from the group; a joint is in
            one group.
        chains: its limbs, by name; a name is used once in the robot.
        channels: names of `channels` of the robot.
    """

    gains: Gains = Gains(kp=0.0, kd=0.0)
    goal_tolerance: Positive = 1.0
    joints: dict[str, Annotated[JointForm, BeforeValidator(_joint)]] = Field(default_factory=dict)
    chains: dict[str, ChainForm] = Field(default_factory=dict)
    channels: list[str] = Field(default_factory=list)

    @model_validator(mode='after')
    def _complete(self) -> 'GroupForm':
        if 'joints' not in self.model_fields_set and not self.channels:
            raise ValueError('lacks joints; expected joints or channels')
        lacking = sorted({'gains', 'goal_tolerance'} - self.model_fields_set)
        if self.joints and lacking:
            raise ValueError(f'lacks {" and ".join(lacking)}, which a group of joints has')
        return self


class PoseForm(StrictModel):
    """A named pose.

    Attributes:
        rest_height: of the base above flat ground on which the robot stands so [m].
        joints: position of each joint of the groups [rad] or [m]; none may be left out.
        channels: values of channels, in the unit of each kind; one that is left out has the value
            of its range that is nearest to 0.
    """

    rest_height: NotNegative | None = None
    joints: dict[str, Number] = Field(default_factory=dict)
    channels: dict[str, Number] = Field(default_factory=dict)


class LegsForm(StrictModel):
    """What makes a robot walk.

    Attributes:
        chains: those that are legs; their tips are the feet.
        stand: the pose in which it stands.
        rest: the pose in which it rests, lower than it stands.
    """

    chains: list[str] = Field(min_length=1)
    stand: str
    rest: str


def _words(written: object) -> tuple[str, ...]:
    """What a placeholder stands for: the words that are written, or 0 to n - 1.

    Raises:
        ValueError: there is no word, one is not valid or is there twice, or n is out of range.
    """
    expected = f'expected a whole number of 1 to {MOST_VALUES}, or a list of words'
    if isinstance(written, int) and not isinstance(written, bool):
        if not 1 <= written <= MOST_VALUES:
            raise ValueError(expected)
        return tuple(map(str, range(written)))
    if not isinstance(written, list | tuple) or not written:
        raise ValueError(expected)
    for word in written:
        if not isinstance(word, str) or not _WORD.fullmatch(word):
            raise ValueError(f'holds {word!r}; expected words of letters, digits, _, - and .')
        if written.count(word) > 1:
            raise ValueError(f'holds {word!r} {written.count(word)} times; expected it once')
    return tuple(written)


class RobotForm(StrictModel):
    """All of a `robot.yaml`.

    Attributes:
        description: one line, for people.
        urdf: file of a URDF or xacro, beside this one or below `urdf/`.
        placeholders: what a word in braces stands for in names: 6 for 0 to 5, or a list of words.
        base: the link that carries the limbs.
        motors: kinds of motors, by name.
        groups: groups of joints and channels, by name.
        poses: named poses.
        start: the pose in which a simulation begins.
        legs: which limbs walk.
        shared: joints that move several chains, which inverse kinematics leaves alone.
        channels: commanded quantities that are no joints, by name.
        soft: soft manipulators, by name.
        cage: panels that close to a ball.
        controllers: classes that move joints by what is measured, as `module:Class`, by name.
        commands: what carries out the streamed commands.
        engine: the physics engine that simulates it by default.
        extends: another robot, by its name or folder: what is not written here is taken from it.
    """

    description: str
    urdf: str
    placeholders: dict[str, Annotated[tuple[str, ...], BeforeValidator(_words)]] = Field(
        default_factory=dict
    )
    base: BaseSpec
    motors: dict[str, MotorSpec]
    groups: dict[str, GroupForm]
    poses: dict[str, PoseForm]
    start: str
    legs: LegsForm | None = None
    shared: list[str] = Field(default_factory=list)
    channels: dict[str, ChannelSpec] = Field(default_factory=dict)
    soft: dict[str, SoftForm] = Field(default_factory=dict)
    cage: CageSpec | None = None
    controllers: dict[str, str] = Field(default_factory=dict)
    commands: CommandsSpec = CommandsSpec()
    engine: str = ''
    extends: str = ''
