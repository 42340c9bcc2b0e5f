"""The topic `dynamic_joint_states`: what is known of motors beyond how their joints move.

The topic and its names are those of ros2_control's joint_state_broadcaster, where a joint has all
values that its hardware measures.
"""

from array import array

from rclpy.node import Node
from rclpy.publisher import Publisher

from softshell_common.ros.qos import STATE
from softshell_control.backend import Measured
from softshell_control.motor_interfaces import TEMPERATURE, TOPIC
from softshell_control.ros.messages import set_stamp

try:
    from control_msgs.msg import DynamicJointState, InterfaceValue
except ImportError:
    DynamicJointState = None

#: The class of its messages; None without control_msgs.
MESSAGE = DynamicJointState


class MotorStates:
    """Publishes the temperature of each motor [°C]; NaN if it is not known.

    There is no topic before temperatures are measured, and none without control_msgs.

    Args:
        node: publishes.
        names: of the joints that motors drive.
        measured: what was measured so far.
    """

    def __init__(self, node: Node, names: tuple[str, ...], measured: Measured) -> None:
        self._node, self._names = node, names
        self._publisher: Publisher | None = None
        self._advertise(measured)

    def publish(self, measured: Measured) -> None:
        """Send what was measured."""
        self._advertise(measured)
        if self._publisher is None or measured.temperature is None:
            return
        temperatures = measured.temperature[: len(self._names)].tolist()
        for value, temperature in zip(self._message.interface_values, temperatures, strict=True):
            value.values = array('d', (temperature,))
        set_stamp(self._message.header.stamp, measured.stamp)
        self._publisher.publish(self._message)

    def _advertise(self, measured: Measured) -> None:
        if DynamicJointState is None or measured.temperature is None or self._publisher:
            return
        self._publisher = self._node.create_publisher(DynamicJointState, TOPIC, STATE)
        values = [InterfaceValue(interface_names=[TEMPERATURE]) for _ in self._names]
        self._message = DynamicJointState(joint_names=list(self._names), interface_values=values)
