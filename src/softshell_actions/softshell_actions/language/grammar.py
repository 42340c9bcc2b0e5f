"""The action language: what the files of a robot's `actions/` and `gaits/` may say.

An action is a sequence of sub-actions; a sub-action is a set of moves that run at the same time
and take equally long; a move takes limbs, joints, feet or the base along a NURBS. Every number may
be an expression over the action's parameters. A curve starts where the robot is, and starts and
ends at rest; a coordinate that no point names is free (limbs) or stays as it is (base, joints).

Groups, chains, legs and poses are those of the robot's `robot.yaml`; names may hold placeholders.
"""

from collections.abc import Container, Iterable
from typing import Annotated

from pydantic import Discriminator, Field, JsonValue, Tag, model_validator
from pydantic.config import JsonDict

from softshell_actions.language.controller_move import ControllerMove
from softshell_actions.language.curved_move import CurvedMove
from softshell_actions.language.entries import (
    Chains,
    Finite,
    Group,
    Like,
    Mirrored,
    Point,
    Relative,
)
from softshell_actions.language.entries import Coordinate as Coordinate
from softshell_actions.language.entries import Names as Names
from softshell_actions.language.entries import Number as Number
from softshell_common.yaml_file import StrictModel, Whole
from softshell_kinematics.errors import UnknownNameError

#: Those rules of moves and sub-actions that a JSON schema can express.
_IMAGES: JsonDict = {'dependencies': {'mirrored': ['like']}}
_ONE_OF_JOINTS_AND_POSE: JsonDict = {
    'oneOf': [
        {'required': ['joints'], 'properties': {'joints': {'minItems': 1}}},
        {'required': ['pose'], 'not': {'required': ['like']}},
    ],
    **_IMAGES,
}
_UNTIMED: list[JsonValue] = [{'required': ['gait']}, {'required': ['controller']}]
_TIMED_ONCE: JsonDict = {
    'if': {'properties': {'moves': {'contains': {'anyOf': _UNTIMED}}}},
    'then': {'not': {'required': ['duration']}},
    'else': {'required': ['duration']},
}


class Parameter(StrictModel):
    """A number that the caller of an action may choose."""

    default: Finite = Field(description='its value where the caller gives none')
    minimum: Finite = Field(description='lowest value')
    maximum: Finite = Field(description='highest value')
    unit: str = Field(description="e.g. m or rad/s; '1' for a number without a unit")
    meaning: str = Field(description='what it changes, for people')

    @property
    def range(self) -> str:
        """Its range with the unit, for people."""
        unit = '' if self.unit == '1' else f' {self.unit}'
        return f'{self.minimum:g} to {self.maximum:g}{unit}'

    def holds(self, value: float) -> bool:
        """Whether a value is in its range, with a tolerance of 1e-12."""
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

    x: Number = Field(default=0.0, description='forward [m/s]')
    y: Number = Field(default=0.0, description='to the left [m/s]')
    yaw: Number = Field(default=0.0, description='to the left [rad/s]')


#: Parameters of an action that brings the robot to a velocity.
AXES = tuple(Velocity.model_fields)


class TravelMove(StrictModel):
    """The robot travels: its footprint gains `velocity` at constant acceleration.

    Feet in stance stay where they are on the ground.
    """

    velocity: Velocity = Field(description='at the end of the sub-action; {} to come to rest')


class _Step(StrictModel):
    """How feet go to their next footholds, which follow from the velocity at the end."""

    height: Number = Field(description='of the highest point over the ground [m]')
    slant: Number = Field(
        default=0.0,
        description='part of the way covered while rising, and while coming down again',
    )
    spread: Number = Field(
        default=0.0, description='how much further out than at rest footholds are [m]'
    )


class StepMove(_Step):
    """Some legs step, all at once."""

    legs: Names = Field(description='which of them, by name')


class GaitMove(_Step):
    """The legs go on for one part of a gait's cycle: from one lift-off or touch-down to the next.

    The sub-action takes as long as that part of the cycle, so it has no duration of its own.
    """

    gait: str = Field(description='of the folder gaits/; any: the one that the caller chooses')
    cycle: Number = Field(description='time of the whole cycle [s]')
    lift: bool = Field(
        default=True, description='if false, feet in the air land and no other lifts'
    )


class BaseMove(CurvedMove):
    """The base follows control points in the footprint."""

    base: list[Point] = Field(min_length=1, description='points in the footprint [m], [rad]')
    relative: Relative = False


class TipMove(CurvedMove, json_schema_extra=_IMAGES):
    """The tips of a group's chains follow control points, each in the base link of its chain."""

    group: Group
    chains: Chains = 'all'
    like: Like = None
    mirrored: Mirrored = None
    relative: Relative = False
    points: list[Point] = Field(
        min_length=1, description='[m], [rad]; a coordinate that no point names is free'
    )

    @model_validator(mode='after')
    def _images(self) -> 'TipMove':
        _see_images(self)
        return self


def _see_images(move: 'TipMove | JointsMove') -> None:
    """Check that a move with `mirrored` also has `like`.

    Raises:
        ValueError: it has not.
    """
    if move.mirrored is not None and move.like is None:
        raise ValueError('has mirrored without like; expected both or neither')


