"""The robot as a program sees it: actions, velocities, postures, the bridge, where it is."""

import math
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self

import numpy as np
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.context import Context
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from softshell_client.bridge import BridgeState
from softshell_client.errors import ActionFailedError, RequestRefusedError
from softshell_client.ros import messages
from softshell_client.ros.connection import Connection
from softshell_client.ros.latest import Latest
from softshell_client.ros.peer import Peer
from softshell_common.outcome import Status
from softshell_common.ros import qos
from softshell_interfaces.action import ExecuteAction
from softshell_interfaces.msg import ActionDescription, BridgeStatus
from softshell_interfaces.srv import ListActions, SetBodyPose
from softshell_kinematics.arrays import Array

#: Called with the name of the running sub-action and the progress from 0 to 1.
OnFeedback = Callable[[str, float], None]

BRIDGE_REQUESTS = ('activate', 'deactivate', 'clear_fault', 'emergency_stop', 'reset')


class Shell:
    """The robot, as a program sees it; a context manager.

    Any thread may use it, but a callback of `node` must not wait for an answer.

    Args:
        namespace: of the stack.
        timeout: longest wait for a node of the stack to appear [s, wall].
        context: an initialised rclpy context; default one of its own.

    Attributes:
        node: for topics and services of your own; a thread spins it.

    Raises:
        SoftshellError: no action manager within `timeout`.
    """

    def __init__(
        self, namespace: str = '', timeout: float = 10.0, context: Context | None = None
    ) -> None:
        self._connection = Connection(namespace, timeout, context)
        self.node = node = self._connection.node
        self._action = ActionClient(node, ExecuteAction, 'execute_action')
        self._list = node.create_client(ListActions, 'list_actions')
        self._body_pose = node.create_client(SetBodyPose, 'set_body_pose')
        self._requests = {
            name: node.create_client(Trigger, f'bridge/{name}') for name in BRIDGE_REQUESTS
        }
        self._cmd_vel = node.create_publisher(Twist, 'cmd_vel', qos.COMMAND)
        self._odometry = Latest(node, Odometry, 'odom', qos.SENSOR_CONSUMER)
        self._joint_states = Latest(node, JointState, 'joint_states', qos.SENSOR_CONSUMER)
        self._status = Latest(node, BridgeStatus, 'bridge_status', qos.LATCHED)
        self._bridge = Peer(node, 'bridge_status', 'bridge')
        self._manager = Peer(
            node, 'execute_action/_action/status', 'action manager', needs=self._bridge
        )
        self._connection.spin()
        try:
            self._connection.find(self._manager, self._action.server_is_ready)
        except BaseException:
            self.close()
            raise

    def perform(
        self, name: str, on_feedback: OnFeedback | None = None, /, **parameters: float
    ) -> float:
        """Perform an action and wait for its end.

        Ctrl-C cancels it: the robot comes to rest at the end of a sub-action, and the action then
        fails with status CANCELED. A second Ctrl-C does not wait for that.

        Args:
            name: of the action.
            on_feedback: called as it goes on.
            parameters: of the action, in its units.

        Returns:
            How long it took on the ROS clock [s].

        Raises:
            ActionFailedError: it did not succeed.
            ServerGoneError: the action manager or the bridge ended before the action did.
            SoftshellError: there is no action manager.
        """
        goal = messages.action_goal(name, parameters)
        handles: list[ClientGoalHandle] = []
        interrupted = threading.Event()

        def feedback(message: Any) -> None:
            if on_feedback is not None:
                on_feedback(message.feedback.sub_action, message.feedback.progress)

        def cancel() -> None:
            for handle in handles:
                handle.cancel_goal_async()

        async def execute() -> ExecuteAction.Result:
            handle = await self._action.send_goal_async(goal, feedback)
            if not handle.accepted:
                raise ActionFailedError(name, Status.NOT_READY, 'the action manager takes no goal')
            handles.append(handle)
            if interrupted.is_set():
                cancel()
            return (await handle.get_result_async()).result

        self._connection.find(self._manager, self._action.server_is_ready)
        check = self._manager.watch(name)
        question = self._connection.asker.ask(execute)
        try:
            result = question.answer(check)
        except KeyboardInterrupt:
            interrupted.set()
            self._connection.asker.do(cancel)
            result = question.answer(check)
        status = Status(result.outcome.status)
        if status is not Status.SUCCEEDED:
            raise ActionFailedError(name, status, result.outcome.message)
        return result.duration

    def actions(self) -> Sequence[ActionDescription]:
        """The actions there are.

        Raises:
            ServerGoneError: the action manager ended before it answered.
            SoftshellError: there is no action manager, or it did not answer in time.
        """
        request = ListActions.Request()
        return self._connection.call(self._manager, self._list, request, in_time=True).actions

    def set_body_pose(
        self,
        z: float,
        *,
        x: float = 0.0,
        y: float = 0.0,
        yaw: float = 0.0,
        pitch: float = 0.0,
        roll: float = 0.0,
    ) -> None:
        """Bring the base to a pose over its feet, and wait until it is there.

        Args:
            z: height over the ground of the feet [m].
            x, y: forward and to the left of the middle of the feet [m].
            yaw, pitch, roll: [rad]; positive pitch is nose down, positive roll right side down.

        Raises:
            ActionFailedError: the pose was refused or not reached.
            ServerGoneError: the action manager ended before the base was there.
            SoftshellError: there is no action manager.
        """
        request = messages.body_pose_request((x, y, z, yaw, pitch, roll))
        outcome = self._connection.call(self._manager, self._body_pose, request).outcome
        if outcome.status != Status.SUCCEEDED:
            raise ActionFailedError('set_body_pose', Status(outcome.status), outcome.message)

    def drive(self, x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> None:
        """Command a velocity; it holds for the action manager's command timeout.

        Args:
            x, y: forward and to the left [m/s].
            yaw: turning to the left [rad/s].

        Raises:
            SoftshellError: ROS was shut down, or this is closed.
        """
        self._connection.asker.check()
        self._cmd_vel.publish(messages.twist(x, y, yaw))

    def bridge(self) -> BridgeState:
        """What the bridge reported last.

        Raises:
            SoftshellError: no report within `timeout`.
        """
        return messages.bridge_state(
            self._connection.first(self._status, self._connection.timeout)
        )

    def activate(self) -> str:
        """Have the bridge drive the joints. Returns what it says; raises as `emergency_stop`."""
        return self._request('activate')

    def deactivate(self) -> str:
        """Have the bridge let go of the joints. Returns and raises as `emergency_stop`."""
        return self._request('deactivate')

    def clear_fault(self) -> str:
        """Have the bridge leave a fault. Returns what it says; raises as `emergency_stop`."""
        return self._request('clear_fault')

    def emergency_stop(self) -> str:
        """Have the bridge stop at once; `reset` ends that.

        Returns:
            What the bridge says.

        Raises:
            RequestRefusedError: it refused.
            ServerGoneError: it ended before it answered.
            SoftshellError: there is none, or it did not answer in time.
        """
        return self._request('emergency_stop')

    def reset(self) -> str:
        """Have the bridge leave an emergency stop. Returns and raises as `emergency_stop`."""
        return self._request('reset')

    def wait_for_odometry(self, timeout: float = 10.0) -> None:
        """Return once `position`, `orientation` and `yaw` are known; a mock may not know them.

        Raises:
            SoftshellError: not within `timeout` [s, wall].
        """
        hint = 'is a bridge running, and one that knows where the base is?'
        self._connection.first(self._odometry, timeout, hint)

    def wait_for_joints(self, timeout: float = 10.0) -> None:
        """Return once `joints` and `time` are known.

        Raises:
            SoftshellError: not within `timeout` [s, wall].
        """
        self._connection.first(self._joint_states, timeout)

    @property
    def position(self) -> Array:
        """(3,) [m] the base in odom; NaN before the first odometry."""
        message = self._odometry.message
        if message is None:
            return np.full(3, np.nan)
        position = message.pose.pose.position
        return np.array([position.x, position.y, position.z])

    @property
    def orientation(self) -> Array:
        """(4,) quaternion x, y, z, w of the base in odom; NaN before the first odometry."""
        message = self._odometry.message
        if message is None:
            return np.full(4, np.nan)
        q = message.pose.pose.orientation
        return np.array([q.x, q.y, q.z, q.w])

    @property
    def yaw(self) -> float:
        """Heading of the base in odom, to the left, from -π to π [rad]; NaN before odometry."""
        message = self._odometry.message
        if message is None:
            return math.nan
        return float(messages.pose_coordinates(message.pose.pose)[3])

    @property
    def joints(self) -> dict[str, float]:
        """Measured position of each joint [rad] or [m]; empty before the first report."""
        message = self._joint_states.message
        return {} if message is None else dict(zip(message.name, message.position, strict=True))

    @property
    def time(self) -> float:
        """[s] on the ROS clock, of the newest joint states; NaN before the first."""
        message = self._joint_states.message
        return math.nan if message is None else messages.seconds(message.header.stamp)

    def close(self) -> None:
        """Leave; the robot's stack goes on."""
        self._connection.close(self._action.destroy)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _request(self, name: str) -> str:
        client, request = self._requests[name], Trigger.Request()
        answer = self._connection.call(self._bridge, client, request, in_time=True)
        if not answer.success:
            raise RequestRefusedError(name, answer.message)
        return answer.message
