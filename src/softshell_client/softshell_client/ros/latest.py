"""The newest message of a topic."""

import contextlib
import threading
import time
from typing import Any

from rclpy.exceptions import InvalidHandle
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message

from softshell_common.ros.unattended import Unattended, never_called

#: Time between two checks while `wait` waits for a message [s].
LOOK_PERIOD = 0.02


class Latest:
    """Reads the newest message of a topic on request.

    The topic wakes no executor, and messages are decoded only on request: a stream that is not
    read costs almost nothing.

    Args:
        node: the node that subscribes.
        kind: type of the messages.
        name: name of the topic.
        profile: quality of service.
    """

    def __init__(self, node: Node, kind: type, name: str, profile: QoSProfile) -> None:
        self.name = name
        self._node, self._kind = node, kind
        self._bytes: bytes | None = None
        self._taken_at: float | None = None
        self._sent_at: int | None = None
        self._lock = threading.Lock()
        self._subscription = node.create_subscription(
            kind, name, never_called, profile, raw=True, callback_group=Unattended()
        )

    @property
    def message(self) -> Any:
        """The newest message; None before the first."""
        self._take()
        return None if self._bytes is None else deserialize_message(self._bytes, self._kind)

    @property
    def seen_at(self) -> float | None:
        """When the newest was taken, by `time.monotonic()` [s]; None before the first."""
        self._take()
        return self._taken_at

    @property
    def sent_at(self) -> int | None:
        """When the newest was sent, by its sender's wall clock [ns]; None before the first."""
        self._take()
        return self._sent_at

    def wait(self, timeout: float) -> bool:
        """Wait for the first message; returns False if none came within `timeout` [s, wall]."""
        end = time.monotonic() + timeout
        while self.seen_at is None:
            if time.monotonic() >= end or not self._node.context.ok():
                return False
            time.sleep(LOOK_PERIOD)
        return True

    def close(self) -> None:
        """Unsubscribe."""
        self._node.destroy_subscription(self._subscription)

    def _take(self) -> None:
        """Take all messages that have come since the last call; none if the node is closed."""
        handle = self._subscription.handle
        with self._lock, contextlib.suppress(InvalidHandle), handle:
            while (taken := handle.take_message(self._kind, True)) is not None:
                self._bytes, self._taken_at = taken[0], time.monotonic()
                self._sent_at = taken[1]['source_timestamp']
