"""What `dynamic_joint_states` tells of motors, in the words of ros2_control; needs no ROS."""

from typing import Any

TOPIC = 'dynamic_joint_states'
TEMPERATURE = 'temperature'


def temperatures_of(message: Any) -> dict[str, float]:
    """Temperatures that a message tells [°C], by joint; others may tell more than we do.

    Args:
        message: a DynamicJointState, of rclpy or of rosbags: they have the same fields.
    """
    return {
        name: float(value)
        for name, told in zip(message.joint_names, message.interface_values, strict=False)
        for interface, value in zip(told.interface_names, told.values, strict=False)
        if interface == TEMPERATURE
    }
