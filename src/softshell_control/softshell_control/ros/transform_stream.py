"""`/tf` and `/tf_static`: odom → base → every link, and the footprint below the base."""

import math

import numpy as np
from geometry_msgs.msg import TransformStamped
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.serialization import serialize_message

from softshell_common.frames import ODOM
from softshell_common.ros.qos import LATCHED, STATE
from softshell_control.backend import BaseState, Measured
from softshell_control.ros.messages import set_quaternion, set_vector
from softshell_control.trajectory import NANOSECONDS
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.from_urdf import chain_from_urdf
from softshell_kinematics.transforms import (
    inverse,
    quaternion_from_rotation,
    quaternion_product,
    rotation_from_quaternion,
)
from softshell_kinematics.urdf import Joint

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
        places = {name: place for place, name in enumerate(names)}
        moving = [joint for joint in robot.urdf.joints if joint.movable]
        self._places = np.array([places[joint.name] for joint in moving], dtype=np.int64)
        origins = np.array([joint.origin for joint in moving]).reshape(-1, 4, 4)
        self._positions = origins[:, :3, 3].copy()
        self._rotations = origins[:, :3, :3].copy()
        self._orientations = quaternion_from_rotation(self._rotations)
        self._axes = np.array([joint.axis for joint in moving]).reshape(-1, 3)
        self._sliding = np.array([joint.type == 'prismatic' for joint in moving], dtype=bool)
        # Poses of the robot are those of its base link; the tree hangs from the root link.
        root, base = robot.urdf.root, robot.base.link
        self._root = _seven(inverse(robot.urdf.bodies[base][1]))
        # A base that nothing ever measures counts as level, for the footprint.
        self._level: BaseState | None = BaseState()
        self._feet = Feet(robot, names) if robot.legs is not None else None
        edges = [*((joint.parent, joint.child) for joint in moving), (ODOM, root)]
        edges += [(base, robot.base.footprint)] if self._feet is not None else []
        self._edges = edges
        self._values = np.zeros((len(edges), 7))
        self._known: NDArray[np.bool_] = np.ones(len(edges), dtype=np.bool_)
        self._message = SerializedTransforms(edges)
        self._publisher = node.create_publisher(TFMessage, '/tf', STATE)
        static = node.create_publisher(TFMessage, '/tf_static', LATCHED)
        fixed = [_static(joint) for joint in robot.urdf.joints if not joint.movable]
        static.publish(TFMessage(transforms=fixed))

    def publish(self, measured: Measured) -> None:
        """Send the transforms of what was measured, and of nothing else."""
        joints, base = len(self._places), measured.base
        positions = np.where(measured.valid, measured.position, np.nan)
        self._fill_joints(positions, self._values[:joints])
        self._values[joints:] = np.nan
        if base is not None:
            turn = rotation_from_quaternion(base.orientation)
            self._values[joints, :3] = base.position + turn @ self._root[:3]
            self._values[joints, 3:] = quaternion_product(base.orientation, self._root[3:])
            self._level = None
        level = self._level if base is None else base
        if self._feet is not None and level is not None:
            self._feet.footprint(positions, level, self._values[joints + 1])
        known: NDArray[np.bool_] = np.asarray(np.isfinite(self._values).all(axis=1))
        if not np.array_equal(known, self._known):
            self._known = known
            self._message = SerializedTransforms(
                [edge for edge, is_known in zip(self._edges, known, strict=True) if is_known]
            )
        self._publisher.publish(self._message.fill(self._values[known], measured.stamp))

    def _fill_joints(self, positions: Array, values: Array) -> None:
        """Write (joints, 7) positions and quaternions of the links in their parents."""
        moved = positions[self._places]
        values[:, :3] = self._positions
        if self._sliding.any():
            slide = np.where(self._sliding, moved, 0.0)[:, None] * self._axes
            values[:, :3] += np.einsum('nij,nj->ni', self._rotations, slide)
        half = np.where(self._sliding, 0.0, 0.5 * moved)
        turns = np.column_stack([np.sin(half)[:, None] * self._axes, np.cos(half)])
        values[:, 3:] = quaternion_product(self._orientations, turns)


class SerializedTransforms:
    """A TFMessage as it goes over the wire, whose numbers are written in place.

    To fill some forty transforms by attributes and to convert them costs a millisecond, which is
    as much as a control step of the simulation.

    Args:
        edges: names of parent and child frame.
    """

    def __init__(self, edges: list[tuple[str, str]]) -> None:
        count = len(edges)
        # Numbers that mark their places, and that no frame's name looks like.
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
        # Padding is whatever the memory held before, even an older message's mark: of two words
        # in a row it cannot hold both.
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


class Feet:
    """Finds the footprint: level, below the base, at the height of the lowest foot.

    Args:
        robot: with legs.
        names: of all movable joints, in the order of what is measured.
    """

    def __init__(self, robot: RobotModel, names: tuple[str, ...]) -> None:
        assert robot.legs is not None
        places = {name: place for place, name in enumerate(names)}
        base = robot.base.link
        self._chains = [chain_from_urdf(robot.urdf, base, foot) for foot in robot.legs.feet]
        self._columns = [
            np.array([places[variable] for variable in chain.variables]) for chain in self._chains
        ]

    def footprint(self, positions: Array, base: BaseState, values: Array) -> None:
        """Write (7,) position and quaternion of the footprint in the base.

        Args:
            positions: (movable,) of the joints; NaN where they are not measured.
            base: by which the footprint is level.
            values: for the result; NaN if a foot's place is not known.
        """
        if not all(np.isfinite(positions[columns]).all() for columns in self._columns):
            values[:] = np.nan
            return
        rotation = rotation_from_quaternion(base.orientation)
        feet = np.array(
            [
                chain.forward(positions[columns])[:3, 3]
                for chain, columns in zip(self._chains, self._columns, strict=True)
            ]
        )
        values[:3] = (feet @ rotation[2]).min() * rotation[2]
        half = 0.5 * math.atan2(rotation[1, 0], rotation[0, 0])
        level = (0.0, 0.0, math.sin(half), math.cos(half))
        values[3:] = quaternion_product(base.orientation * (-1.0, -1.0, -1.0, 1.0), level)


def _stamped(parent: str, child: str) -> TransformStamped:
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id = parent
    return message


def _static(joint: Joint) -> TransformStamped:
    message = _stamped(joint.parent, joint.child)
    values = _seven(joint.origin)
    set_vector(message.transform.translation, values[:3])
    set_quaternion(message.transform.rotation, values[3:])
    return message


def _seven(pose: Array) -> Array:
    """(7,) position and quaternion of a pose."""
    return np.concatenate([pose[:3, 3], quaternion_from_rotation(pose[:3, :3])])
