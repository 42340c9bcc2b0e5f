"""A topic as recordings know it; needs no ROS."""

from dataclasses import dataclass

#: Prefix of the topics of emulated servos, which know more than their bridge: where there are any,
#: they are used instead.
TRUTH = 'ground_truth/'


@dataclass(frozen=True)
class Topic:
    """What a topic carries, and what its publishers promise.

    Args:
        name: with its namespace.
        kind: of its messages, e.g. std_msgs/msg/String.
        reliable: every message arrives.
        latched: late joiners get the last messages (durability transient local).
    """

    name: str
    kind: str
    reliable: bool = True
    latched: bool = False


@dataclass(frozen=True, eq=False)
class Message:
    """One message, serialised.

    Args:
        topic: on which it was sent.
        stamp: when it was received [ns, wall].
        data: serialised.
        sent: when it was sent, by its sender's clock [ns, wall]; None if that is unknown.
    """

    topic: Topic
    stamp: int
    data: bytes
    sent: int | None = None
