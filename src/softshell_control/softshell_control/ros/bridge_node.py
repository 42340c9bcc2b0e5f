"""The ROS node around a bridge, whatever its backend: wiring, and the control loop's thread."""

import inspect
import sys
import time
import traceback
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any

from rclpy.clock import Clock as RosClock
from rclpy.clock import ClockType
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory

from softshell_common.bridge_mode import BridgeMode
from softshell_common.goal_state import GoalState
from softshell_common.reason import ReasonCode
from softshell_common.ros.parameters import declare
from softshell_common.ros.qos import CHANGES, LATCHED, ORDERS, STATE
from softshell_common.shown import shown
from softshell_control.backend import Backend, BaseState, StopPolicy
from softshell_control.bridge import BridgeCore
from softshell_control.channel import limits_of
from softshell_control.estimates.base_estimate import BaseEstimate
from softshell_control.fault import reason_of
from softshell_control.footing.footing import Footing
from softshell_control.joint_map import JointMap
from softshell_control.pacing import Pacer, StackClock
from softshell_control.ros import messages
from softshell_control.ros.bridge_parameters import BridgeParameters
from softshell_control.ros.controller_input import ControllerInput
from softshell_control.ros.fingers import FingerInput
from softshell_control.ros.follow_joint_trajectory import FollowJointTrajectoryServer
from softshell_control.ros.lifecycle import Lifecycle
from softshell_control.ros.reports import Reports
from softshell_control.ros.streams import Streams
from softshell_control.ros.time_control import TimeControl
from softshell_control.ros.transform_stream import HAS_MESSAGE, TransformStream
from softshell_control.status import Status
from softshell_control.trajectories.check import Request, check_trajectory
from softshell_control.trajectories.follower import FollowerSettings
from softshell_control.trajectories.goal_event import GoalEvent
from softshell_control.trajectories.trajectory import NANOSECONDS, UNNAMED, Identity
from softshell_description.model import RobotModel
from softshell_description.ros.robot_parameter import declare_robot
from softshell_interfaces.msg import BridgeStatus, TrajectoryCommand
from softshell_kinematics.errors import SoftshellError

REPORT_PERIOD = 1.0  # [s] of wall time
#: Longest waits for the end of the control loop, before and after it is hurried [s].
BRIEF, PATIENCE = 0.5, 5.0


