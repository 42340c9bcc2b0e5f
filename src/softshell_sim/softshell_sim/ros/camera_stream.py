"""The pictures of the simulated cameras as messages, while somebody subscribes."""

from array import array
from dataclasses import dataclass

import numpy as np
from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.publisher import Publisher
from sensor_msgs.msg import CameraInfo, Image

from softshell_common.ros.qos import LATCHED, PICTURES, STATE
from softshell_control.ros.messages import set_quaternion, set_stamp, set_vector
from softshell_control.ros.transform_stream import HAS_MESSAGE
from softshell_control.trajectories.trajectory import NANOSECONDS
from softshell_kinematics.transforms import quaternion_from_rotation
from softshell_sim.sensing.camera import Camera, Picture
from softshell_sim.world import World


@dataclass(eq=False)
class _Topics:
    """A camera's publishers, and when its last picture was taken [ns]."""

    image: Publisher
    depth: Publisher
    info: Publisher
    stamp: int | None = None

    @property
    def watched(self) -> bool:
        """Whether anybody subscribes."""
        return any(each.get_subscription_count() for each in (self.image, self.depth, self.info))


class CameraStream:
    """Publishes `<camera>/image_raw`, `<camera>/depth` and `<camera>/camera_info`.

    Each camera draws once at the start, so that compiling and loading do not delay the control
    loop later; then nothing is drawn while nobody subscribes. `/tf_static` has the pose of each
    camera on its link, as the frame `<camera>_optical_frame`.

    Args:
        node: publishes.
        world: whose cameras they are.
    """

    def __init__(self, node: Node, world: World) -> None:
        self._world = world
        for name in world.cameras.names:
            world.engine.picture(world.cameras.camera(name).view(np.eye(4)))
        self._topics = {
            name: _Topics(
                node.create_publisher(Image, f'{name}/image_raw', PICTURES),
                node.create_publisher(Image, f'{name}/depth', PICTURES),
                node.create_publisher(CameraInfo, f'{name}/camera_info', STATE),
            )
            for name in world.cameras.names
        }
        if HAS_MESSAGE and self._topics:
            from tf2_msgs.msg import TFMessage

            self._static = node.create_publisher(TFMessage, '/tf_static', LATCHED)
            self._static.publish(
                TFMessage(
                    transforms=[_mount(name, world.cameras.camera(name)) for name in self._topics]
                )
            )

    def publish(self, stamp: int) -> None:
        """Send each new picture to those who subscribe to it.

        Args:
            stamp: the time of the world's last measurement on the bridge's clock [ns].
        """
        for name, topics in self._topics.items():
            if not topics.watched:
                continue
            taken, picture = self._world.picture(name)
            when = stamp - round((self._world.time - taken) * NANOSECONDS)
            if when != topics.stamp:
                topics.stamp = when
                self._send(name, topics, picture)

    def _send(self, name: str, topics: _Topics, picture: Picture) -> None:
        assert topics.stamp is not None
        height, width = picture.depth.shape
        for publisher, pixels, encoding in (
            (topics.image, picture.rgb, 'rgb8'),
            (topics.depth, picture.depth, '32FC1'),
        ):
            if publisher.get_subscription_count():
                message = Image(height=height, width=width, encoding=encoding)
                message.step = pixels.nbytes // height
                message.data = array('B', pixels.tobytes())
                message.header.frame_id = optical_frame(name)
                set_stamp(message.header.stamp, topics.stamp)
                publisher.publish(message)
        info = info_message(name, self._world.cameras.camera(name))
        set_stamp(info.header.stamp, topics.stamp)
        topics.info.publish(info)


def optical_frame(name: str) -> str:
    """Name of the frame of a camera's pictures."""
    return f'{name}_optical_frame'


def info_message(name: str, camera: Camera) -> CameraInfo:
    """Size and projection of a camera, whose lens does not distort."""
    settings = camera.settings
    matrix = camera.intrinsics
    message = CameraInfo(
        height=settings.height,
        width=settings.width,
        distortion_model='plumb_bob',
        d=[0.0] * 5,
        k=matrix.ravel().tolist(),
        r=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
    )
    message.p = [value for row in matrix.tolist() for value in (*row, 0.0)]
    message.header.frame_id = optical_frame(name)
    return message


def _mount(name: str, camera: Camera) -> TransformStamped:
    """Pose of a camera's optical frame on its link."""
    message = TransformStamped(child_frame_id=optical_frame(name))
    message.header.frame_id = camera.settings.link
    pose = camera.optical_in_link
    set_vector(message.transform.translation, pose[:3, 3])
    set_quaternion(message.transform.rotation, quaternion_from_rotation(pose[:3, :3]))
    return message
