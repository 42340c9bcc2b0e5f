"""Move the robot from a program of your own.

with Shell() as shell:
    shell.perform('stand')
    shell.perform('walk', distance=0.5)
    print(shell.position)
"""

import math
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

import numpy as np
import rclpy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from numpy.typing import NDArray
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Task

from softshell_actions.performer import Status
from softshell_common import qos
from softshell_common.errors import SoftshellError
from softshell_interfaces.action import ExecuteAction
from softshell_interfaces.msg import ActionDescription, ActionParameter
from softshell_interfaces.srv import ListActions

#: Called with the name of the running sub-action and the progress from 0 to 1.
OnFeedback = Callable[[str, float], None]


class ActionFailedError(SoftshellError):
    """An action that did not succeed.

    Args:
        name: of the action.
        status: why.
        message: from the action manager.
    """

    def __init__(self, name: str, status: Status, message: str) -> None:
        self.name, self.status = name, status
        super().__init__(f'{name}: {status.name.lower().replace("_", " ")}: {message}')


class Shell:
    """The robot, as a program sees it; a context manager.

    Args:
        namespace: of the stack.
        timeout: longest wait for the action manager [s, wall].
        context: an initialised rclpy context; default one of its own.

    Attributes:
        node: for topics and services of your own; a thread spins it.

    Raises:
        SoftshellError: no action manager within `timeout`.
    """

    def __init__(
        self, namespace: str = '', timeout: float = 10.0, context: Context | None = None
    ) -> None:
        self._owned = context is None
        self._context = context or Context()
        if self._owned:
            rclpy.init(context=self._context)
        self.node = Node('shell_client', namespace=namespace, context=self._context)
        self._action = ActionClient(self.node, ExecuteAction, 'execute_action')
        self._list = self.node.create_client(ListActions, 'list_actions')
        self._cmd_vel = self.node.create_publisher(Twist, 'cmd_vel', qos.COMMAND)
        self._odometry: Odometry | None = None
        self._located = threading.Event()
        self.node.create_subscription(Odometry, 'odom', self._on_odometry, qos.SENSOR_CONSUMER)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._running = True
        self._thread = threading.Thread(target=self._spin, name='shell', daemon=True)
        self._thread.start()
        if not self._action.wait_for_server(timeout):
            self.close()
            raise SoftshellError(
                f'no action manager within {timeout:g} s: start the stack with ./softshell up'
            )

    def perform(
        self, name: str, on_feedback: OnFeedback | None = None, /, **parameters: float
    ) -> float:
        """Perform an action and wait for its end; Ctrl-C cancels it.

        Args:
            name: of the action.
            on_feedback: called as it goes on.
            parameters: of the action, in its units.

        Returns:
            How long it took on the ROS clock [s].

        Raises:
            ActionFailedError: it did not succeed.
        """
        goal = ExecuteAction.Goal(name=name)
        goal.parameters = [
            ActionParameter(name=key, value=float(value)) for key, value in parameters.items()
        ]

        def feedback(message: ExecuteAction.Impl.FeedbackMessage) -> None:
            if on_feedback is not None:
                on_feedback(message.feedback.sub_action, message.feedback.progress)

        handles: list[ClientGoalHandle] = []

        async def execute() -> ExecuteAction.Result:
            handles.append(await self._action.send_goal_async(goal, feedback))
            return (await handles[0].get_result_async()).result

        task = self._executor.create_task(execute)
        try:
            result = self._result_of(task)
        except KeyboardInterrupt:
            # It comes to rest at the end of a sub-action.
            for handle in handles:
                self._executor.create_task(handle.cancel_goal_async)
            result = self._result_of(task)
            if result.status == ExecuteAction.Result.CANCELED:
                result.message = 'interrupted; the robot stands still'
        if result.status != ExecuteAction.Result.SUCCEEDED:
            raise ActionFailedError(name, Status(result.status), result.message)
        return result.duration

    def actions(self) -> list[ActionDescription]:
        """The actions there are."""

        async def ask() -> ListActions.Response:
            return await self._list.call_async(ListActions.Request())

        return self._result_of(self._executor.create_task(ask)).actions

    def drive(self, x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> None:
        """Command a velocity [m/s], [rad/s]; it holds for the manager's command timeout."""
        message = Twist()
        message.linear.x, message.linear.y, message.angular.z = float(x), float(y), float(yaw)
        self._cmd_vel.publish(message)

    def wait_for_odometry(self, timeout: float = 10.0) -> None:
        """Return once `position` and `time` are known.

        Raises:
            SoftshellError: not within `timeout` [s, wall].
        """
        if not self._located.wait(timeout):
            raise SoftshellError(f'no odom within {timeout:g} s: is a bridge running?')

    @property
    def position(self) -> NDArray[np.float64]:
        """(3,) [m] base_link in odom; NaN before the first odometry."""
        if self._odometry is None:
            return np.full(3, np.nan)
        position = self._odometry.pose.pose.position
        return np.array([position.x, position.y, position.z])

    @property
    def time(self) -> float:
        """[s] of the last odometry on the ROS clock; NaN before the first."""
        if self._odometry is None:
            return math.nan
        stamp = self._odometry.header.stamp
        return stamp.sec + stamp.nanosec * 1e-9

    def close(self) -> None:
        """Leave; the robot's stack goes on."""
        if not self._running:
            return
        self._running = False
        self._thread.join()
        self._executor.shutdown()
        self._action.destroy()
        self.node.destroy_node()
        if self._owned:
            self._context.try_shutdown()

    def __enter__(self) -> 'Shell':
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _on_odometry(self, message: Odometry) -> None:
        self._odometry = message
        self._located.set()

    def _spin(self) -> None:
        while self._running:
            self._executor.spin_once(timeout_sec=0.1)

    def _result_of(self, task: Task) -> Any:
        """Result of a task of the spinning thread.

        Requests are made in that thread: an action client loses an answer that comes before the
        thread that asked has noted its question.
        """
        done = threading.Event()
        task.add_done_callback(lambda _: done.set())
        # A bounded wait keeps Ctrl-C deliverable.
        while not done.wait(0.5):
            if not self._action.server_is_ready():
                raise SoftshellError('the action manager is gone')
        return task.result()
