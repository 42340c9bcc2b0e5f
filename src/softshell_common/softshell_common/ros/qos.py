"""Quality of service of the topics, by what flows on them."""

from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    QoSProfile,
    ReliabilityPolicy,
    qos_profile_sensor_data,
)

__all__ = ['COMMAND', 'LATCHED', 'ORDERS', 'RECORDED', 'SENSOR_CONSUMER', 'STATE']

#: A command: reliable, only the newest counts.
COMMAND = QoSProfile(
    depth=1, history=HistoryPolicy.KEEP_LAST, reliability=ReliabilityPolicy.RELIABLE
)

#: A command that is answered by its id: none of them may be lost.
ORDERS = QoSProfile(
    depth=32, history=HistoryPolicy.KEEP_LAST, reliability=ReliabilityPolicy.RELIABLE
)

#: A state that late joiners need at once: robot description, bridge status, modes. Two changes may
#: come in one control step, and neither may be lost.
LATCHED = QoSProfile(
    depth=10,
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