class BridgeNode(Node):
    """The ROS node of a bridge.

    Args:
        make_backend: makes the backend from robot and parameters.
        kind: gives the class of the parameters for a robot: `BridgeParameters` or a subclass.
        arguments: further arguments of `Node`.
    """

    def __init__(
        self,
        make_backend: Callable[[RobotModel, Any], Backend],
        kind: Callable[[RobotModel], type[BridgeParameters]] = lambda robot: BridgeParameters,
        **arguments: Any,
    ) -> None:
        super().__init__('bridge', **arguments)
        self._robot = declare_robot(self)
        # First of all, for nodes that start beside this one and need to know the robot.
        description = self.create_publisher(String, 'robot_description', LATCHED)
        description.publish(String(data=self._robot.urdf_text))
        self._changes: SimpleQueue[BridgeParameters] = SimpleQueue()
        self._settings = declare(self, kind(self._robot), self._changes.put)
        self._core = self._make_core(make_backend)
        self._factor, self._stopped, self._stop = 0.0, '', Event()
        self._told: GoalEvent | None = None
        self._report_due = time.monotonic() + REPORT_PERIOD
        self._transforms_due = self._periods = 0
        self._problem: Exception | None = None
        self._advertise()
        if self._settings.activate:
            self._core.request(self._core.activate).add_done_callback(self._on_activated)
        steady = RosClock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(0.2, self._watch, clock=steady)
        # rclpy's log does this at its first line: it reads the file of every module. Beside a
        # control loop that never rests that took 10 s, so it is done before the loop starts.
        inspect.getframeinfo(sys._getframe())
        self._thread = Thread(target=self._run, name='control loop', daemon=True)
        # Once the node is spun: by then whoever made it can close it, whatever happens.
        self._starter = self.create_timer(0.0, self._start, clock=steady)

    def _start(self) -> None:
        self._starter.cancel()
        self._thread.start()

    def hurry(self) -> None:
        """Let a service that is waited for be given up: the bridge is to end."""
        self._core.ending = True

    def begin_ending(self) -> None:
        """Ask the control loop to end all goals, and to report that the bridge is ending."""
        self._farewell = self._core.request(self._core.end, stops=True)

    def is_ending(self) -> bool:
        """Whether that report is still to come, or an action's goal has not ended yet."""
        return not self._farewell.done() or self._action.busy

    def close(self) -> None:
        """End the control loop and close the backend.

        Raises:
            SoftshellError: the loop does not end, so that the backend is not touched; or by the
                backend.
        """
        self._lifecycle.close()
        self._stop.set()
        for hurry, wait in ((lambda: None, BRIEF), (self._core.backend.interrupt, PATIENCE)):
            if self._thread.is_alive():
                hurry()
                self._thread.join(wait)
        if self._thread.is_alive():
            raise SoftshellError(
                f'the control loop has not ended within {BRIEF + PATIENCE:g} s; '
                f'{self._core.backend.name} is left as it is'
            )
        self._core.backend.close()

    def _make_core(self, make_backend: Callable[[RobotModel, Any], Backend]) -> BridgeCore:
        parameters = self._settings
        backend = make_backend(self._robot, parameters)
        core = BridgeCore(
            backend,
            limits_of(
                self._robot,
                parameters.acceleration_limit,
                parameters.velocity_scale,
                parameters.linear_acceleration_limit,
                parameters.position_margin,
            ),
            parameters.control_period,
            FollowerSettings(
                parameters.goal_timeout, parameters.command_timeout, parameters.relax_timeout
            ),
            StopPolicy(parameters.stop_policy),
            0 if backend.owns_time else self.get_clock().now().nanoseconds,
        )
        if self._robot.legs is not None:
            core.following.footing = Footing(self._robot, core.limits)
            core.following.on = parameters.footing
        return core

    def _advertise(self) -> None:
        core, robot = self._core, self._robot
        joint_map = JointMap.of(robot)
        names = joint_map.names
        core.measured.check(len(core.channels), len(names))
        self._clock_publisher = (
            self.create_publisher(Clock, '/clock', STATE) if self._owns_time else None
        )
        self._clock_message = Clock()
        self._estimate = BaseEstimate(robot, self._settings.estimate_odom)
        self._base: BaseState | None = None
        self._streams = Streams(self, robot, names, core.measured)
        self._transforms = None
        if not HAS_MESSAGE:
            self.get_logger().info('tf2_msgs is not installed: /tf is not published')
        elif self._settings.publish_tf:
            self._transforms = TransformStream(self, robot, names)
        self._status = self.create_publisher(BridgeStatus, 'bridge_status', CHANGES)
        self._reports = Reports(self, core, names[: joint_map.driven])
        self.create_subscription(TrajectoryCommand, 'trajectory_command', self._on_command, ORDERS)
        self.create_subscription(JointTrajectory, 'joint_trajectory', self._on_trajectory, ORDERS)
        self._controllers = ControllerInput(self, robot, core)
        self._fingers = FingerInput(self, robot, core, self._offer)
        self._action = FollowJointTrajectoryServer(self, core, self.now)
        self._lifecycle = Lifecycle(self, core, self._begin_anew)
        self._time_control = TimeControl(self, core) if self._owns_time else None

    @property
    def _owns_time(self) -> bool:
        return self._core.backend.owns_time

    def now(self) -> int:
        """The bridge's clock [ns]: that of the backend, or the wall's."""
        return self._core.now if self._owns_time else self.get_clock().now().nanoseconds

    def _on_command(self, message: TrajectoryCommand) -> None:
        self._offer(messages.read_command(message))

    def _on_trajectory(self, message: JointTrajectory) -> None:
        identity = Identity(UNNAMED, uuid.uuid4().bytes)
        self._offer(messages.read_trajectory(message, identity))

    def _offer(self, request: Request) -> None:
        self.get_logger().debug(
            f'trajectory of {shown(request.identity.sender)}: {len(request.names)} channels, '
            f'{len(request.times)} points{", queued" if request.queued else ""}'
        )
        self._core.offer(check_trajectory(request, self._core.limits.names, self.now()))

    def _on_activated(self, done: 'Future[str]') -> None:
        """Log why the joints are not driven from the start, as no service call reports it."""
        error = done.exception()
        if error is not None and not self._core.ending:
            self.get_logger().error(f'not activated: {error}')

    def _begin_anew(self) -> None:
        """Restart the estimate after a reset that put the robot back: only a simulated one."""
        if self._owns_time:
            self._estimate.restart()

    def _watch(self) -> None:
        """Bring an error of the control loop to the main thread, where it ends the process.

        Raises:
            SoftshellError: the control loop ended with an error.
        """
        if self._problem is not None:
            raise SoftshellError(f'the control loop ended: {self._problem!r}') from self._problem

    def _run(self) -> None:
        pacer = self._make_pacer()
        try:
            while not self._stop.is_set() and self.context.ok():
                try:
                    self._pass_period(pacer)
                except Exception as error:
                    self._latch(error)
                pacer.wait(idle=self._core.flow.stands_still)
        except Exception as error:
            if not self._stop.is_set():
                self._problem = error

    def _make_pacer(self) -> Pacer:
        """A pacer by the wall clock, or by the clock of the stack if `use_sim_time` is set."""
        if self._owns_time:
            return Pacer(self._core.period, self._settings.real_time_factor)
        if self.get_parameter('use_sim_time').value:
            clock = StackClock(lambda: self.now() / NANOSECONDS, self._stop.is_set)
            return Pacer(self._core.period, 1.0, clock.now, clock.wait_until)
        return Pacer(self._core.period, 1.0)

    def _pass_period(self, pacer: Pacer) -> None:
        """Let one control period pass, and publish what is due.

        The measurement comes last: if it cannot be published, all else still is.
        """
        core = self._core
        self._take_parameters(pacer)
        for status in core.tick(None if self._owns_time else self.now()):
            self._publish_status(status)
        self._action.on_period()
        if not self._periods:  # who waits for a status finds the joints driven, if they are to be
            self._publish_status(core.status())
        if self._clock_publisher is not None:
            messages.set_stamp(self._clock_message.clock, core.now)
            self._clock_publisher.publish(self._clock_message)
        if time.monotonic() >= self._report_due:
            self._report_due = time.monotonic() + REPORT_PERIOD
            self._publish_reports(pacer)
        in_force = core.command.value if core.driven else None
        measured, estimate = self._estimate.update(core.measured, in_force)
        self._base, stamp = measured.base, measured.stamp
        interval = round(NANOSECONDS / self._settings.tf_rate)
        # Only after the clock went back are they due later than one interval from now.
        if self._transforms is not None and not 0 < self._transforms_due - stamp <= interval:
            self._transforms_due = stamp + interval
            self._transforms.publish(measured)
        self._periods += 1
        if self._periods % self._settings.publish_divider == 0:
            # The end of the period in which it is in force: real joints get it only now.
            till = core.now + (0 if self._owns_time else round(core.period * NANOSECONDS))
            command = (core.command, till) if core.driven else None
            self._streams.publish(measured, estimate, command)
            self.publish_further()

    def publish_further(self) -> None:
        """Publish what only some bridges have; called as often as `joint_states` is published."""

    def _latch(self, error: Exception) -> None:
        """Make a fault of an error in a control period; it is logged once, the loop goes on."""
        stopped = self._core.mode in (BridgeMode.FAULT, BridgeMode.EMERGENCY_STOP)
        if stopped or self._stop.is_set() or not self.context.ok():
            return
        self.get_logger().error(f'a control period failed:\n{traceback.format_exc()}')
        self._core.fail(reason_of(error, ReasonCode.INTERNAL))
        self._publish_status(self._core.status())

    def _take_parameters(self, pacer: Pacer) -> None:
        if self._changes.empty():
            return
        parameters = self._changes.get_nowait()
        if self._owns_time:
            pacer.factor = parameters.real_time_factor
        before = self._core.mode
        self._core.apply(parameters)
        self._core.following.on = parameters.footing
        if self._core.mode is not before:
            self._publish_status(self._core.status())

    def _publish_reports(self, pacer: Pacer) -> None:
        if (pace := pacer.report()) is None:
            return
        wanted = pacer.factor
        if self._core.flow.paused:  # the loop goes on, but not its time
            pace, wanted = replace(pace, real_time_factor=0.0), 0.0
        self._factor = pace.real_time_factor
        self._publish_status(status := self._core.status())
        self._reports.publish(status, pace, wanted)

    def _tell_stop(self, status: Status) -> None:
        """Log once why the bridge has stopped."""
        stopped = status.mode in (BridgeMode.FAULT, BridgeMode.EMERGENCY_STOP)
        why = str(status.reasons[0]) if stopped and status.reasons else ''
        if why and why != self._stopped:
            self.get_logger().error(f'{status.mode.name}: {why}')
        self._stopped = why

    def _publish_status(self, status: Status) -> None:
        core = self._core
        self._status.publish(
            messages.status_message(
                status, core.backend.name, core.flow, core.period, self._factor, self._base
            )
        )
        self._action.on_status(status)
        goal = status.goal
        self._tell_stop(status)
        if goal is self._told:  # a report repeats the last change
            return
        self._told = goal
        about = f', trajectory of {shown(goal.identity.sender)} {goal.state.name}'
        self.get_logger().debug(
            f'{core.now / NANOSECONDS:.3f} s: {status.mode.name}'
            + (about if goal.state is not GoalState.NONE else '')
        )
        if goal.state is GoalState.REJECTED:
            self.get_logger().warning(
                f'trajectory of {shown(goal.identity.sender)} refused: {goal.reasons[0]}',
                throttle_duration_sec=1.0,
            )
