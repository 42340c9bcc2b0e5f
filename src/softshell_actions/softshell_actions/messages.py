"""Messages of the action manager, to and from the core's types."""

import math

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped
from scipy.spatial.transform import Rotation

from softshell_actions.language import COORDINATES, Action, PointsMove
from softshell_actions.state import State
from softshell_common.errors import SoftshellError
from softshell_interfaces.msg import ActionDescription, ActionParameter

FOOTPRINT = 'base_footprint'
#: No posture is further from the footprint than this [m].
FARTHEST_POSTURE = 1.0


def base_move(message: PoseStamped) -> PointsMove:
    """The move that brings base_link to a pose in the footprint.

    Raises:
        SoftshellError: another frame, a number that is not finite, no unit quaternion, or a
            position beyond all reach.
    """
    if message.header.frame_id not in ('', FOOTPRINT):
        raise SoftshellError(f'frame_id is {message.header.frame_id!r}; expected {FOOTPRINT!r}')
    position, orientation = message.pose.position, message.pose.orientation
    quaternion = [orientation.x, orientation.y, orientation.z, orientation.w]
    if not 0.99 < math.hypot(*quaternion) < 1.01:
        raise SoftshellError(f'orientation is {quaternion}; expected a unit quaternion')
    angles = Rotation.from_quat(quaternion).as_euler('ZYX')
    values = [position.x, position.y, position.z, *angles.tolist()]
    if not np.isfinite(values).all():
        raise SoftshellError(f'pose is {values}; expected finite numbers')
    if np.abs(values[:3]).max() > FARTHEST_POSTURE:
        raise SoftshellError(
            f'position is {values[:3]}; expected at most {FARTHEST_POSTURE:g} m in each direction'
        )
    return PointsMove.model_validate(
        {'group': 'base', 'points': [dict(zip(COORDINATES, values, strict=True))]}
    )


def posture_message(state: State, stamp: Time) -> PoseStamped:
    """The commanded pose of base_link in the footprint."""
    message = PoseStamped()
    message.header.stamp, message.header.frame_id = stamp, FOOTPRINT
    position, orientation = message.pose.position, message.pose.orientation
    position.x, position.y, position.z = state.base_position.tolist()
    orientation.x, orientation.y, orientation.z, orientation.w = (
        state.base_rotation.as_quat().tolist()
    )
    return message


def describe(action: Action) -> ActionDescription:
    """An action as `list_actions` tells it."""
    entries = action.parameters.values()
    return ActionDescription(
        name=action.name,
        description=action.description,
        parameters=[
            ActionParameter(name=name, value=entry.default)
            for name, entry in action.parameters.items()
        ],
        minimum=[entry.minimum for entry in entries],
        maximum=[entry.maximum for entry in entries],
        unit=[entry.unit for entry in entries],
        meaning=[entry.meaning for entry in entries],
    )
