"""Conversions between messages of the action manager and types without ROS."""

import math
from array import array

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped

from softshell_actions.language.grammar import Action
from softshell_actions.state import State
from softshell_common.outcome import Status
from softshell_common.shown import shown
from softshell_interfaces.msg import (
    ActionDescription,
    ActionOutcome,
    LimbPath,
    ParameterDescription,
)
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import (
    COORDINATES,
    angles_from_rotation,
    quaternion_from_rotation,
    rotation_from_quaternion,
)


def posture_coordinates(message: PoseStamped, footprint: str) -> Array:
    """(6,) x y z yaw pitch roll [m], [rad] of a pose of the base in the footprint.

    Raises:
        SoftshellError: the frame is another, a number is not finite, or the orientation is no unit
            quaternion.
    """
    if message.header.frame_id not in ('', footprint):
        frame = shown(message.header.frame_id)
        raise SoftshellError(f"frame_id is '{frame}'; expected {footprint!r}")
    position, orientation = message.pose.position, message.pose.orientation
    quaternion = [orientation.x, orientation.y, orientation.z, orientation.w]
    if not 0.99 < math.hypot(*quaternion) < 1.01:
        raise SoftshellError(f'orientation is {quaternion}; expected a unit quaternion')
    angles = angles_from_rotation(rotation_from_quaternion(quaternion))
    values = np.array([position.x, position.y, position.z, *angles])
    if not np.isfinite(values).all():
        raise SoftshellError(f'pose is {values.tolist()}; expected finite numbers')
    return values


def posture_message(state: State, footprint: str, stamp: Time) -> PoseStamped:
    """The commanded pose of the base in the footprint."""
    message = PoseStamped()
    message.header.stamp, message.header.frame_id = stamp, footprint
    position, orientation = message.pose.position, message.pose.orientation
    position.x, position.y, position.z = state.base_position.tolist()
    orientation.x, orientation.y, orientation.z, orientation.w = quaternion_from_rotation(
        state.base_rotation.as_matrix()
    ).tolist()
    return message


def outcome(status: Status, message: str = '') -> ActionOutcome:
    """How an action ended."""
    return ActionOutcome(status=int(status), message=message)


def describe(action: Action) -> ActionDescription:
    """An action as `list_actions` tells it."""
    return ActionDescription(
        name=action.name,
        description=action.description,
        parameters=[
            ParameterDescription(
                name=name,
                default_value=entry.default,
                minimum=entry.minimum,
                maximum=entry.maximum,
                unit=entry.unit,
                meaning=entry.meaning,
            )
            for name, entry in action.parameters.items()
        ],
    )


def limb_path(chain: str, path: Array) -> LimbPath:
    """The message with the goals of one chain; a coordinate that is NaN throughout is free.

    Args:
        chain: name.
        path: (points, 6) in the base link, in the order of `COORDINATES` [m], [rad].
    """
    free = [bool(np.isnan(column).all()) for column in path.T]
    message = LimbPath(chain=chain, free=free)
    for index, name in enumerate(COORDINATES):
        if not free[index]:
            setattr(message, name, array('d', np.ascontiguousarray(path[:, index]).tobytes()))
    return message
