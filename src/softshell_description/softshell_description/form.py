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
        if self.kind in (ChannelKind.TENSION, ChannelKind.LENGTH) and self.range[0] < 0.0:
            given = f'range is {list(self.range)} {self.unit}'
            raise ValueError(f'{given}; expected 0 or more, as a tendon never pushes')
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
        room: for what is inside, into which no panel goes while it pushes.
    """

    pose: str
    room: RoomSpec | None = None


class CommandsSpec(StrictModel):
    """What follows the streamed commands; for robots with legs.

    Attributes:
        cmd_vel: the gait; empty: none.
        body_pose: the action that brings the base to a pose; empty: none.
        rolling: the controller that follows `cmd_vel` while the cage is closed; empty: none.
    """

    cmd_vel: str = ''
    body_pose: str = ''
    rolling: str = ''


class JointForm(StrictModel):
    """A joint: its motor, and how it is controlled where that differs from its group."""

    motor: str
    gains: Gains | None = None
    goal_tolerance: Positive | None = None


def _joint(written: object) -> object:
    """A joint, or one that is written as the name of its motor alone, as its keys.

    Raises:
        ValueError: it is neither.
    """
    if isinstance(written, str):
        return {'motor': written}
    if not isinstance(written, dict | JointForm):
        raise ValueError('expected the name of a motor, or the keys motor, gains, goal_tolerance')
    return written


class ChainForm(StrictModel):
    """A chain, from which link to which."""

    base: str
    tip: str


class GroupForm(StrictModel):
    """Joints, chains and channels that belong together; without joints it needs no gains."""

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
    """A named pose: the height of the base above flat ground [m], positions [rad] or [m].

    Of channels it does not name, it has the value that is nearest to 0.
    """

    rest_height: NotNegative | None = None
    joints: dict[str, Number] = Field(default_factory=dict)
    channels: dict[str, Number] = Field(default_factory=dict)


class LegsForm(StrictModel):
    """The chains that are legs, and the poses in which the robot stands and rests."""

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

    What it leaves out is as in that of the robot that it extends, a name or a folder.
    """

    description: str
    urdf: str
    include: list[str] = Field(default_factory=list)
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
