"""The latest messages, kept in memory; needs no ROS."""

from collections import deque
from threading import Lock

from softshell_recording.topic import Message, Topic

#: So many messages of a latched topic are kept, however old: one may not hold all that is latched.
LATCHED_DEPTH = 10


class Memory:
    """The messages of the last `duration`; any thread may use it.

    Older latched messages are kept as well, since the others cannot be understood without them.

    Args:
        duration: how long messages are kept [s].
        most: most bytes of messages that are kept; the oldest go first.
    """

    def __init__(self, duration: float, most: int) -> None:
        self._duration, self._most = round(duration * 1e9), most
        self._messages: deque[Message] = deque()
        self._latched: dict[Topic, deque[Message]] = {}
        self._size = 0
        self._lock = Lock()

    @property
    def size(self) -> int:
        """Bytes of the messages, without older latched ones."""
        return self._size

    def add(self, message: Message) -> None:
        """Keep a message that is not older than those before it."""
        with self._lock:
            self._messages.append(message)
            self._size += len(message.data)
            while self._messages and (
                self._messages[0].stamp < message.stamp - self._duration or self._size > self._most
            ):
                self._forget()

    def messages(self) -> list[Message]:
        """All messages that are kept: older latched ones first, then the others, by time."""
        with self._lock:
            before = [message for kept in self._latched.values() for message in kept]
            return sorted(before, key=lambda message: message.stamp) + list(self._messages)

    def _forget(self) -> None:
        """Drop the oldest message; a latched one stays among the older ones."""
        oldest = self._messages.popleft()
        self._size -= len(oldest.data)
        if oldest.topic.latched:
            kept = self._latched.setdefault(oldest.topic, deque(maxlen=LATCHED_DEPTH))
            kept.append(oldest)
