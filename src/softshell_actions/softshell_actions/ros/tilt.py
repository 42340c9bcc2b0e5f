"""How far the base leans, from the orientation that an IMU measures."""

import math
from collections.abc import Callable

import numpy as np
from sensor_msgs.msg import Imu

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.model.urdf import Urdf
from softshell_kinematics.transforms import rotation_from_quaternion

#: Largest deviation of a unit quaternion's length from 1.
UNIT_TOLERANCE = 0.01


def mountings_of(urdf: Urdf, base: str) -> dict[str, Array]:
    """(3, 3) orientation in the base of every link that is fixed to it, by name.

    Args:
        urdf: of the robot.
        base: name of the base link.
    """
    body, pose = urdf.bodies[base]
    return {
        link: pose[:3, :3].T @ other[:3, :3]
        for link, (carrier, other) in urdf.bodies.items()
        if carrier == body
    }


def tilt_of(message: Imu, mounting: Callable[[str], Array | None]) -> float | None:
    """Angle between the base's z axis and the vertical [rad].

    By REP 145 the orientation is that of the sensor's frame in a frame whose z axis points up, and
    a covariance that begins with -1 says that there is none.

    Args:
        message: of the sensor; an empty `frame_id` stands for the base.
        mounting: gives the (3, 3) orientation of a frame in the base, by name; None if the frame
            is not fixed to the base.

    Returns:
        The angle; None if the sensor measures no orientation.

    Raises:
        SoftshellError: the orientation is no unit quaternion, or the frame is not fixed to the
            base.
    """
    if message.orientation_covariance[0] == -1.0:
        return None
    q = message.orientation
    quaternion = np.array([q.x, q.y, q.z, q.w])
    # A large component is refused before its square overflows.
    length = float(np.linalg.norm(quaternion)) if (np.abs(quaternion) < 2.0).all() else np.inf
    if not abs(length - 1.0) < UNIT_TOLERANCE:
        raise SoftshellError(
            f'orientation is {quaternion.tolist()}; expected a unit quaternion, or '
            'orientation_covariance[0] = -1'
        )
    frame = message.header.frame_id
    turned = mounting(frame) if frame else np.eye(3)
    if turned is None:
        raise SoftshellError(f'frame {frame!r} is not fixed to the base of the robot')
    up = (rotation_from_quaternion(quaternion / length) @ turned.T)[2, 2]
    return math.acos(min(1.0, max(-1.0, float(up))))
