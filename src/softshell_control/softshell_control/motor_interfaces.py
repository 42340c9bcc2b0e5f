"""Names that tell of motors in `dynamic_joint_states` and in `diagnostics`; needs no ROS.

Those in `dynamic_joint_states` are as ros2_control has them.
"""

from typing import Any

TOPIC = 'dynamic_joint_states'
TEMPERATURE = 'temperature'
#: Keys of the bridge's diagnostics: of the hottest motor, and the lowest voltage.
HOTTEST, VOLTAGE = 'highest temperature', 'voltage'


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
