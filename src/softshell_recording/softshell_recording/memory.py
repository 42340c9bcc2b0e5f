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
        most: most bytes of messages that are kept; the oldest go first, but for the last of each
            latched topic, unless these take more than half of it.
    """

    def __init__(self, duration: float, most: int) -> None:
        self._duration, self._most = round(duration * 1e9), most
        self._messages: deque[Message] = deque()
        self._latched: dict[Topic, deque[Message]] = {}
        self._size = self._older = 0
        self._lock = Lock()

    @property
    def size(self) -> int:
        """Bytes of the messages, those of older latched ones included."""
        return self._size

    def add(self, message: Message) -> None:
        """Keep a message that is not older than those before it."""
        with self._lock:
            self._messages.append(message)
            self._size += len(message.data)
            while self._messages and self._messages[0].stamp < message.stamp - self._duration:
                self._forget()
            while self._size > self._most:
                self._drop()

    def messages(self) -> list[Message]:
        """All messages that are kept: older latched ones first, then the others, by time."""
        with self._lock:
            before = [message for kept in self._latched.values() for message in kept]
            return sorted(before, key=lambda message: message.stamp) + list(self._messages)

    def _forget(self) -> None:
        """Drop the oldest message; a latched one stays among the older ones."""
        oldest = self._messages.popleft()
        if not oldest.topic.latched:
            self._size -= len(oldest.data)
            return
        kept = self._latched.setdefault(oldest.topic, deque())
        kept.append(oldest)
        self._older += len(oldest.data)
        if len(kept) > LATCHED_DEPTH:
            self._drop_latched(oldest.topic)

    def _drop(self) -> None:
        """Make room by one message.

        First those of the older latched ones go that others of their topic have followed, then
        the oldest of the others; if the last of all topics take more than half, the oldest of
        these.
        """
        followed = [topic for topic, kept in self._latched.items() if len(kept) > 1]
        if not followed and self._messages and 2 * self._older <= self._most:
            self._forget()
            return
        topics = followed or [*self._latched]
        topic = min(topics, key=lambda topic: self._latched[topic][0].stamp)
        self._drop_latched(topic)

    def _drop_latched(self, topic: Topic) -> None:
        """Drop the oldest of the older messages of a latched topic."""
        kept = self._latched[topic]
        size = len(kept.popleft().data)
        self._size -= size
        self._older -= size
        if not kept:
            del self._latched[topic]
