"""Names in `dynamic_joint_states` that tell of motors, as ros2_control has them; needs no ROS."""

from typing import Any

TOPIC = 'dynamic_joint_states'
TEMPERATURE = 'temperature'


def temperatures_of(message: Any) -> dict[str, float]:
    """Temperatures in a message [°C], by joint; its other interfaces are left out.

    Args:
        message: a DynamicJointState, of rclpy or of rosbags: they have the same fields.
    """
    return {
        name: float(value)
        for name, told in zip(message.joint_names, message.interface_values, strict=False)
        for interface, value in zip(told.interface_names, told.values, strict=False)
        if interface == TEMPERATURE
    }
