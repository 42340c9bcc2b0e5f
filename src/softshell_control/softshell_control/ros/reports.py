"""What the bridge reports of itself and of its motors about once a second."""

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node

from softshell_common.ros.qos import STATE
from softshell_control.bridge import BridgeCore
from softshell_control.motor_interfaces import TOPIC
from softshell_control.pacing import Pace
from softshell_control.ros import messages
from softshell_control.ros.motor_states import MotorStates
from softshell_control.status import Status

#: A pace below this part of the wanted one, in so many reports in a row, is logged as a warning.
SLOW, PATIENCE = 0.9, 3


class Reports:
    """Publishes `diagnostics` and `dynamic_joint_states`, and logs when the loop is too slow.

    Args:
        node: publishes.
        core: of the bridge that is reported.
        names: of the joints that motors drive.
    """

    def __init__(self, node: Node, core: BridgeCore, names: tuple[str, ...]) -> None:
        self._node, self._core, self._names = node, core, names
        self._diagnostics = node.create_publisher(DiagnosticArray, 'diagnostics', STATE)
        self._behind = 0
        self._motors = MotorStates(node, names, core.measured)

    def publish(self, status: Status, pace: Pace, wanted_factor: float) -> None:
        """Publish both.

        Args:
            status: of the core.
            pace: of the control loop since the last report.
            wanted_factor: real-time factor that was asked for; 0: none.
        """
        self._tell_pace(pace.real_time_factor, wanted_factor)
        backend, measured = self._core.backend, self._core.measured
        further = messages.backend_values(backend, measured, self._names)
        message = messages.diagnostics_message(
            self._node.get_fully_qualified_name(), backend.name, status, pace, wanted_factor,
            further,
        )  # fmt: skip
        messages.set_stamp(message.header.stamp, self._core.now)
        self._diagnostics.publish(message)
        try:
            self._motors.publish(measured)
        except Exception as error:  # what only informs stops nothing
            text = f'{TOPIC} cannot be published: {type(error).__name__}: {error}'
            self._node.get_logger().warning(text, throttle_duration_sec=30.0)

    def _tell_pace(self, factor: float, wanted: float) -> None:
        """Log a warning if the loop does not keep up, at most every 30 s."""
        self._behind = self._behind + 1 if factor < SLOW * wanted else 0
        if self._behind >= PATIENCE:
            self._node.get_logger().warning(
                f'real-time factor {factor:.2f} of {wanted:.2f}: this machine is too slow or too '
                'busy',
                throttle_duration_sec=30.0,
            )
