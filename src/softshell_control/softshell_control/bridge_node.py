"""The ROS node around a bridge, whatever its backend: wiring, and the control loop's thread."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import Odometry
from rclpy.clock import Clock as RosClock
from rclpy.clock import ClockType
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory

from softshell_common.errors import SoftshellError
from softshell_common.parameters import declare, parameter
from softshell_common.qos import COMMAND, LATCHED, STATE
from softshell_control import messages
from softshell_control.backend import Backend
from softshell_control.bridge import BridgeCore, Status
from softshell_control.follower import FollowerSettings
from softshell_control.gate import limits_of
from softshell_control.joint_map import JointMap
from softshell_control.pacing import Pacer
from softshell_description.expand import robot_urdf
from softshell_description.model import RobotModel, load_robot
from softshell_interfaces.msg import BridgeStatus

try:
    from geometry_msgs.msg import TransformStamped
    from tf2_msgs.msg import TFMessage
except ImportError:
    TFMessage = None

REPORT_PERIOD = 1.0  # [s] of wall time


@dataclass(frozen=True)
class BridgeParameters:
    """Parameters of every bridge."""

    control_period: float = parameter(0.004, 'control period [s]', 0.001, 0.1)
    real_time_factor: float = parameter(
        1.0, 'clock over wall time; 0: as fast as possible', 0.0, 100.0, live=True
    )
    publish_divider: int = parameter(2, 'joint_states and odom each n-th control step', 1, 1000)
    goal_tolerance: float = parameter(
        0.06, 'largest joint error at which a goal is reached [rad]', 0.0, 1.0
    )
    goal_timeout: float = parameter(
        2.0, 'after the end of a trajectory, for the joints to arrive [s]', 0.0, 60.0
    )
    command_timeout: float = parameter(
        0.5, 'after the end of a trajectory, until the bridge holds [s]', 0.0, 60.0
    )
    acceleration_limit: float = parameter(
        150.0, 'of every joint command in the safety gate [rad/s^2]', 1.0, 1e5
    )
    velocity_scale: float = parameter(
        0.95, 'part of the motors speed that a command may ask for', 0.01, 1.0
    )


class BridgeNode(Node):
    """A bridge on the wire.

    Args:
        make_backend: makes the backend from robot and parameters.
        kind: the parameter dataclass, `BridgeParameters` or one made from it.
        apply: takes backend and parameters after live ones were set; runs between control steps.
        arguments: further arguments of `Node`.
    """

    def __init__(
        self,
        make_backend: Callable[[RobotModel, Any], Backend],
        kind: type[BridgeParameters] = BridgeParameters,
        apply: Callable[[Any, Any], None] | None = None,
        **arguments: Any,
    ) -> None:
        super().__init__('bridge', **arguments)
        self._apply = apply
        self._changed: BridgeParameters | None = None
        self._bridge_parameters = declare(self, kind, self._on_change)
        self._robot = load_robot()
        self._core = self._make_core(make_backend)
        self._names = JointMap.of(self._robot).names
        self._factor = 0.0
        self._problem: Exception | None = None
        self._stop = Event()
        self._advertise()
        self.create_subscription(JointTrajectory, 'joint_trajectory', self._on_trajectory, COMMAND)
        steady = RosClock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(0.2, self._watch, clock=steady)
        self._thread = Thread(target=self._run, name='control loop', daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the control loop and let go of the backend."""
        self._stop.set()
        self._thread.join(timeout=5.0)
        self._core.backend.close()

    def _make_core(self, make_backend: Callable[[RobotModel, Any], Backend]) -> BridgeCore:
        parameters = self._bridge_parameters
        limits = limits_of(self._robot, parameters.acceleration_limit, parameters.velocity_scale)
        settings = FollowerSettings(
            parameters.goal_tolerance, parameters.goal_timeout, parameters.command_timeout
        )
        backend = make_backend(self._robot, parameters)
        return BridgeCore(backend, limits, parameters.control_period, settings)

    def _advertise(self) -> None:
        self._clock_message = Clock()
        self._joints = messages.JointStateMessage(self._names)
        self._odometry = messages.OdometryMessage()
        self._imu = messages.ImuMessage()
        self._clock_publisher = self.create_publisher(Clock, '/clock', STATE)
        self._joint_publisher = self.create_publisher(JointState, 'joint_states', STATE)
        self._odometry_publisher = self.create_publisher(Odometry, 'odom', STATE)
        self._imu_publisher = self.create_publisher(Imu, 'imu', STATE)
        self._status_publisher = self.create_publisher(BridgeStatus, 'bridge_status', LATCHED)
        self._diagnostics_publisher = self.create_publisher(DiagnosticArray, 'diagnostics', STATE)
        description = self.create_publisher(String, 'robot_description', LATCHED)
        description.publish(String(data=robot_urdf()))
        self._transform_publisher = None
        if TFMessage is not None:
            self._transform_publisher = self.create_publisher(TFMessage, '/tf', STATE)
            self._transform = TransformStamped(child_frame_id='base_link')
            self._transform.header.frame_id = 'odom'
            self._transforms = TFMessage(transforms=[self._transform])

    def _on_trajectory(self, message: JointTrajectory) -> None:
        checked = messages.read_trajectory(message, self._robot.joint_names, self._core.now)
        self._core.offer(checked)

    def _on_change(self, parameters: BridgeParameters) -> None:
        self._changed = parameters

    def _watch(self) -> None:
        """Bring an error of the control loop to the main thread, where it ends the process."""
        if self._problem is not None:
            raise SoftshellError(f'the control loop ended: {self._problem!r}') from self._problem

    def _run(self) -> None:
        try:
            self._loop()
        except Exception as error:
            if not self._stop.is_set():
                self._problem = error

    def _loop(self) -> None:
        core, divider = self._core, self._bridge_parameters.publish_divider
        pacer = Pacer(core.period, self._bridge_parameters.real_time_factor)
        self._publish_status(core.status())
        report_due = time.monotonic() + REPORT_PERIOD
        step = 0
        while not self._stop.is_set():
            if self._changed is not None:
                self._take_parameters(pacer)
            for status in core.tick():
                self._publish_status(status)
            messages.set_stamp(self._clock_message.clock, core.now)
            self._clock_publisher.publish(self._clock_message)
            step += 1
            if step % divider == 0:
                self._publish_measured()
            if time.monotonic() >= report_due:
                report_due = time.monotonic() + REPORT_PERIOD
                self._publish_reports(pacer)
            pacer.wait()

    def _take_parameters(self, pacer: Pacer) -> None:
        parameters, self._changed = self._changed, None
        assert parameters is not None
        pacer.factor = parameters.real_time_factor
        if self._apply is not None:
            self._apply(self._core.backend, parameters)

    def _publish_measured(self) -> None:
        measured, now = self._core.measured, self._core.now
        self._joint_publisher.publish(self._joints.fill(measured, now))
        self._odometry_publisher.publish(self._odometry.fill(measured, now))
        self._imu_publisher.publish(self._imu.fill(measured, now))
        if self._transform_publisher is not None:
            messages.set_stamp(self._transform.header.stamp, now)
            transform = self._transform.transform
            messages.set_vector(transform.translation, measured.base_position)
            messages.set_quaternion(transform.rotation, measured.base_orientation)
            self._transform_publisher.publish(self._transforms)

    def _publish_reports(self, pacer: Pacer) -> None:
        pace = pacer.report()
        if pace is None:
            return
        self._factor = pace.real_time_factor
        status = self._core.status()
        self._publish_status(status)
        self._diagnostics_publisher.publish(
            messages.diagnostics_message(
                self.get_fully_qualified_name(),
                self._core.backend.name,
                status,
                pace,
                pacer.factor,
                self._core.now,
            )
        )

    def _publish_status(self, status: Status) -> None:
        self._status_publisher.publish(
            messages.status_message(
                status, self._core.backend.name, self._core.now, self._core.period, self._factor
            )
        )
