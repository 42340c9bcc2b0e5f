"""`/tf` and `/tf_static`: odom → base → every link, and the footprint below the base."""

import numpy as np
from geometry_msgs.msg import TransformStamped
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.serialization import serialize_message

from softshell_common.ros.qos import LATCHED, STATE
from softshell_control.backend import Measured
from softshell_control.estimates.link_frames import LinkFrames
from softshell_control.ros.messages import set_quaternion, set_vector
from softshell_control.trajectories.trajectory import NANOSECONDS
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.model.urdf import Joint
from softshell_kinematics.transforms import quaternion_from_rotation

try:
    from tf2_msgs.msg import TFMessage
except ImportError:
    TFMessage = None

#: Whether there is a message for /tf.
HAS_MESSAGE = TFMessage is not None

_HEADER = 4  # [B] before the numbers of a serialized message
_SECONDS_MARK, _NANOSECONDS_MARK = 1_987_654_321, 123_456_789


class TransformStream:
    """Publishes the transforms of a robot; without a measured base they begin at the root link.

    Args:
        node: publishes.
        robot: the robot.
        names: of all movable joints, in the order of what is measured.
    """

    def __init__(self, node: Node, robot: RobotModel, names: tuple[str, ...]) -> None:
        self._frames = LinkFrames(robot, names)
        count = len(self._frames.edges)
        self._known: NDArray[np.bool_] = np.ones(count, dtype=np.bool_)
        self._message = SerializedTransforms(self._frames.edges)
        self._publisher = node.create_publisher(TFMessage, '/tf', STATE)
        static = node.create_publisher(TFMessage, '/tf_static', LATCHED)
        fixed = [_static(joint) for joint in robot.urdf.joints if not joint.movable]
        static.publish(TFMessage(transforms=fixed))

    def publish(self, measured: Measured) -> None:
        """Send the transforms of what was measured, and of nothing else."""
        frames = self._frames
        frames.update(measured)
        known: NDArray[np.bool_] = np.asarray(np.isfinite(frames.values).all(axis=1))
        if not np.array_equal(known, self._known):
            self._known = known
            self._message = SerializedTransforms(
                [edge for edge, is_known in zip(frames.edges, known, strict=True) if is_known]
            )
        self._publisher.publish(self._message.fill(frames.values[known], measured.stamp))


class SerializedTransforms:
    """A TFMessage as it goes over the wire, whose numbers are written in place.

    To fill some forty transforms by attributes and to convert them costs a millisecond, which is
    as much as a control step of the simulation.

    Args:
        edges: names of parent and child frame.
    """

    def __init__(self, edges: list[tuple[str, str]]) -> None:
        count = len(edges)
        # Numbers that mark their places; the bytes of no frame's name look like them.
        marks = np.arange(7.0 * count).reshape(count, 7) + 0.123456789
        transforms = []
        for index, (parent, child) in enumerate(edges):
            message = _stamped(parent, child)
            message.header.stamp.sec = _SECONDS_MARK + index
            message.header.stamp.nanosec = _NANOSECONDS_MARK
            set_vector(message.transform.translation, marks[index, :3])
            set_quaternion(message.transform.rotation, marks[index, 3:])
            transforms.append(message)
        self._bytes = bytearray(serialize_message(TFMessage(transforms=transforms)))
        # CDR: a header of four bytes, then every number at a multiple of its size.
        size = len(self._bytes) - _HEADER
        self._doubles = np.frombuffer(self._bytes, '<f8', size // 8, _HEADER)
        self._words = np.frombuffer(self._bytes, '<u4', size // 4, _HEADER)
        self._places = np.array(
            [np.flatnonzero(self._doubles == mark)[0] for mark in marks.ravel()], dtype=np.int64
        )
        # Padding is whatever the memory held before, even a mark of an older message, but it is
        # one word long: two marks in a row are a stamp.
        are_seconds = self._words[:-1] - np.uint32(_SECONDS_MARK) < count
        are_seconds &= self._words[1:] == _NANOSECONDS_MARK
        self._seconds = np.flatnonzero(are_seconds)
        assert len(self._seconds) == count

    def fill(self, values: Array, stamp: int) -> bytes:
        """The message with new numbers.

        Args:
            values: (transforms, 7) position [m] and quaternion x y z w.
            stamp: of all of them [ns].
        """
        self._doubles[self._places] = values.ravel()
        self._words[self._seconds], self._words[self._seconds + 1] = divmod(stamp, NANOSECONDS)
        return bytes(self._bytes)


def _stamped(parent: str, child: str) -> TransformStamped:
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id = parent
    return message


def _static(joint: Joint) -> TransformStamped:
    message = _stamped(joint.parent, joint.child)
    set_vector(message.transform.translation, joint.origin[:3, 3])
    set_quaternion(message.transform.rotation, quaternion_from_rotation(joint.origin[:3, :3]))
    return message
