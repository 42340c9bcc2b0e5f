"""Listens to topics as they appear, without taking part, and gives raw messages on.

No callback runs: the middleware keeps messages with their times of receipt until `sweep` takes
them. That costs a fraction of what an executor costs, which wakes up for every message.
"""

import time
from collections import deque
from collections.abc import Callable
from importlib import import_module
from operator import attrgetter
from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription

from softshell_common.ros.unattended import Unattended, never_called
from softshell_recording.topic import Message, Topic

#: Time between two looks at which topics there are [s].
LOOK_PERIOD = 0.2
#: Once no topic was new for so long, all count as found [s].
SETTLED = 3.0 * LOOK_PERIOD
#: Most messages of a topic that are kept until they are swept up.
DEPTH = 5000
#: Time between two sweeps of a program that does nothing else [s].
SWEEP_PERIOD = 0.05
#: In the names of the inner topics of actions; feedback and status are listened to as well.
HIDDEN = '/_'
FEEDBACK = ('/_action/feedback', '/_action/status')


def is_hidden(name: str) -> bool:
    """Whether a topic is an inner one of ROS that is not listened to."""
    return HIDDEN in name and not name.endswith(FEEDBACK)


class Listener:
    """Subscribes to topics that have publishers, with their quality of service.

    Where publishers of a topic differ in it, the listener takes the weakest.

    Args:
        node: subscribes.
        take: is given each message, in the order in which they came.
        wanted: whether a topic is listened to, by name and type; not called for hidden ones.
        tell: takes a line about a topic that cannot be listened to.
        modest: whether messages may be lost on topics that are not latched (best effort), so that
            no publisher waits for this listener or sends anything twice.
    """

    def __init__(
        self,
        node: Node,
        take: Callable[[Message], None],
        wanted: Callable[[str, str], bool] = lambda name, kind: True,
        tell: Callable[[str], None] = lambda line: None,
        modest: bool = False,
    ) -> None:
        self._modest = modest
        self._node, self._take, self._wanted, self._tell = node, take, wanted, tell
        self._subscriptions: dict[str, tuple[Topic, Subscription]] = {}
        self._refused: set[str] = set()
        self._waiting: deque[Message] = deque()
        self._look_at = 0.0
        self._found_at = time.monotonic()

    @property
    def topics(self) -> list[Topic]:
        """The topics that are listened to."""
        return [topic for topic, _ in self._subscriptions.values()]

    @property
    def settled(self) -> bool:
        """Whether no topic was new for a while, so that all have been found."""
        return time.monotonic() - self._found_at > SETTLED

    def sweep(self) -> None:
        """Pass on all messages that came until now; look for new topics now and then.

        If `take` raises, the messages after that one are passed on by the next sweep.
        """
        if time.monotonic() >= self._look_at:
            self._look()
            self._look_at = time.monotonic() + LOOK_PERIOD
        # What comes to one topic while another is swept is left for the next time.
        until = time.time_ns()
        for topic, subscription in self._subscriptions.values():
            self._collect(topic, subscription)
        self._waiting = deque(sorted(self._waiting, key=attrgetter('stamp')))
        while self._waiting and self._waiting[0].stamp <= until:
            self._take(self._waiting.popleft())

    def _collect(self, topic: Topic, subscription: Subscription) -> None:
        handle, kind = subscription.handle, subscription.msg_type
        with handle:
            for _ in range(DEPTH):
                taken = handle.take_message(kind, True)
                if taken is None:
                    return
                data, about = taken
                stamp = about['received_timestamp'] or time.time_ns()
                sent = about['source_timestamp'] or None
                self._waiting.append(Message(topic, stamp, data, sent))

    def _look(self) -> None:
        """Find topics that are new, or whose quality of service has changed."""
        for name, kinds in self._node.get_topic_names_and_types():
            if name in self._refused or is_hidden(name) or not self._wanted(name, kinds[0]):
                continue
            if len(kinds) > 1:
                self._refuse(name, f'has {len(kinds)} types: {", ".join(kinds)}')
                continue
            topic = self._promised(name, kinds[0])
            known = self._subscriptions.get(name)
            if topic is None or (known is not None and known[0] == topic):
                continue
            if known is not None:
                self._collect(*known)
                self._node.destroy_subscription(known[1])
            self._listen(topic)

    def _promised(self, name: str, kind: str) -> Topic | None:
        """A topic with the weakest quality of service of its publishers; None without any."""
        offers = [one.qos_profile for one in self._node.get_publishers_info_by_topic(name)]
        if not offers:
            return None
        return Topic(
            name,
            kind,
            reliable=all(one.reliability is ReliabilityPolicy.RELIABLE for one in offers),
            latched=all(one.durability is DurabilityPolicy.TRANSIENT_LOCAL for one in offers),
        )

    def _listen(self, topic: Topic) -> None:
        try:
            kind = message_type(topic.kind)
        except (ImportError, AttributeError, ValueError):  # ValueError: no type of ROS
            self._refuse(topic.name, f'{topic.kind} is not installed')
            return
        reliability, durability = ReliabilityPolicy, DurabilityPolicy
        reliable = topic.reliable and not (self._modest and not topic.latched)
        quality = QoSProfile(
            depth=DEPTH,
            history=HistoryPolicy.KEEP_LAST,
            reliability=reliability.RELIABLE if reliable else reliability.BEST_EFFORT,
            durability=durability.TRANSIENT_LOCAL if topic.latched else durability.VOLATILE,
        )
        subscription = self._node.create_subscription(
            kind, topic.name, never_called, quality, raw=True, callback_group=Unattended()
        )
        self._subscriptions[topic.name] = topic, subscription
        self._found_at = time.monotonic()

    def _refuse(self, name: str, why: str) -> None:
        self._refused.add(name)
        self._tell(f'{name} is left out: {why}')


def message_type(kind: str) -> Any:
    """The class of a message type, e.g. std_msgs/msg/String, or of the feedback of an action.

    Raises:
        ImportError, AttributeError, ValueError: there is none.
    """
    package, folder, name = kind.split('/')
    module = import_module(f'{package}.{folder}')
    action, _, part = name.partition('_')
    return getattr(getattr(module, action).Impl, part) if part else getattr(module, name)
