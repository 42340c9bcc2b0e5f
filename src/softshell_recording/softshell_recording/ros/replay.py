"""Publishes the messages of a bag again, on their topics."""

import os
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from rclpy.duration import Duration
from rclpy.exceptions import InvalidTopicNameException
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosbags.highlevel import AnyReader
from rosbags.interfaces import Connection, Qos, QosDurability, QosReliability

from softshell_common.discovery import DISCOVERY
from softshell_common.onlooker import CLIENT
from softshell_common.ros.context import new_context
from softshell_kinematics.errors import SoftshellError
from softshell_recording.bag import quality_of
from softshell_recording.memory import LATCHED_DEPTH
from softshell_recording.reading import messages_of, opened
from softshell_recording.ros.commands import Commands
from softshell_recording.ros.listener import is_hidden, message_type
from softshell_recording.topic import Topic

#: Longest sleep, after which it checks whether it is to end [s].
NAP = 0.1
#: How long the last messages may take to arrive.
LAST = Duration(seconds=2)
#: Topics on which every node publishes.
EVERYBODY = ('/rosout', '/parameter_events')


def replay(
    path: Path,
    wanted: Callable[[str, str], bool],
    *,
    rate: float = 1.0,
    start: float = 0.0,
    domain: int | None = None,
    ended: Callable[[], bool] = lambda: False,
    progress: Callable[[float, float], None] = lambda now, end: None,
    tell: Callable[[str], None] = lambda line: None,
) -> int:
    """Publish the messages of a bag, with the time between them that was recorded.

    Nothing is published if other nodes publish on one of its topics: messages of two robots would
    be mixed, and a robot that runs would follow the commands of the recorded one.

    Args:
        path: of the bag.
        wanted: whether a topic is published, by name and type.
        rate: how many times as fast as recorded.
        start: where to begin, after the beginning of the bag [s]; latched messages from before
            are published first.
        domain: of ROS; default that of the environment.
        ended: called again and again; true ends it.
        progress: takes the time since the beginning of the bag, and its length [s].
        tell: takes a line about a topic that cannot be published.

    Returns:
        How many messages were sent.

    Raises:
        SoftshellError: the bag cannot be read, has no such topic, or is shorter than `start`;
            `rate` is not positive; other nodes publish on one of its topics; ROS cannot be
            initialised.
    """
    if not rate > 0.0:  # NaN is not, either
        raise SoftshellError(f'rate is {rate:g}; expected more than 0')
    with opened(path, tell) as reader:
        length = _length(path, reader, start)
        chosen = _chosen(path, reader, wanted)
        context = new_context(domain)
        node = Node(f'bag_player_{os.getpid()}', context=context, start_parameter_services=False)
        try:
            senders = _senders(node, chosen, tell)
            if not senders:
                raise SoftshellError(f'{path}: none of the chosen topics can be published')
            _refuse_other_publishers(node, senders)
            stages = _Stages(senders, rate, ended)
            sent = [one for one in chosen if one.topic in senders]
            messages = messages_of(reader, path, sent)
            for stamp, topic, data in _from(start, reader.start_time, messages):
                progress(stamp, length)
                if not stages.send(stamp, topic, data):
                    break
            for publisher in senders.values():
                publisher.wait_for_all_acked(LAST)
            return stages.count
        finally:
            node.destroy_node()
            context.try_shutdown()


def _length(path: Path, reader: AnyReader, start: float) -> float:
    """From the first message to the last [s].

    Raises:
        SoftshellError: there are none, it is a bag of ROS 1, or it is over before `start` [s].
    """
    if not reader.message_count:
        raise SoftshellError(f'{path} holds no messages')
    if not reader.is2:
        raise SoftshellError(
            f'{path} is a bag of ROS 1; expected one of ROS 2: rosbags-convert makes one of it'
        )
    length = 1e-9 * (reader.end_time - reader.start_time)
    if start and not start < length:
        raise SoftshellError(f'start is {start:g} s; expected less than {length:.1f} s')
    return length


