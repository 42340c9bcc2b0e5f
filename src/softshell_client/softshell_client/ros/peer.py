"""Watches whether a node that serves requests is there, and is still the same one."""

import threading
import time
from collections.abc import Callable

from rclpy.node import Node

from softshell_client.errors import ServerGoneError
from softshell_client.ros.latest import Latest
from softshell_common.discovery import DISCOVERY
from softshell_common.ros.qos import LATCHED

#: Time between two checks in `Peer.wait` [s].
POLL_PERIOD = 0.02
#: How long a node may still answer after a node that it needs has gone [s].
GRACE = 3.0


class Peer:
    """Another node, recognised by a topic that only nodes of its kind publish.

    Every publisher has its own identity, so a node that was started again differs from the one
    before it, although both have the same name.

    ROS learns at once of a node that ends, but only after 20 s of one that is killed. The other
    nodes of its stack then end, and the first of them (`needs`) is the earlier sign. Only who has
    discovered it can see that, so the peer is not taken for ready before, unless it is not found
    within `DISCOVERY`.

    A service drops its answer to a client that it has not discovered yet, and ROS does not tell a
    client whether it is discovered. But participants learn of each other's endpoints in order:
    once a subscription has got the topic's latched message, the other node knows all clients that
    were made before that subscription.

    Args:
        node: the node that watches.
        topic: a latched topic that the other node publishes once it takes requests.
        kind: type of the topic.
        name: name of the other node in messages, e.g. `bridge`.
        needs: a node that the other node needs for its work.
        is_seen: returns whether the services or actions that are used have been discovered.
        early_service: a service that the other node offers before it takes requests.

    Attributes:
        name: name of the other node in messages.
        topic: full name of the topic.
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
        self._greeted_at: float | None = None

    def identities(self) -> frozenset[bytes]:
        """The identities of all nodes of this kind that are there now, one for each."""
        publishers = self._node.get_publishers_info_by_topic(self.topic)
        return frozenset(bytes(publisher.endpoint_gid) for publisher in publishers)

    def is_ready(self) -> bool:
        """Whether it takes requests, and knows the clients that were made before this call."""
        identities = self.identities()
        with self._lock:
            if identities - self._greeters:
                if self._greeting is not None:
                    self._greeting.close()
                self._greeting = Latest(self._node, self._kind, self.topic, LATCHED)
                self._greeted_at = None
            self._greeters = identities
            if self._greeted_at is None and self._greeting is not None:
                self._greeted_at = self._greeting.seen_at
            greeted_at = self._greeted_at
        if not identities or greeted_at is None or not self._is_seen():
            return False
        knows_needs = self._needs is None or bool(self._needs.identities())
        return knows_needs or time.monotonic() - greeted_at > DISCOVERY

    def is_starting(self) -> bool:
        """Whether it is there, but does not take requests yet."""
        service = self._early_service
        offered = service and self._node.count_services(self._node.resolve_service_name(service))
        return bool(offered or self.identities()) and not self.is_ready()

    def watch(self, request: str) -> Callable[[], None]:
        """Return a function that checks, at each call, that the node still lives.

        Args:
            request: what the node is asked for, for the error's text.

        Returns:
            A function that raises ServerGoneError if the nodes that are there now are gone, or if
            those that they need have been gone for `GRACE`.
        """
        before = self.identities()
        needed = frozenset() if self._needs is None else self._needs.identities()
        seen = time.monotonic()

        def check() -> None:
            nonlocal needed, seen
            if not before & self.identities():
                raise ServerGoneError(request, self.name)
            others = frozenset() if self._needs is None else self._needs.identities()
            needed = needed or others  # a node may be discovered late
            if not needed or needed & others:
                seen = time.monotonic()
            elif self._needs is not None and time.monotonic() - seen > GRACE:
                raise ServerGoneError(request, f'{self._needs.name} that the {self.name} needs')

        return check

    def wait(self, condition: Callable[[], bool], timeout: float) -> bool:
        """Wait for a condition; returns False if it did not hold within `timeout` [s, wall]."""
        end = time.monotonic() + timeout
        while not condition():
            if time.monotonic() >= end or not self._node.context.ok():
                return False
            time.sleep(POLL_PERIOD)
        return True

    def elsewhere(self) -> list[str]:
        """The other namespaces with nodes of this kind, sorted; `/`: no namespace."""
        namespace = self._node.get_namespace().rstrip('/')
        suffix = self.topic.removeprefix(namespace)
        return sorted(
            topic.removesuffix(suffix) or '/'
            for topic, _ in self._node.get_topic_names_and_types()
            if topic.endswith(suffix) and topic != self.topic
            if self._node.count_publishers(topic)
        )
