"""The action language: what the files of a robot's `actions/` and `gaits/` may say.

An action is a sequence of sub-actions; a sub-action is a set of moves of one duration, side by
side; a move takes limbs, joints, feet or the base along a NURBS. Every number may be an expression
over the action's parameters. A curve starts where things are, and starts and ends at rest; a
coordinate that no point names is free (limbs) or stays as it is (base, joints).

Groups, chains, legs and poses are those of the robot's `robot.yaml`; names may hold placeholders.
"""

import math
from collections.abc import Container
from typing import Annotated, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from softshell_common.yaml_file import StrictModel
from softshell_kinematics.errors import UnknownNameError


def _number(written: object) -> object:
    """A number or expression, as it is written.

    Raises:
        ValueError: it is neither, or not finite.
    """
    number = isinstance(written, int | float) and not isinstance(written, bool)
    if not (number or isinstance(written, str)):
        raise ValueError('expected a number or an expression')
    if isinstance(written, float) and not math.isfinite(written):
        raise ValueError('expected a finite number or an expression')
    return written


def _names(written: object) -> object:
    """A list of names, or the word `all`, as it is written.

    Raises:
        ValueError: it is neither, or an empty list.
    """
    listed = isinstance(written, list | tuple) and all(isinstance(name, str) for name in written)
    if written != 'all' and not (listed and written):
        raise ValueError('expected a list of names, or all')
    return written


Number = Annotated[float | str, BeforeValidator(_number)]
Finite = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Weights = Annotated[list[Annotated[Finite, Field(gt=0)]], Field(min_length=1)]
Names = Annotated[list[str] | Literal['all'], BeforeValidator(_names)]
Coordinate = Literal['x', 'y', 'z', 'yaw', 'pitch', 'roll']


class Parameter(StrictModel):
    """A number that whoever calls the action may choose."""

    default: Finite
    minimum: Finite
    maximum: Finite
    unit: str = Field(description='1 for a number without a unit')
    meaning: str

    @property
    def range(self) -> str:
        """Its range with the unit, for people."""
        unit = '' if self.unit == '1' else f' {self.unit}'
        return f'{self.minimum:g} to {self.maximum:g}{unit}'

    def holds(self, value: float) -> bool:
        """Whether a value is in its range, give or take 1e-12."""
        return self.minimum - 1e-12 <= value <= self.maximum + 1e-12

    @model_validator(mode='after')
    def _ordered(self) -> 'Parameter':
        if self.minimum > self.maximum:
            raise ValueError(
                f'minimum is {self.minimum:g}; expected no more than the maximum, {self.maximum:g}'
            )
        if not self.minimum <= self.default <= self.maximum:
            raise ValueError(f'default is {self.default:g}; expected {self.range}')
        return self


class Velocity(StrictModel):
    """Velocity of the footprint in its own frame."""

    x: Number = 0.0
    y: Number = 0.0
    yaw: Number = 0.0


#: Parameters of an action that brings the robot to a velocity.
AXES = tuple(Velocity.model_fields)


class TravelMove(StrictModel):
    """The robot travels: its footprint gains `velocity` at constant acceleration.

    Feet in stance stay where they are on the ground.
    """

    velocity: Velocity


class _Step(StrictModel):
    """How feet go to their next footholds, which suit the velocity at the end."""

    height: Number = Field(description='of the highest point over the ground [m]')
    slant: Number = Field(
        default=0.0,
        description='part of the way covered while rising, and while coming down again',
    )
    spread: Number = Field(
        default=0.0, description='footholds are so much further out than at rest [m]'
    )


class StepMove(_Step):
    """Some legs step, all at once."""

    legs: Names


class GaitMove(_Step):
    """The legs go on for one part of a gait's cycle: from one lift-off or touch-down to the next.

    The sub-action takes as long as that part of the cycle, so it has no duration of its own.
    """

    gait: str
    cycle: Number = Field(description='time of the whole cycle [s]')
    lift: bool = Field(
        default=True, description='if false, feet in the air land and no other lifts'
    )


class BaseMove(StrictModel):
    """The base follows control points in the footprint."""

    base: list[dict[Coordinate, Number]] = Field(min_length=1)
    relative: bool = Field(default=False, description='points are added to the pose at the start')
    weights: Weights | None = None


class TipMove(StrictModel):
    """The tips of a group's chains follow control points, each in the base link of its chain."""

    group: str
    chains: Names = 'all'
    relative: bool = Field(default=False, description='points are added to the pose at the start')
    points: list[dict[Coordinate, Number]] = Field(min_length=1)
    weights: Weights | None = None


class JointsMove(StrictModel):
    """Joints of a group follow control points, or go to a named pose of the robot.

    With `chains`, only joints that move these chains and no others.
    """

    group: str
    chains: Names = 'all'
    joints: list[dict[str, Number]] = Field(default_factory=list)
    pose: str | None = None
    weights: Weights | None = None

    @model_validator(mode='after')
    def _one_of(self) -> 'JointsMove':
        if bool(self.joints) == (self.pose is not None):
            raise ValueError('expected either joints or pose')
        return self


