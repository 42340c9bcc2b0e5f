"""Whether a node that is asked is there, and is still the same one."""

import threading
import time
from collections.abc import Callable

from rclpy.node import Node

from softshell_client.errors import ServerGoneError
from softshell_client.ros.latest import Latest
from softshell_common.ros.qos import LATCHED

#: Time between two looks for a node that is awaited [s].
POLL_PERIOD = 0.02
#: How long a node may still answer after the one it needs has gone [s].
GRACE = 3.0


class Peer:
    """Another node, known by a topic which only nodes of its kind publish.

    Every publisher has an identity of its own. So a node that ended and was started again is told
    from the one before, although both have the same names.

    A node that ends says so at once. Of one that is killed ROS learns only after 20 s; but the
    others of its stack then end, and the first of them tells.

    A service drops its answer to a client that it has not yet discovered, and ROS lets no client
    know whether it is. But what a participant announces, the others take note of in order: once
    a topic's kept message has come to a subscription, all clients made before it are known.

    Args:
        node: that looks.
        topic: which the other publishes once it can be asked, as long as it lives; latched.
        kind: type of the topic.
        name: of the other for people, e.g. `bridge`.
        needs: a node without which the other cannot do its work.
        is_seen: whether what it is asked by is seen, too.
        early_service: a service that it offers before it can be asked.
    """

    def __init__(
        self,
        node: Node,
        topic: str,
        kind: type,
        name: str,
        needs: 'Peer | None' = None,
        is_seen: Callable[[], bool] = lambda: True,
        early_service: str = '',
    ) -> None:
        self._node, self.name, self._needs = node, name, needs
        self._is_seen, self._early_service = is_seen, early_service
        self.topic, self._kind = node.resolve_topic_name(topic), kind
        self._lock = threading.Lock()
        self._greeters: frozenset[bytes] = frozenset()
        self._greeting: Latest | None = None

    def identities(self) -> frozenset[bytes]:
        """One identity for each node of this kind that is there now."""
        publishers = self._node.get_publishers_info_by_topic(self.topic)
        return frozenset(bytes(publisher.endpoint_gid) for publisher in publishers)

    def is_ready(self) -> bool:
        """Whether it can be asked, and knows the clients that the node had when this began."""
        identities = self.identities()
        with self._lock:
            if identities - self._greeters:
                if self._greeting is not None:
                    self._greeting.close()
                self._greeting = Latest(self._node, self._kind, self.topic, LATCHED)
            self._greeters = identities
            greeted = self._greeting is not None and self._greeting.seen_at is not None
        return bool(identities) and greeted and self._is_seen()

    def is_starting(self) -> bool:
        """Whether it is there, but cannot be asked yet."""
        service = self._early_service
        there = service and self._node.count_services(self._node.resolve_service_name(service))
        return bool(there) and not self.is_ready()

    def watch(self, request: str) -> Callable[[], None]:
        """What is called again and again to see that the node still lives.

        Args:
            request: what the node is asked for, for the error's text.

        Returns:
            A function that raises ServerGoneError once the nodes that are there now are gone, or
            once those that they need have been gone for `GRACE`.
        """
        before = self.identities()
        needed = frozenset() if self._needs is None else self._needs.identities()
        seen = time.monotonic()

        def check() -> None:
            nonlocal needed, seen
            if not before & self.identities():
                raise ServerGoneError(request, self.name)
            others = frozenset() if self._needs is None else self._needs.identities()
            needed = needed or others  # a node may be seen late
            if not needed or needed & others:
                seen = time.monotonic()
            elif self._needs is not None and time.monotonic() - seen > GRACE:
                raise ServerGoneError(request, f'{self._needs.name} that the {self.name} needs')

        return check

    def wait(self, condition: Callable[[], bool], timeout: float) -> bool:
        """Whether something comes true, at the latest after `timeout` [s, wall]."""
        end = time.monotonic() + timeout
        while not condition():
            if time.monotonic() >= end or not self._node.context.ok():
                return False
            time.sleep(POLL_PERIOD)
        return True

    def elsewhere(self) -> list[str]:
        """Namespaces in which nodes of this kind are, sorted; `/` is the one without a name."""
        namespace = self._node.get_namespace().rstrip('/')
        suffix = self.topic.removeprefix(namespace)
        return sorted(
            topic.removesuffix(suffix) or '/'
            for topic, _ in self._node.get_topic_names_and_types()
            if topic.endswith(suffix) and self._node.count_publishers(topic)
        )
