"""Pictures of the robot's cameras; only the chosen ones are subscribed to."""

import io
import time

import numpy as np
from PIL import Image as Picture
from rclpy.node import Node
from sensor_msgs.msg import Image

from softshell_client.ros.latest import Latest
from softshell_common.ros.qos import SENSOR_CONSUMER

#: End of a topic with pictures, after the name of the camera.
ENDING = '/image_raw'
#: Supported encodings of pictures, and their names in pillow.
ENCODINGS = {'rgb8': 'RGB', 'mono8': 'L'}
#: Period at which cameras are looked for, and time after which a subscription that was not used is
#: closed [s].
LOOK_PERIOD, WANTED = 2.0, 2.0
#: Quality of JPEG pictures, 0 to 100, and their largest width and height [pixels].
QUALITY, LARGEST = 75, 65_500


class Cameras:
    """The cameras in the namespace of a node.

    A camera is subscribed to only while its pictures are asked for, because a simulation renders
    pictures only for subscribers.

    Args:
        node: that subscribes.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._names: tuple[str, ...] = ()
        self._look_at = 0.0
        self._open: dict[str, tuple[Latest, float]] = {}
        self._newest: dict[str, tuple[float, bytes | None]] = {}

    def names(self) -> tuple[str, ...]:
        """Names of the cameras, sorted."""
        now = time.monotonic()
        if now >= self._look_at:
            self._look_at = now + LOOK_PERIOD
            space = self._node.get_namespace().rstrip('/') + '/'
            self._names = tuple(
                sorted(
                    name.removeprefix(space).removesuffix(ENDING)
                    for name, kinds in self._node.get_topic_names_and_types()
                    if name.startswith(space)
                    and name.endswith(ENDING)
                    and kinds == ['sensor_msgs/msg/Image']
                )
            )
        return self._names

    def picture(self, name: str) -> bytes | None:
        """The newest picture of a camera as JPEG; the same object until there is a newer one.

        Returns:
            None if there is no such camera, no picture yet, or it cannot be shown; see `jpeg_of`.
        """
        if name not in self._names:
            return None
        if name not in self._open:
            topic = Latest(self._node, Image, name + ENDING, SENSOR_CONSUMER)
        else:
            topic = self._open[name][0]
        self._open[name] = topic, time.monotonic()
        seen_at = topic.seen_at
        if seen_at is None:
            return None
        if name not in self._newest or self._newest[name][0] != seen_at:
            self._newest[name] = seen_at, jpeg_of(topic.message)
        return self._newest[name][1]

    def close_unwanted(self) -> None:
        """Close subscriptions that were not used for a while."""
        now = time.monotonic()
        for name, (topic, wanted_at) in tuple(self._open.items()):
            if now - wanted_at > WANTED:
                topic.close()
                del self._open[name]
                self._newest.pop(name, None)


def jpeg_of(message: Image) -> bytes | None:
    """A picture as JPEG.

    Returns:
        None if its encoding is not supported, it is empty or too large, or its data is not that
        of rows of its width, which may have padding at their ends.
    """
    mode, width, height = ENCODINGS.get(message.encoding), message.width, message.height
    if mode is None or not (0 < width <= LARGEST and 0 < height <= LARGEST):
        return None
    length, rest = divmod(len(message.data), height)
    if rest or length < width * len(mode):
        return None
    rows = np.frombuffer(message.data, dtype=np.uint8).reshape(height, length)
    wide = rows[:, : width * len(mode)]
    content = io.BytesIO()
    picture = Picture.frombytes(mode, (width, height), wide.tobytes())
    picture.save(content, 'JPEG', quality=QUALITY)
    return content.getvalue()
