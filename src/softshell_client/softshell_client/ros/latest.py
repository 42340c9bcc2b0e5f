"""The newest message of a topic."""

import threading
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message


class Latest:
    """Keeps the newest message of a topic.

    Messages are kept as bytes and decoded when they are asked for: a stream that nobody looks at
    costs next to nothing.

    Args:
        node: that subscribes.
        kind: type of the messages.
        name: of the topic.
        profile: quality of service.
    """

    def __init__(self, node: Node, kind: type, name: str, profile: QoSProfile) -> None:
        self.name = name
        self._kind = kind
        self._bytes: bytes | None = None
        self._came = threading.Event()
        node.create_subscription(kind, name, self._on_message, profile, raw=True)

    @property
    def message(self) -> Any:
        """The newest message; None before the first."""
        return None if self._bytes is None else deserialize_message(self._bytes, self._kind)

    def wait(self, timeout: float) -> bool:
        """Whether there is a message, at the latest after `timeout` [s, wall]."""
        return self._came.wait(timeout)

    def _on_message(self, message: bytes) -> None:
        self._bytes = message
        self._came.set()
