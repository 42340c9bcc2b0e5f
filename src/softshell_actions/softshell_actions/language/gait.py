"""Gaits as the files of a robot's `gaits/` describe them: when each leg steps, and how wide."""

from pydantic import Field

from softshell_actions.language.entries import Finite
from softshell_common.yaml_file import StrictModel

#: Stands for the gait that the caller chooses, in the place of a gait's name.
ANY_GAIT = 'any'
#: Stands for the gait that the caller chooses, in names of numbers such as `gait_parts`.
CHOSEN = 'gait'


class LegTiming(StrictModel):
    """When a leg steps, and where its foot is put down."""

    phase: Finite = Field(ge=0, lt=1, description='when its foot lifts, as part of the cycle')
    duty: Finite = Field(gt=0, lt=1, description='part of the cycle for which it stands')
    spread: Finite = Field(
        default=0.0, description='how much further out than at rest its foot is put down [m]'
    )
    aside: Finite = Field(
        default=0.0,
        description='how much further round the base to the left than at rest its foot is put '
        'down [m]',
    )


class Reach(StrictModel):
    """Longest way of a foot while it stands, as the axes of an ellipse."""

    x: Finite = Field(gt=0, description='forward and back [m]')
    y: Finite = Field(gt=0, description='sideways [m]')


class Gait(StrictModel):
    """In which order legs step, and which action walks one part of the cycle."""

    name: str = Field(description='that of the file')
    description: str = Field(description='one line, for people')
    legs: dict[str, LegTiming] = Field(min_length=1, description='every leg, by name')
    sway: Finite = Field(
        default=0.0,
        ge=0,
        le=1,
        description='before feet lift, the base goes this part of the way from the middle of the '
        'footprint to the middle of the feet that stay on the ground',
    )
    stride: str = Field(
        description='action that walks one part of the cycle, in one sub-action, with parameters '
        'x, y and yaw'
    )
    defaults: dict[str, Finite] = Field(
        default_factory=dict,
        description='values of parameters of actions with gait: any, where the caller gives none',
    )
    reach: Reach | None = Field(
        default=None,
        description='longest way of a foot while it stands; strides that would take it further '
        'are shortened',
    )
