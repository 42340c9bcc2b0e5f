"""Quality of service of the topics, by what flows on them."""

from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    QoSProfile,
    ReliabilityPolicy,
    qos_profile_sensor_data,
)

__all__ = [
    'ACTION',
    'CHANGES',
    'COMMAND',
    'LATCHED',
    'ORDERS',
    'RECORDED',
    'SENSOR_CONSUMER',
    'SERVICE',
    'STATE',
]

#: A command: reliable, only the newest counts.
COMMAND = QoSProfile(
    depth=1, history=HistoryPolicy.KEEP_LAST, reliability=ReliabilityPolicy.RELIABLE
)

#: A command that is answered by its id: none of them may be lost.
ORDERS = QoSProfile(
    depth=5000, history=HistoryPolicy.KEEP_LAST, reliability=ReliabilityPolicy.RELIABLE
)

#: Requests and their answers: ROS keeps ten and drops the rest in silence; none may be lost.
SERVICE = QoSProfile(history=HistoryPolicy.KEEP_ALL, reliability=ReliabilityPolicy.RELIABLE)

#: The same for the services of an action's server or client, as keyword arguments.
ACTION = {f'{name}_service_qos_profile': SERVICE for name in ('goal', 'result', 'cancel')}

#: A state that late joiners need at once: robot description, posture.
LATCHED = QoSProfile(
    depth=1,
    history=HistoryPolicy.KEEP_LAST,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)

#: A state of which late joiners need the last, and those who are there every change.
CHANGES = QoSProfile(
    depth=5000,
    history=HistoryPolicy.KEEP_LAST,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)

#: A measured stream, as its publisher offers it.
STATE = QoSProfile(
    depth=10, history=HistoryPolicy.KEEP_LAST, reliability=ReliabilityPolicy.RELIABLE
)

#: A measured stream, as a recorder asks for it: what comes while it is busy waits for it.
RECORDED = QoSProfile(
    depth=5000, history=HistoryPolicy.KEEP_LAST, reliability=ReliabilityPolicy.RELIABLE
)

#: A measured stream, as its consumers ask for it.
SENSOR_CONSUMER = qos_profile_sensor_data
