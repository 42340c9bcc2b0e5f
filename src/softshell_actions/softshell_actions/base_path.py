"""Where the base goes over the ground in the course of sub-actions."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from softshell_actions.curve import curve, from_rest_to_rest
from softshell_actions.draft import Draft
from softshell_actions.footprint import planar_rotation
from softshell_actions.language import BaseMove
from softshell_actions.rehearsal import Part
from softshell_actions.rolling import RollingFeet
from softshell_actions.state import Stance, State
from softshell_kinematics.arrays import Array


@dataclass(frozen=True, eq=False)
class BasePath:
    """The way of the base in one sub-action.

    Args:
        positions: (points, 3) [m] in the footprint at the start.
        rotations: `points` of the base in it.
        footprint: (3,) x, y [m] and yaw [rad] of the footprint at the end, in that at the start.
    """

    positions: Array
    rotations: Rotation
    footprint: Array


def base_path(part: Part, before: State, stance: Stance | None) -> BasePath:
    """The way of the base at the times of a sub-action's plan.

    Args:
        part: the sub-action.
        before: state of the robot at its start.
        stance: how the robot stands; None without legs.
    """
    end = part.plan.end
    draft = Draft(part.call, before, stance, part.motion.duration, RollingFeet({}, {}))
    draft.travel_at(end.velocity)
    for move in part.call.sub_action.moves:
        if isinstance(move, BaseMove):
            draft.move_base(move)
    swayed = curve(*from_rest_to_rest(np.array([before.sway, end.sway]), None), draft.samples)
    level = np.zeros((draft.samples, 1))
    turned = planar_rotation(draft.travel[:, 2])
    over_footprint = draft.base_positions + np.hstack([swayed, level])
    positions = turned.apply(over_footprint) + np.hstack([draft.travel[:, :2], level])
    return BasePath(positions, turned * draft.base_rotations, draft.travel[-1])