def _chosen(path: Path, reader: AnyReader, wanted: Callable[[str, str], bool]) -> list[Connection]:
    """The topics that are published.

    Raises:
        SoftshellError: there are none.
    """
    chosen = [
        one
        for one in reader.connections
        if wanted(one.topic, one.msgtype)
        if not is_hidden(one.topic) and one.topic not in EVERYBODY
    ]
    if not chosen:
        raise SoftshellError(f'{path}: none of its {len(reader.topics)} topics is chosen')
    return chosen


class _Stages:
    """Publishes each message when it is due.

    Args:
        senders: publishers by topic.
        rate: how many times as fast as recorded.
        ended: called while waiting; true ends it.
    """

    def __init__(
        self, senders: dict[str, Publisher], rate: float, ended: Callable[[], bool]
    ) -> None:
        self._senders, self._rate, self._ended = senders, rate, ended
        self._begin: float | None = None
        self.count = 0

    def send(self, stamp: float, topic: str, data: bytes) -> bool:
        """Wait until the time of a message [s], and publish it; False if `ended` came first."""
        if self._begin is None:
            self._begin = time.monotonic() - stamp / self._rate
        due = self._begin + stamp / self._rate
        while not self._ended():
            left = due - time.monotonic()
            if left <= 0.0:
                self._senders[topic].publish(data)
                self.count += 1
                return True
            time.sleep(min(left, NAP))
        return False


def _from(
    start: float, begin: int, messages: Iterable[tuple[Connection, int, bytes]]
) -> Iterable[tuple[float, str, bytes]]:
    """Times since the beginning [s], topics, messages; first those latched before the start."""
    latched: dict[str, deque[bytes]] = defaultdict(lambda: deque(maxlen=LATCHED_DEPTH))
    commands = Commands()
    for connection, stamp, data in messages:
        when = 1e-9 * (stamp - begin)
        if when < start:
            if _promise(connection).durability is QosDurability.TRANSIENT_LOCAL:
                latched[connection.topic].append(data)
            continue
        for topic, kept in latched.items():
            yield from ((when, topic, one) for one in kept)
        latched.clear()
        yield when, connection.topic, commands.freed(connection.msgtype, data)
    for topic, kept in latched.items():  # nothing else came after the start
        yield from ((start, topic, one) for one in kept)


def _promise(connection: Connection) -> Qos:
    """Quality of service of a topic's first publisher; the default if it was not recorded."""
    promises: Sequence[Qos] = connection.ext.offered_qos_profiles  # type: ignore[union-attr]
    return promises[0] if promises else quality_of(Topic(connection.topic, connection.msgtype))


def _senders(
    node: Node, connections: Iterable[Connection], tell: Callable[[str], None]
) -> dict[str, Publisher]:
    """Publishers with the quality of service that was recorded, by topic."""
    senders = {}
    for one in connections:
        try:
            kind = message_type(one.msgtype)
        except (ImportError, AttributeError, ValueError):
            tell(f'{one.topic} is left out: {one.msgtype} is not installed')
            continue
        promise = _promise(one)
        weak = promise.reliability is QosReliability.BEST_EFFORT
        latched = promise.durability is QosDurability.TRANSIENT_LOCAL
        topic = Topic(one.topic, one.msgtype, latched=latched)
        quality = QoSProfile(
            depth=max(promise.depth, quality_of(topic).depth),
            reliability=ReliabilityPolicy.BEST_EFFORT if weak else ReliabilityPolicy.RELIABLE,
            durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
        )
        try:
            senders[one.topic] = node.create_publisher(kind, one.topic, quality)
        except InvalidTopicNameException:
            tell(f'{one.topic!r} is left out: ROS has no topics of such names')
    return senders


def _refuse_other_publishers(node: Node, topics: Iterable[str]) -> None:
    """Wait until topics are discovered, and check that no other node publishes on one.

    A client such as the page in the browser is allowed: it only publishes if a person drives.

    Raises:
        SoftshellError: another node publishes on one.
    """
    time.sleep(DISCOVERY)
    for topic in topics:
        others = [
            f'{one.node_namespace.rstrip("/")}/{one.node_name}'
            for one in node.get_publishers_info_by_topic(topic)
            if one.node_name != node.get_name() and not one.node_name.startswith(CLIENT)
        ]
        if others:
            raise SoftshellError(
                f'{topic} is published by {", ".join(sorted(set(others)))}; expected no other '
                'publisher: end it, or choose another ROS_DOMAIN_ID'
            )
