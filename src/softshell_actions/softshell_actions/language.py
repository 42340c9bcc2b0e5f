"""The action language: what a file under config/actions/ may say.

An action is a sequence of sub-actions; a sub-action is a set of moves of one duration, side by
side; a move takes one group along a NURBS. Every number may be an expression over the action's
parameters. A curve starts where the group is, and starts and ends at rest; a coordinate that no
point names is free (limbs) or stays as it is (base, joints).
"""

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from softshell_common.yaml_file import StrictModel

Number = float | str
Coordinate = Literal['x', 'y', 'z', 'yaw', 'pitch', 'roll']
#: The order of coordinates wherever they stand in an array.
COORDINATES: tuple[Coordinate, ...] = ('x', 'y', 'z', 'yaw', 'pitch', 'roll')


class Parameter(StrictModel):
    """A number that whoever calls the action may choose."""

    default: float
    minimum: float
    maximum: float
    unit: str
    meaning: str

    @model_validator(mode='after')
    def _ordered(self) -> 'Parameter':
        if not self.minimum <= self.default <= self.maximum:
            raise ValueError(
                f'default is {self.default}; expected {self.minimum} to {self.maximum}'
            )
        return self


class Velocity(StrictModel):
    """Velocity of the footprint in its own frame."""

    x: Number = 0.0
    y: Number = 0.0
    yaw: Number = 0.0


class PathPoint(StrictModel):
    """A control point of a foot on its way to the next foothold."""

    along: Number = Field(description='0 at lift-off, 1 at the foothold')
    z: Number = Field(0.0, description='height over the straight line between them [m]')


class FootprintMove(StrictModel):
    """The robot travels: its footprint gains `velocity` at constant acceleration; feet in stance
    stay where they are on the ground."""

    group: Literal['footprint']
    velocity: Velocity


class StepMove(StrictModel):
    """Legs step: each foot goes to the foothold that suits the velocity at the end."""

    group: Literal['lower']
    legs: list[str] | str = Field(description="chains, 'all', or a gait whose leg sets take turns")
    step: list[PathPoint] = Field(min_length=1)
    spread: Number = Field(0.0, description='footholds are so much further out than at rest [m]')
    weights: list[float] | None = None


class PointsMove(StrictModel):
    """A limb's tip, in base_link, or the base, in the footprint, follows control points."""

    group: Literal['base', 'lower', 'upper']
    chains: list[str] | Literal['all'] = 'all'
    relative: bool = Field(False, description='points are added to the pose at the start')
    points: list[dict[Coordinate, Number]] = Field(min_length=1)
    weights: list[float] | None = None


class JointsMove(StrictModel):
    """Joints follow control points, or go to a named pose of the robot."""

    group: Literal['fold', 'lower', 'upper']
    chains: list[str] | Literal['all'] = 'all'
    joints: list[dict[str, Number]] = Field(default_factory=list)
    pose: str | None = None
    weights: list[float] | None = None

    @model_validator(mode='after')
    def _one_of(self) -> 'JointsMove':
        if bool(self.joints) == (self.pose is not None):
            raise ValueError('expected either joints or pose')
        return self


def _kind_of_move(entry: object) -> str | None:
    keys = entry if isinstance(entry, dict) else vars(entry)
    kinds = {
        'velocity': 'travel',
        'step': 'step',
        'points': 'tip',
        'joints': 'joint',
        'pose': 'joint',
    }
    return next((kind for key, kind in kinds.items() if key in keys), None)


Move = Annotated[
    Annotated[FootprintMove, Tag('travel')]
    | Annotated[StepMove, Tag('step')]
    | Annotated[PointsMove, Tag('tip')]
    | Annotated[JointsMove, Tag('joint')],
    Discriminator(
        _kind_of_move,
        custom_error_type='move_kind',
        custom_error_message='expected one of the keys velocity, step, points, joints, pose',
    ),
]


class SubAction(StrictModel):
    """Moves side by side, all of one duration."""

    name: str
    duration: Number = Field(description='[s]')
    repeat: Number = Field(1, description='times; a fraction is rounded up, none if not positive')
    when: Literal['always', 'lying', 'standing', 'scattered'] = 'always'
    moves: list[Move] = Field(min_length=1)


class Use(StrictModel):
    """The sub-actions of another action, with parameters of this one's choosing."""

    use: str = Field(description='the other action')
    with_: dict[str, Number] = Field(default_factory=dict, alias='with')
    repeat: Number = Field(1, description='as in a sub-action')


def _kind_of_part(entry: object) -> str:
    keys = entry if isinstance(entry, dict) else vars(entry)
    return 'use' if 'use' in keys else 'sub-action'


Part = Annotated[
    Annotated[SubAction, Tag('sub-action')] | Annotated[Use, Tag('use')],
    Discriminator(_kind_of_part),
]


class Action(StrictModel):
    """A parametric motion."""

    name: str
    description: str
    priority: int = Field(1, description='a command takes over from one of the same or lower')
    prepare: str | None = Field(None, description='action to perform first if the robot lies')
    parameters: dict[str, Parameter] = Field(default_factory=dict)
    variables: dict[str, Number] = Field(
        default_factory=dict, description='named expressions, each over those before it'
    )
    sub_actions: list[Part] = Field(min_length=1)


class Gait(StrictModel):
    """How legs take turns, and how the robot walks on `cmd_vel`."""

    name: str
    description: str
    leg_sets: list[list[str]] = Field(min_length=1)
    stride: str = Field(description='action of one stride, with the parameters x, y and yaw')
