"""Writes bags in MCAP, which ros2 bag and Foxglove can read; needs no ROS."""

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from rosbags.interfaces import (
    Connection,
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from rosbags.rosbag2 import StoragePlugin, Writer, WriterError

from softshell_kinematics.errors import SoftshellError
from softshell_recording.definitions import Definitions
from softshell_recording.topic import Message, Topic

#: Version of the format of bags.
VERSION: Literal[9] = 9
#: How much is left free on the disk [B]: ending the file and other programs need some.
LEFT_FREE = 50_000_000
#: How many bytes are written until the free space is checked again.
LOOK_EVERY = 1_000_000
#: How many messages of a topic a player offers late joiners, and keeps for slow ones.
DEPTH = 10
#: How many of a stream, and of the topics of some types, as live: reports of the bridge, and what
#: is large.
STREAM_DEPTH = 200
DEPTHS = {
    'softshell_interfaces/msg/BridgeStatus': 1000,
    'sensor_msgs/msg/Image': DEPTH,
    'sensor_msgs/msg/CompressedImage': DEPTH,
    'sensor_msgs/msg/PointCloud2': DEPTH,
}
#: A duration without limit.
NEVER = QosTime(0, 0)


def see_room(folder: Path) -> None:
    """Check that the disk of a folder has room.

    Raises:
        OSError: less than `LEFT_FREE` is free.
    """
    free = shutil.disk_usage(folder).free
    if free < LEFT_FREE:
        raise OSError(
            0, f'{free / 1e6:.0f} MB are free; expected {LEFT_FREE / 1e6:.0f} MB or more'
        )


class BagError(SoftshellError):
    """A recording cannot be written; what was written before is kept."""


class BagWriter:
    """Writes one bag, a folder that does not exist yet; a context manager.

    Args:
        path: of the folder.
        definitions: of the message types.

    Attributes:
        path: as given.
        count, size: of messages so far, and their bytes.

    Raises:
        BagError: the folder exists already, or cannot be made.
    """

    def __init__(self, path: Path, definitions: Definitions) -> None:
        self.path = path
        self.count = self.size = 0
        self._definitions = definitions
        self._connections: dict[Topic, Connection] = {}
        self._until_look = 0
        try:
            self._writer = Writer(path, version=VERSION, storage_plugin=StoragePlugin.MCAP)
            there = next(folder for folder in path.absolute().parents if folder.exists())
            see_room(there)
            self._writer.open()
        except WriterError:
            raise BagError(f'{path} exists already; expected a new folder') from None
        except OSError as error:
            with suppress(OSError):
                path.rmdir()  # made, but there is no file in it
            raise BagError(f'{path}: {error.strerror}') from error

    def add(self, topic: Topic) -> None:
        """Add a topic to the bag, even if no message comes on it.

        Raises:
            SoftshellError: there is no definition of its messages.
        """
        if topic not in self._connections:
            text, digest = self._definitions.of(topic.kind)
            self._connections[topic] = self._writer.add_connection(
                topic.name, topic.kind, msgdef=text, rihs01=digest,
                offered_qos_profiles=[quality_of(topic)],
            )  # fmt: skip

    def write(self, message: Message) -> None:
        """Write a message.

        Raises:
            SoftshellError: there is no definition of its type.
            BagError: the disk is full, or gone; the bag has ended, with all before this message.
        """
        self.add(message.topic)
        try:
            self._look(len(message.data))
            self._writer.write(self._connections[message.topic], message.stamp, message.data)
        except OSError as error:
            self._end()
            raise BagError(f'{self.path}: {error.strerror}: the recording ends here') from error
        self.count += 1
        self.size += len(message.data)

    def close(self) -> None:
        """End the bag: only then is it whole.

        Raises:
            BagError: it cannot be ended.
        """
        if self._writer.storage is None:
            return
        try:
            self._writer.close()
        except OSError as error:
            self._writer.abort()
            raise BagError(f'{self.path}: {error.strerror}: the recording has no index') from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _look(self, size: int) -> None:
        """Check now and then that the disk has room, before so many bytes are written.

        Raises:
            OSError: it has not.
        """
        self._until_look -= size
        if self._until_look > 0:
            return
        self._until_look = LOOK_EVERY
        see_room(self.path)

    def _end(self) -> None:
        """End the bag, so that what was written can be read."""
        with suppress(BagError):
            self.close()


class Taker:
    """Writes messages, and leaves out topics whose type has no definition.

    Args:
        bag: takes them.
        tell: takes a line about each topic that is left out.
    """

    def __init__(self, bag: BagWriter, tell: Callable[[str], None]) -> None:
        self._bag, self._tell = bag, tell
        self._refused: set[Topic] = set()

    def take(self, message: Message) -> None:
        """Write a message.

        Raises:
            BagError: the bag has ended.
        """
        topic = message.topic
        if topic in self._refused:
            return
        try:
            self._bag.add(topic)
        except SoftshellError as error:
            self._refused.add(topic)
            self._tell(f'{topic.name} is left out: {error}')
            return
        self._bag.write(message)


def quality_of(topic: Topic) -> Qos:
    """The quality of service that a player has to offer for a topic.

    With it late and slow subscribers get what they would have got live.
    """
    return Qos(
        history=QosHistory.KEEP_LAST,
        depth=DEPTHS.get(topic.kind, DEPTH if topic.latched else STREAM_DEPTH),
        reliability=QosReliability.RELIABLE if topic.reliable else QosReliability.BEST_EFFORT,
        durability=QosDurability.TRANSIENT_LOCAL if topic.latched else QosDurability.VOLATILE,
        deadline=NEVER,
        lifespan=NEVER,
        liveliness=QosLiveliness.AUTOMATIC,
        liveliness_lease_duration=NEVER,
        avoid_ros_namespace_conventions=False,
    )
