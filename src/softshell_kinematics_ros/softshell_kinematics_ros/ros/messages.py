"""Conversion between messages of the services and arrays."""

import array
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softshell_interfaces.msg import JointPath, LimbPath, LimbSolution
from softshell_interfaces.srv import SolveIK
from softshell_kinematics.arrays import Array
from softshell_kinematics.solving.solution import IkResult
from softshell_kinematics.transforms import COORDINATES, rotation_from_quaternion, transform
from softshell_kinematics_ros.ros.requests import RefusalError, values


def pose_matrix(message: Any, subject: str) -> Array:
    """The transform (4, 4) of a geometry_msgs/Pose.

    Args:
        message: the pose.
        subject: name of its field in the request.

    Raises:
        RefusalError: a number is not finite, or the orientation is not a unit quaternion.
    """
    p, o = message.position, message.orientation
    position = values([p.x, p.y, p.z], f'{subject}.position')
    quaternion = values([o.x, o.y, o.z, o.w], f'{subject}.orientation')
    length = float(np.linalg.norm(quaternion))
    if not abs(length - 1.0) <= 1e-3:
        raise RefusalError(
            SolveIK.Response.OUT_OF_RANGE,
            f'{subject}.orientation has length {length:.3g}; expected a unit quaternion',
        )
    return transform(rotation_from_quaternion(quaternion), position)


def limb_path(chain: str, coordinates: Array) -> LimbPath:
    """A LimbPath of coordinates (points, 6) [m, rad], none of them free."""
    path = LimbPath(chain=chain)
    for i, name in enumerate(COORDINATES):
        setattr(path, name, doubles(coordinates[:, i]))
    return path


def limb_solution(chain: str, variables: Sequence[str], result: IkResult) -> LimbSolution:
    """The LimbSolution of one chain's result."""
    return LimbSolution(
        chain=chain,
        joints=[
            JointPath(name=name, position=doubles(result.q[:, i]))
            for i, name in enumerate(variables)
        ],
        status=bytes_field(result.status),
        residual=doubles(result.residual),
        iterations=shorts(result.iterations),
    )


def doubles(data: Array) -> 'array.array[float]':
    """A float64[] field of numbers (...,) in one row, without a loop over them."""
    return array.array('d', np.ascontiguousarray(data, dtype=np.float64).tobytes())


def bytes_field(data: NDArray[np.uint16]) -> 'array.array[int]':
    """A uint8[] field of numbers (...,) in one row."""
    return array.array('B', np.ascontiguousarray(data, dtype=np.uint8).tobytes())


def shorts(data: NDArray[np.uint16]) -> 'array.array[int]':
    """A uint16[] field of numbers (...,) in one row."""
    return array.array('H', np.ascontiguousarray(data, dtype=np.uint16).tobytes())
