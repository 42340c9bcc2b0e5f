"""`/tf` and `/tf_static`: odom → base → every link, and the footprint below the base."""

import numpy as np
from geometry_msgs.msg import TransformStamped
from rclpy.node import Node

from softshell_common.ros.qos import LATCHED, STATE
from softshell_control.backend import BaseState, Measured
from softshell_control.ros.messages import set_quaternion, set_stamp, set_vector
from softshell_control.ros.streams import ODOM
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.from_urdf import chain_from_urdf
from softshell_kinematics.transforms import (
    angles_from_rotation,
    exp_so3,
    inverse,
    quaternion_from_rotation,
    rotation_about,
    rotation_from_quaternion,
    transform,
)
from softshell_kinematics.urdf import Joint

try:
    from tf2_msgs.msg import TFMessage
except ImportError:
    TFMessage = None


class TransformStream:
    """Publishes the transforms of a robot.

    Args:
        node: publishes.
        robot: the robot.
        names: of all movable joints, in the order of what is measured.
        measured: tells whether the base is measured; if not, the tree starts at the root link.
    """

    def __init__(
        self, node: Node, robot: RobotModel, names: tuple[str, ...], measured: Measured
    ) -> None:
        places = {name: place for place, name in enumerate(names)}
        moving = [joint for joint in robot.urdf.joints if joint.movable]
        self._places = np.array([places[joint.name] for joint in moving])
        self._origins = np.array([joint.origin for joint in moving]).reshape(-1, 4, 4)
        self._axes = np.array([joint.axis for joint in moving]).reshape(-1, 3)
        self._sliding = np.array([joint.type == 'prismatic' for joint in moving])
        self._links = [_stamped(joint.parent, joint.child) for joint in moving]
        self._message = TFMessage(transforms=list(self._links))
        # Poses of the robot are those of its base link; the tree hangs from the root link.
        root, base = robot.urdf.root, robot.base.link
        self._base_to_root = inverse(robot.urdf.bodies[base][1])
        self._base = _stamped(ODOM, root)
        if measured.base is not None:
            self._message.transforms.append(self._base)
        self._feet = Feet(robot, names) if robot.legs is not None else None
        self._footprint = _stamped(base, robot.base.footprint)
        if self._feet is not None:
            self._message.transforms.append(self._footprint)
        self._publisher = node.create_publisher(TFMessage, '/tf', STATE)
        static = node.create_publisher(TFMessage, '/tf_static', LATCHED)
        fixed = [_static(joint) for joint in robot.urdf.joints if not joint.movable]
        static.publish(TFMessage(transforms=fixed))

    def publish(self, measured: Measured) -> None:
        """Send the transforms of what was measured."""
        self._fill_links(measured)
        base = measured.base
        if base is not None:
            pose = transform(rotation_from_quaternion(base.orientation), base.position)
            _fill(self._base, pose @ self._base_to_root)
        if self._feet is not None:
            _fill(self._footprint, self._feet.footprint(measured))
        for each in self._message.transforms:
            set_stamp(each.header.stamp, measured.stamp)
        self._publisher.publish(self._message)

    def _fill_links(self, measured: Measured) -> None:
        moved = measured.position[self._places][:, None] * self._axes
        turns = exp_so3(np.where(self._sliding[:, None], 0.0, moved))
        rotations = self._origins[:, :3, :3] @ turns
        offsets = np.einsum('nij,nj->ni', self._origins[:, :3, :3], moved)
        positions = self._origins[:, :3, 3] + np.where(self._sliding[:, None], offsets, 0.0)
        for message, position, orientation in zip(
            self._links, positions, quaternion_from_rotation(rotations), strict=True
        ):
            set_vector(message.transform.translation, position)
            set_quaternion(message.transform.rotation, orientation)


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

    def footprint(self, measured: Measured) -> Array:
        """(4, 4) pose of the footprint in the base; level as far as the base is measured."""
        base = measured.base or BaseState()
        rotation = rotation_from_quaternion(base.orientation)
        feet = np.array(
            [
                chain.forward(measured.position[columns])[:3, 3]
                for chain, columns in zip(self._chains, self._columns, strict=True)
            ]
        )
        height = (feet @ rotation[2]).min()
        heading = angles_from_rotation(rotation)[0]
        level = rotation.T @ rotation_about((0.0, 0.0, 1.0), heading)
        return transform(level, height * rotation[2])


def _stamped(parent: str, child: str) -> TransformStamped:
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id = parent
    return message


def _static(joint: Joint) -> TransformStamped:
    message = _stamped(joint.parent, joint.child)
    _fill(message, joint.origin)
    return message


def _fill(message: TransformStamped, pose: Array) -> None:
    set_vector(message.transform.translation, pose[:3, 3])
    set_quaternion(message.transform.rotation, quaternion_from_rotation(pose[:3, :3]))
