"""Shapes and poses of the bodies of a simulated world, as messages."""

from array import array
from collections.abc import Callable, Sequence
from weakref import WeakKeyDictionary

import numpy as np
from geometry_msgs.msg import Pose
from rclpy.node import Node

from softshell_common.frames import ODOM
from softshell_common.ros.qos import STATE
from softshell_control.ros.messages import set_quaternion, set_stamp, set_vector
from softshell_control.trajectories.trajectory import NANOSECONDS
from softshell_interfaces.msg import VisibleShape, WorldBody, WorldPoses
from softshell_kinematics.errors import SoftshellError
from softshell_sim.bodies import ObjectSpec, RobotSpec
from softshell_sim.pictures.body_looks import looks_of
from softshell_sim.scenes.scene_file import OWN_BODIES
from softshell_sim.world import World

#: Least time between two messages of `world_poses` [s].
PERIOD = 1.0 / 30.0


class Looks:
    """Visible shapes of bodies as messages; those of bodies without joints are made once.

    Args:
        warn: is told why a body is left without shapes.
    """

    def __init__(self, warn: Callable[[str], object]) -> None:
        self._warn = warn
        self._made: WeakKeyDictionary[object, list[VisibleShape]] = WeakKeyDictionary()

    def shapes(self, body: WorldBody, spec: ObjectSpec | RobotSpec) -> list[VisibleShape]:
        """What a body looks like; nothing for the floor and the robot that the bridge drives.

        A body that cannot be shown, such as one whose joints are at NaN, has no shapes either.
        """
        if body.name in OWN_BODIES:
            return []
        try:
            return self._shapes(spec, body.positions)
        except SoftshellError as error:
            self._warn(f'get_world: {body.name!r} is told without shapes: {error}')
            return []

    def _shapes(
        self, spec: ObjectSpec | RobotSpec, positions: Sequence[float]
    ) -> list[VisibleShape]:
        if isinstance(spec, RobotSpec):
            return shape_messages(spec, positions)
        if spec not in self._made:
            self._made[spec] = shape_messages(spec, ())
        return self._made[spec]


def shape_messages(spec: ObjectSpec | RobotSpec, positions: Sequence[float]) -> list[VisibleShape]:
    """What a body looks like.

    Args:
        spec: of the body.
        positions: of its joints [rad] or [m].

    Raises:
        SoftshellError: a joint is not at a finite position, or a mesh cannot be read.
    """
    return [
        VisibleShape(
            vertices=array('f', mesh.vertices.astype(np.float32).tobytes()),
            triangles=array('I', mesh.faces.astype(np.uint32).tobytes()),
            color=colour.astype(np.float32),
        )
        for mesh, colour in looks_of(spec, np.array(positions, dtype=np.float64))
    ]


class PoseStream:
    """Publishes `world_poses` while somebody subscribes.

    Args:
        node: publishes.
        world: whose bodies they are.
    """

    def __init__(self, node: Node, world: World) -> None:
        self._world = world
        self._topic = node.create_publisher(WorldPoses, 'world_poses', STATE)
        self._sent = 0

    def publish(self, stamp: int) -> None:
        """Send the poses of bodies to those who subscribe, at most once each `PERIOD`.

        Args:
            stamp: the time of the last step on the bridge's clock [ns].
        """
        due = not 0 <= stamp - self._sent < PERIOD * NANOSECONDS
        if due and self._topic.get_subscription_count():
            self._sent = stamp
            self._topic.publish(poses_message(self._world, stamp))


def poses_message(world: World, stamp: int) -> WorldPoses:
    """Poses of all bodies but the robot and the floor.

    Args:
        world: whose bodies they are.
        stamp: [ns].
    """
    message = WorldPoses()
    message.header.frame_id = ODOM
    set_stamp(message.header.stamp, stamp)
    for name in world.engine.bodies:
        if name not in OWN_BODIES:
            state, pose = world.scene.state(name), Pose()
            set_vector(pose.position, state.position)
            set_quaternion(pose.orientation, state.orientation)
            message.names.append(name)
            message.poses.append(pose)
    return message
