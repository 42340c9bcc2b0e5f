"""A topic as recordings know it; needs no ROS."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Topic:
    """What a topic carries, and what its publishers promise.

    Args:
        name: with its namespace.
        kind: of its messages, e.g. std_msgs/msg/String.
        reliable: every message arrives.
        latched: who comes late gets the last ones (durability transient local).
    """

    name: str
    kind: str
    reliable: bool = True
    latched: bool = False


@dataclass(frozen=True, eq=False)
class Message:
    """One message, as it came over the wire.

    Args:
        topic: it was sent on.
        stamp: when it was received [ns, wall].
        data: serialised.
    """

    topic: Topic
    stamp: int
    data: bytes
