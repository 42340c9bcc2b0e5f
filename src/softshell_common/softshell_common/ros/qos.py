"""Quality-of-service profiles, by what a topic or service carries."""

from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    QoSProfile,
    ReliabilityPolicy,
    qos_profile_sensor_data,
)

__all__ = [
    'ACTION',
    'ACTION_SERVER',
    'CHANGES',
    'CHANGES_CONSUMER',
    'COMMAND',
    'LATCHED',
    'ORDERS',
    'PICTURES',
    'RECORDED',
    'SENSOR_CONSUMER',
    'SERVICE',
    'STATE',
]

#: A command of which only the newest counts.
COMMAND = QoSProfile(
    depth=1, history=HistoryPolicy.KEEP_LAST, reliability=ReliabilityPolicy.RELIABLE
)

#: Commands that are answered by their id: none may be lost.
ORDERS = QoSProfile(
    depth=5000, history=HistoryPolicy.KEEP_LAST, reliability=ReliabilityPolicy.RELIABLE
)

#: Requests of a service and their answers: none may be lost. By default ROS keeps ten and drops
#: the rest without a message.
SERVICE = QoSProfile(history=HistoryPolicy.KEEP_ALL, reliability=ReliabilityPolicy.RELIABLE)

#: Keyword arguments that give the three services of an action's server or client this profile.
ACTION = {f'{name}_service_qos_profile': SERVICE for name in ('goal', 'result', 'cancel')}

#: The same for a server, which forgets a goal so long after its end [s], as servers in C++ do. By
#: default rclpy keeps every goal for 900 s, and with each change of one it sends the state of all.
ACTION_SERVER = {**ACTION, 'result_timeout': 10}

#: A state whose last value a late subscriber gets at once: robot description, posture.
LATCHED = QoSProfile(
    depth=1,
    history=HistoryPolicy.KEEP_LAST,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)

#: A state whose last changes a late subscriber gets at once, for its publisher. What it keeps it
#: keeps for ever, and every late subscriber has to work through it before it knows what is true
#: now: 0.09 s for 1000 changes, 0.5 s for the 5000 that subscribers take. What it no longer keeps
#: it cannot send again to a subscriber that stood still: at 2000 changes a second, the most that
#: one makes, 0.5 s; of 200 some were lost on a busy machine. Of a bridge they are not changes
#: alone: a report comes every second as well, so the oldest of a robot at rest is 17 min old.
CHANGES = QoSProfile(
    depth=1000,
    history=HistoryPolicy.KEEP_LAST,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)

#: The same for subscribers that miss none of them, however many come while they are busy.
CHANGES_CONSUMER = QoSProfile(
    depth=5000,
    history=HistoryPolicy.KEEP_LAST,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)

#: A stream of measurements, for its publisher. Recorders miss nothing if they stand still for less
#: time than these take: a simulation without pause sends 2000 a second on a topic.
STATE = QoSProfile(
    depth=200, history=HistoryPolicy.KEEP_LAST, reliability=ReliabilityPolicy.RELIABLE
)

#: A stream of pictures, for its publisher, of which few are kept, as they are large.
PICTURES = QoSProfile(
    depth=10, history=HistoryPolicy.KEEP_LAST, reliability=ReliabilityPolicy.RELIABLE
)

#: A stream of measurements, for a recorder: messages that come while it is busy wait.
RECORDED = QoSProfile(
    depth=5000, history=HistoryPolicy.KEEP_LAST, reliability=ReliabilityPolicy.RELIABLE
)

#: A stream of measurements, for every other subscriber.
SENSOR_CONSUMER = qos_profile_sensor_data