class JointsMove(CurvedMove, json_schema_extra=_ONE_OF_JOINTS_AND_POSE):
    """Joints of a group follow control points, or go to a named pose of the robot.

    With `chains`, only those joints that move these chains and no others.
    """

    group: Group
    chains: Chains = 'all'
    like: Like = None
    mirrored: Mirrored = None
    joints: list[dict[str, Number]] = Field(
        default_factory=list, description='points: positions of joints by name [rad] or [m]'
    )
    pose: str | None = Field(default=None, description='of robot.yaml')

    @model_validator(mode='after')
    def _one_of(self) -> 'JointsMove':
        if bool(self.joints) == (self.pose is not None):
            raise ValueError('expected either joints or pose')
        if self.pose is not None and self.like is not None:
            raise ValueError('has like beside pose; expected like only beside joints')
        _see_images(self)
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
    'controller': 'controller move',
}


def _keys_of(entry: object) -> Container[str]:
    """The keys of an entry of a file, or the attributes of an object made from it."""
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
    | Annotated[JointsMove, Tag('joints move')]
    | Annotated[ControllerMove, Tag('controller move')],
    Discriminator(
        _kind_of_move,
        custom_error_type='move_kind',
        custom_error_message=f'expected one of the keys {", ".join(_KEYS)}',
    ),
]


class SubAction(StrictModel, json_schema_extra=_TIMED_ONCE):
    """Moves that run at the same time and take equally long."""

    name: str = Field(description='for people, and for feedback')
    duration: Number | None = Field(
        default=None, description='[s]; left out where a gait or a controller decides it'
    )
    repeat: Number = Field(
        default=1, description='how often; a fraction is rounded up, 0 or less is never'
    )
    when: str | None = Field(
        default=None, description='condition over facts; if false, the sub-action is left out'
    )
    moves: list[Move] = Field(min_length=1, description='no two for the same joints')

    @model_validator(mode='after')
    def _timed_once(self) -> 'SubAction':
        if any(isinstance(move, ControllerMove) for move in self.moves):
            if len(self.moves) > 1 or self.duration is not None:
                raise ValueError(
                    'has a controller beside other moves or a duration; expected the controller '
                    'alone, as it moves the robot till it is done'
                )
            return self
        gaits = sum(isinstance(move, GaitMove) for move in self.moves)
        if gaits > 1:
            raise ValueError(f'{gaits} moves follow a gait; expected one at most')
        if gaits and self.duration is not None:
            raise ValueError(
                f'duration is {self.duration}; expected none beside a move that follows a gait'
            )
        if not gaits and self.duration is None:
            raise ValueError('lacks a duration [s]; expected one, as no move follows a gait')
        return self


class Use(StrictModel):
    """The sub-actions of another action, with parameters that this one gives."""

    use: str = Field(description='the other action')
    with_: dict[str, Number] = Field(
        default_factory=dict, alias='with', description='its parameters; others have defaults'
    )
    repeat: Number = Field(default=1, description='as in a sub-action')


def _kind_of_part(entry: object) -> str:
    return 'use of an action' if 'use' in _keys_of(entry) else 'sub-action'


Part = Annotated[
    Annotated[SubAction, Tag('sub-action')] | Annotated[Use, Tag('use of an action')],
    Discriminator(_kind_of_part),
]


class Requirement(StrictModel):
    """A condition that has to be true before an action, and the action that makes it true."""

    condition: str = Field(description='facts joined by and, or, not')
    action: str | None = Field(
        default=None, description='performed first if the condition is false'
    )
    advice: str | None = Field(
        default=None, description='action that a refusal recommends, if it can be performed then'
    )


class Assurance(StrictModel):
    """A condition that has to be true after an action; it is measured then."""

    condition: str = Field(description='facts joined by and, or, not')
    otherwise: str = Field(description='why the action missed its goal, if the condition is false')


class Action(StrictModel):
    """A parametric motion."""

    name: str = Field(description='that of the file')
    description: str = Field(description='one line, for people')
    priority: Whole = Field(
        default=1,
        description='it takes over from actions of the same or a lower priority',
    )
    requires: Requirement | None = Field(default=None, description='what has to be true before')
    ensures: Assurance | None = Field(
        default=None,
        description='what has to be true after it; not checked when another action uses it',
    )
    parameters: dict[str, Parameter] = Field(
        default_factory=dict, description='numbers that the caller may choose, by name'
    )
    variables: dict[str, Number] = Field(
        default_factory=dict, description='named expressions, each over those before it'
    )
    sub_actions: list[Part] = Field(min_length=1, description='one after another')

    @property
    def defaults(self) -> dict[str, float]:
        """The default of each parameter."""
        return {name: entry.default for name, entry in self.parameters.items()}

    def parameter_problem(self, name: str, value: float, others: Iterable[str] = ()) -> str | None:
        """What is wrong with a value for one of its parameters; None if it is allowed.

        Args:
            name: of the parameter.
            value: for it.
            others: names of other things that a caller may give; messages list them as well.
        """
        if name not in self.parameters:
            known = (*self.parameters, *others)
            return f'{self.name}: {UnknownNameError("parameter", name, known)}'
        entry = self.parameters[name]
        if not entry.holds(value):
            return f'{self.name}: parameter {name} is {value:g}; expected {entry.range}'
        return None
