"""Conversions between messages and plain values."""

from collections.abc import Mapping

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Pose, PoseStamped, Quaternion, Twist
from numpy.typing import ArrayLike

from softshell_client.bridge import BridgeState
from softshell_client.ros.entries import made, numbers
from softshell_common.bridge_mode import BridgeMode
from softshell_common.reason import ReasonCode
from softshell_interfaces.action import ExecuteAction
from softshell_interfaces.msg import BridgeStatus
from softshell_interfaces.srv import SetBodyPose
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import (
    angles_from_rotation,
    quaternion_from_rotation,
    rotation_from_angles,
    rotation_from_quaternion,
)


def action_goal(
    name: str,
    parameters: Mapping[str, float] | None = None,
    gait: str = '',
    queue: bool = False,
) -> ExecuteAction.Goal:
    """The goal that asks for an action.

    Args:
        name: name of the action.
        parameters: values of its parameters, in their units; others keep their defaults.
        gait: the gait to walk with, if the action walks with any gait; empty: the gait that the
            robot follows on cmd_vel.
        queue: whether it begins after everything before it has ended; else it takes over.

    Raises:
        ProblemsError: names a value that is of another type.
    """
    given = parameters or {}
    listed = [
        {'name': key, 'value': value} for key, value in zip(given, numbers(given), strict=True)
    ]
    return made(ExecuteAction.Goal, name=name, gait=gait, queue=queue, parameters=listed)


def twist(x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> Twist:
    """A velocity of the base: forward, left [m/s], turning left [rad/s].

    Raises:
        ProblemsError: names a value that is no number.
    """
    message = Twist()
    message.linear.x, message.linear.y, message.angular.z = numbers({'x': x, 'y': y, 'yaw': yaw})
    return message


def body_pose_request(coordinates: ArrayLike) -> SetBodyPose.Request:
    """The request that asks for a pose of the base over its feet.

    Args:
        coordinates: (6,) x, y, z [m], yaw, pitch, roll [rad] in the robot's footprint.
    """
    return SetBodyPose.Request(pose=PoseStamped(pose=pose_message(coordinates)))


def pose_message(coordinates: ArrayLike) -> Pose:
    """A pose from (6,) x, y, z [m], yaw, pitch, roll [rad]."""
    values = np.asarray(coordinates, dtype=float)
    message = Pose()
    message.position.x, message.position.y, message.position.z = values[:3].tolist()
    q = quaternion_from_rotation(rotation_from_angles(values[3:])).tolist()
    message.orientation = Quaternion(x=q[0], y=q[1], z=q[2], w=q[3])
    return message


def pose_coordinates(pose: Pose) -> Array:
    """(6,) x, y, z [m], yaw, pitch, roll [rad] of a pose.

    A quaternion of length zero, as in a message that nobody filled in, counts as no rotation; the
    angles of one that is not finite are NaN.
    """
    p, q = pose.position, pose.orientation
    quaternion = np.array([q.x, q.y, q.z, q.w])
    angles = np.zeros(3) if np.isfinite(quaternion).all() else np.full(3, np.nan)
    if quaternion.any() and not np.isnan(angles).any():
        angles = angles_from_rotation(rotation_from_quaternion(quaternion))
    return np.concatenate([[p.x, p.y, p.z], angles])


def bridge_state(message: BridgeStatus) -> BridgeState:
    """The state in a `bridge_status`."""
    return BridgeState(
        bridge=message.bridge,
        mode=BridgeMode(message.mode),
        reasons=tuple(message.reasons),
        codes=tuple(ReasonCode(code) for code in message.codes),
        control_period=message.control_period,
        real_time_factor=message.real_time_factor,
    )


def seconds(stamp: Time) -> float:
    """A stamp on the ROS clock [s]."""
    return stamp.sec + stamp.nanosec * 1e-9
