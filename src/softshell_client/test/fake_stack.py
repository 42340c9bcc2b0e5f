"""An action manager and a bridge that only answer: in this process, or run as a program."""

import sys
import threading
import time

import rclpy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import SetParametersResult
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from softshell_common.ros import qos
from softshell_interfaces.action import ExecuteAction
from softshell_interfaces.msg import (
    ActionDescription,
    ActionOutcome,
    BridgeStatus,
    ParameterDescription,
)
from softshell_interfaces.srv import ListActions, SetBodyPose

PATIENCE = 40.0  # [s] for anything to happen on a busy machine


def wait(condition) -> None:
    """Until something comes true; the test fails if it does not."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


class FakeStack:
    """Performs `quick` at once and `endless` until it is cancelled; knows no other action.

    `slowly accepted` is `endless`, accepted after 0.8 s; `unwelcome` is rejected as a goal.

    Args:
        namespace: of its node.
        context: initialised; default one of its own.
        takes_body_poses: whether it serves `set_body_pose`.
    """

    def __init__(
        self, namespace: str, context: Context | None = None, takes_body_poses: bool = True
    ) -> None:
        self.context = context or Context()
        if context is None:
            rclpy.init(context=self.context, signal_handler_options=SignalHandlerOptions.NO)
        self.node = rclpy.create_node('stack', namespace=namespace, context=self.context)
        self.goals: list[dict[str, float]] = []
        self.twists: list[tuple[float, float, float]] = []
        self.poses: list[SetBodyPose.Request] = []
        self.bridge_requests: list[str] = []
        self._cancelled: list[Future] = []
        self._server = ActionServer(
            self.node,
            ExecuteAction,
            'execute_action',
            self._execute,
            goal_callback=self._on_goal,
            cancel_callback=self._on_cancel,
        )
        self._server._handle.publish_status()
        self.node.create_service(ListActions, 'list_actions', self._list)
        # Its services set parameters, as those of the action manager do.
        self.manager = rclpy.create_node(
            'action_manager', namespace=namespace, context=self.context
        )
        self.manager.declare_parameter('gait', '')
        self.manager.add_on_set_parameters_callback(self._check)
        if takes_body_poses:
            self.node.create_service(SetBodyPose, 'set_body_pose', self._set_body_pose)
        for name in ('activate', 'deactivate', 'clear_fault', 'emergency_stop', 'reset'):
            self.node.create_service(Trigger, f'bridge/{name}', self._answer_to(name))
        self.node.create_subscription(Twist, 'cmd_vel', self._on_twist, qos.COMMAND)
        self.status = self.node.create_publisher(BridgeStatus, 'bridge_status', qos.CHANGES)
        self.status.publish(BridgeStatus(bridge='mock', mode=BridgeStatus.HOLDING))
        self.odometry = self.node.create_publisher(Odometry, 'odom', qos.STATE)
        self.joints = self.node.create_publisher(JointState, 'joint_states', qos.STATE)
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)
        self._executor.add_node(self.manager)
        self._running = True
        self._thread = threading.Thread(target=self.spin)
        self._thread.start()

    def spin(self) -> None:
        while self._running:
            try:
                self._executor.spin_once(timeout_sec=0.05)
            except ExternalShutdownException:
                return

    def close(self) -> None:
        if not self._running:
            return
        self._running = False
        self._thread.join()
        self._server.destroy()
        self.node.destroy_node()
        self.manager.destroy_node()
        self._executor.shutdown()
        self.context.try_shutdown()

    def _on_goal(self, goal: ExecuteAction.Goal) -> GoalResponse:
        self.goals.append({'': goal.name} | {one.name: one.value for one in goal.parameters})
        if goal.name == 'slowly accepted':
            time.sleep(0.8)
        return GoalResponse.REJECT if goal.name == 'unwelcome' else GoalResponse.ACCEPT

    def _on_cancel(self, handle) -> CancelResponse:
        for future in self._cancelled:
            future.set_result(None)
        self._cancelled.clear()
        return CancelResponse.ACCEPT

    async def _execute(self, handle) -> ExecuteAction.Result:
        result = ExecuteAction.Result(duration=1.5)
        outcome, name = result.outcome, handle.request.name
        outcome.status = ActionOutcome.SUCCEEDED
        handle.publish_feedback(ExecuteAction.Feedback(sub_action='first', progress=0.25))
        if name == 'quick':
            handle.succeed()
        elif name == 'last':  # what is on its way already comes to its end
            cancelled = Future(executor=self._executor)
            self._cancelled.append(cancelled)
            await cancelled
            handle.succeed()
        elif name in ('endless', 'slowly accepted'):
            cancelled = Future(executor=self._executor)
            self._cancelled.append(cancelled)
            await cancelled
            outcome.status, outcome.message = ActionOutcome.CANCELED, 'stopped in a stance'
            handle.canceled()
        else:
            outcome.status = ActionOutcome.UNKNOWN_ACTION
            outcome.message = f'unknown action {name!r}; known: endless, quick'
            handle.abort()
        return result

    def _list(self, request, response):
        height = ParameterDescription(
            name='height', default_value=0.5, minimum=0.0, maximum=2.0, unit='m', meaning='up'
        )
        response.actions = [ActionDescription(name='quick', parameters=[height])]
        response.gaits = ['tripod', 'wave']
        return response

    def _check(self, parameters):
        """As the manager does: a gait that there is not is refused."""
        fine = all(each.value in ('', 'tripod', 'wave') for each in parameters)
        return SetParametersResult(successful=fine, reason='' if fine else 'no such gait')

    def _set_body_pose(self, request, response):
        self.poses.append(request)
        response.outcome.status = ActionOutcome.SUCCEEDED
        if request.pose.pose.position.z > 0.2:
            response.outcome.status = ActionOutcome.UNREACHABLE
            response.outcome.message = 'a foot cannot reach'
        return response

    def _answer_to(self, name):
        def answer(request, response):
            self.bridge_requests.append(name)
            response.success = name != 'activate'
            response.message = f'{name} was asked for'
            return response

        return answer

    def _on_twist(self, message: Twist) -> None:
        self.twists.append((message.linear.x, message.linear.y, message.angular.z))


if __name__ == '__main__':
    stack = FakeStack(sys.argv[1])
    print('ready', flush=True)
    while line := sys.stdin.readline():
        if line == 'bridge\n':
            stack.node.destroy_publisher(stack.status)
    stack.close()