#: The key that tells what kind of move an entry is.
_KEYS = {
    'velocity': 'travel move',
    'legs': 'step move',
    'gait': 'gait move',
    'base': 'base move',
    'points': 'tip move',
    'joints': 'joints move',
    'pose': 'joints move',
}


def _keys_of(entry: object) -> Container[str]:
    """The keys of an entry of a file, or the attributes of what is made from it."""
    return entry if isinstance(entry, dict) else getattr(entry, '__dict__', {})


def _kind_of_move(entry: object) -> str | None:
    keys = _keys_of(entry)
    return next((kind for key, kind in _KEYS.items() if key in keys), None)


Move = Annotated[
    Annotated[TravelMove, Tag('travel move')]
    | Annotated[StepMove, Tag('step move')]
    | Annotated[GaitMove, Tag('gait move')]
    | Annotated[BaseMove, Tag('base move')]
    | Annotated[TipMove, Tag('tip move')]
    | Annotated[JointsMove, Tag('joints move')],
    Discriminator(
        _kind_of_move,
        custom_error_type='move_kind',
        custom_error_message=f'expected one of the keys {", ".join(_KEYS)}',
    ),
]


class SubAction(StrictModel):
    """Moves side by side, all of one duration."""

    name: str
    duration: Number | None = Field(default=None, description='[s]; none where a gait decides it')
    repeat: Number = Field(
        default=1, description='times; a fraction is rounded up, none if not positive'
    )
    when: str | None = Field(
        default=None, description='condition over facts; left out where it is false'
    )
    moves: list[Move] = Field(min_length=1)

    @model_validator(mode='after')
    def _timed_once(self) -> 'SubAction':
        gaits = sum(isinstance(move, GaitMove) for move in self.moves)
        if gaits > 1:
            raise ValueError(f'{gaits} moves follow a gait; expected one at most')
        if gaits and self.duration is not None:
            raise ValueError(
                f'duration is {self.duration}; expected none beside a move that follows a gait'
            )
        if not gaits and self.duration is None:
            raise ValueError('lacks a duration [s], as every sub-action that follows no gait has')
        return self


class Use(StrictModel):
    """The sub-actions of another action, with parameters of this one's choosing."""

    use: str = Field(description='the other action')
    with_: dict[str, Number] = Field(default_factory=dict, alias='with')
    repeat: Number = Field(default=1, description='as in a sub-action')


def _kind_of_part(entry: object) -> str:
    return 'use of an action' if 'use' in _keys_of(entry) else 'sub-action'


Part = Annotated[
    Annotated[SubAction, Tag('sub-action')] | Annotated[Use, Tag('use of an action')],
    Discriminator(_kind_of_part),
]


class Requirement(StrictModel):
    """A condition over facts, and the action that brings it about where it is false, if any."""

    condition: str
    action: str | None = None


class Action(StrictModel):
    """A parametric motion."""

    name: str
    description: str
    priority: int = Field(
        default=1, strict=True, description='a command takes over from one of the same or lower'
    )
    requires: Requirement | None = None
    parameters: dict[str, Parameter] = Field(default_factory=dict)
    variables: dict[str, Number] = Field(
        default_factory=dict, description='named expressions, each over those before it'
    )
    sub_actions: list[Part] = Field(min_length=1)

    @property
    def defaults(self) -> dict[str, float]:
        """The default of each parameter."""
        return {name: entry.default for name, entry in self.parameters.items()}

    def parameter_problem(self, name: str, value: float) -> str | None:
        """What is wrong with a value for one of its parameters; None if it is allowed."""
        if name not in self.parameters:
            return f'{self.name}: {UnknownNameError("parameter", name, self.parameters)}'
        entry = self.parameters[name]
        if not entry.holds(value):
            return f'{self.name}: parameter {name} is {value:g}; expected {entry.range}'
        return None


class LegTiming(StrictModel):
    """When a leg steps."""

    phase: Finite = Field(ge=0, lt=1, description='when its foot lifts, as part of the cycle')
    duty: Finite = Field(gt=0, lt=1, description='part of the cycle for which it stands')


class Gait(StrictModel):
    """How legs take turns, and how the robot walks on `cmd_vel`."""

    name: str
    description: str
    legs: dict[str, LegTiming] = Field(min_length=1)
    sway: Finite = Field(
        default=0.0,
        ge=0,
        le=1,
        description='before feet lift, the base goes this part of the way from the middle of the '
        'footprint to the middle of the feet that stay on the ground',
    )
    stride: str = Field(
        description='action of one sub-action, one part of the cycle, with parameters x, y and yaw'
    )
