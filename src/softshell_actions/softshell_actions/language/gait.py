"""Gaits as the files of a robot's `gaits/` describe them: when each leg steps, and how wide."""

from pydantic import Field

from softshell_actions.language.entries import Finite
from softshell_common.yaml_file import StrictModel

#: In the place of a gait's name: whichever the caller chooses.
ANY_GAIT = 'any'
#: What the caller's gait is called in names of numbers, as in `gait_parts`.
CHOSEN = 'gait'


class LegTiming(StrictModel):
    """When a leg steps."""

    phase: Finite = Field(ge=0, lt=1, description='when its foot lifts, as part of the cycle')
    duty: Finite = Field(gt=0, lt=1, description='part of the cycle for which it stands')
    spread: Finite = Field(
        default=0.0, description='so much further out than at rest it is put down [m]'
    )
    aside: Finite = Field(
        default=0.0,
        description='so much further round the base to the left than at rest it is put down [m]',
    )


class Reach(StrictModel):
    """How far a foot goes while it stands; an ellipse, for ways between forward and sideways."""

    x: Finite = Field(gt=0, description='forward and back [m]')
    y: Finite = Field(gt=0, description='sideways [m]')


class Gait(StrictModel):
    """How legs take turns, and how the robot walks on `cmd_vel`."""

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
        description='action of one sub-action, one part of the cycle, with parameters x, y and yaw'
    )
    defaults: dict[str, Finite] = Field(
        default_factory=dict,
        description='parameters of actions that follow any gait, where the caller gives none',
    )
    reach: Reach | None = Field(
        default=None,
        description='longest way that a foot goes while it stands; a velocity on cmd_vel that '
        'takes it further is scaled down',
    )
