"""The action manager: performs actions, walks on `cmd_vel` and poses the base on `body_pose`."""

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from geometry_msgs.msg import PoseStamped, Twist
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node
from rclpy.task import Future

from softshell_actions.language import PointsMove
from softshell_actions.library import Call
from softshell_actions.messages import base_move, describe, posture_message
from softshell_actions.performer import Performer, PerformError, Status
from softshell_actions.robot import load_body
from softshell_actions.robot_client import RobotClient
from softshell_actions.walking import move_call, posing_time, stride_call, with_move
from softshell_common import qos
from softshell_common.errors import SoftshellError, UnknownNameError
from softshell_common.parameters import declare, parameter
from softshell_common.run import run
from softshell_interfaces.action import ExecuteAction
from softshell_interfaces.srv import ListActions


@dataclass(frozen=True)
class Parameters:
    """Of the action manager."""

    config_folder: str = parameter('', 'holds actions/ and gaits/; empty: the installed one')
    gait: str = parameter('tripod', 'gait walked on cmd_vel')
    command_timeout: float = parameter(
        0.5, 'a cmd_vel older than this stops the robot [s]', 0.05, 10.0
    )
    lead_time: float = parameter(
        0.15, 'a stride is decided so long before it starts [s]', 0.02, 1.0
    )
    posture_speed: float = parameter(0.08, 'speed of the base on body_pose [m/s]', 0.01, 0.5)


@dataclass
class Task:
    """What the robot is doing, until it has come to rest."""

    name: str
    priority: int = 1
    stop: bool = False
    ended: Future = field(default_factory=Future)


class ActionManager(Node):
    """The `action_manager` node; everything runs in one single-threaded executor."""

    def __init__(self) -> None:
        super().__init__('action_manager')
        self._settings = declare(self, Parameters)
        body = load_body()
        folder = self._settings.config_folder
        self._library = body.library(Path(folder) if folder else None)
        self._gait = self._library.gait(self._settings.gait)
        self._stance = body.stance
        self._client = RobotClient(self, body.measured_state, body.fixed_joints)
        self._performer = Performer(
            body.planner(self._library),
            self._client,
            halt=stride_call(self._library, self._gait.stride, np.zeros(3)),
        )
        self._task: Task | None = None
        self._newest: Task | None = None
        self._walking = self._posing = False
        self._velocity = np.zeros(3)
        self._velocity_time = self.get_clock().now()
        self._target: PointsMove | None = None
        self._posture = self.create_publisher(PoseStamped, 'posture', qos.LATCHED)
        self.create_subscription(Twist, 'cmd_vel', self._on_velocity, qos.COMMAND)
        self.create_subscription(PoseStamped, 'body_pose', self._on_body_pose, qos.COMMAND)
        self.create_service(ListActions, 'list_actions', self._list_actions)
        self._server = ActionServer(
            self,
            ExecuteAction,
            'execute_action',
            execute_callback=self._execute,
            cancel_callback=lambda goal: CancelResponse.ACCEPT,
        )

    async def _execute(self, goal: ServerGoalHandle) -> ExecuteAction.Result:
        started = self.get_clock().now()
        result = ExecuteAction.Result()
        try:
            result.status = await self._perform_action(goal)
        except PerformError as error:
            result.status, result.message = error.status, str(error)
        except UnknownNameError as error:
            result.status, result.message = Status.UNKNOWN_ACTION, str(error)
        except SoftshellError as error:
            result.status, result.message = Status.BAD_PARAMETER, str(error)
        result.duration = (self.get_clock().now() - started).nanoseconds * 1e-9
        if result.status == Status.SUCCEEDED:
            goal.succeed()
        elif result.status == Status.CANCELED:
            goal.canceled()
        else:
            self.get_logger().warning(f'{goal.request.name}: {result.message}')
            goal.abort()
        return result

    async def _perform_action(self, goal: ServerGoalHandle) -> Status:
        action = self._library.action(goal.request.name)
        chosen = {entry.name: entry.value for entry in goal.request.parameters}
        calls = self._library.call(action.name, chosen)
        task = Task(action.name, action.priority)
        async with self._as(task):
            calls = await self._prepared(action.prepare, calls)
            self.get_logger().info(f'{action.name} {chosen or ""}'.rstrip())
            feedback = ExecuteAction.Feedback(count=len(calls))

            def announce(call: Call) -> None:
                feedback.sub_action = call.sub_action.name
                feedback.progress = min(1.0, feedback.index / len(calls))
                goal.publish_feedback(feedback)
                feedback.index += 1

            complete = await self._performer.perform(
                _each(calls), announce, stop=lambda: task.stop or goal.is_cancel_requested
            )
        if complete:
            return Status.SUCCEEDED
        if goal.is_cancel_requested:
            return Status.CANCELED
        raise PerformError(Status.PREEMPTED, f'{action.name}: another command took over')

    def _on_velocity(self, message: Twist) -> None:
        velocity = np.array([message.linear.x, message.linear.y, message.angular.z])
        if not np.isfinite(velocity).all():
            self.get_logger().warning(f'cmd_vel is {velocity}; expected finite numbers: ignored')
            return
        self._velocity, self._velocity_time = velocity, self.get_clock().now()
        if velocity.any() and not self._walking:
            self._walking = True
            self._begin(self._walk)

    def _begin(self, coroutine: Callable[[], Coroutine]) -> None:
        assert self.executor is not None
        self.executor.create_task(coroutine)

    async def _walk(self) -> None:
        task = Task('cmd_vel')
        try:
            async with self._as(task):
                await self._performer.perform(self._strides(), stop=lambda: task.stop)
        except SoftshellError as error:
            self.get_logger().warning(f'cmd_vel: {error}')
        finally:
            self._walking = False

    async def _strides(self) -> AsyncIterator[Call]:
        """Strides for as long as velocity commands come, each decided just before it starts."""
        stride = self._library.action(self._gait.stride)
        for call in await self._prepared(stride.prepare, []):
            yield call
        while (velocity := self._commanded_velocity()).any():
            call = stride_call(self._library, stride.name, velocity)
            target, self._target = self._target, None
            yield with_move(call, target) if target else call
            await self._client.sleep(call.duration - self._settings.lead_time)

    def _commanded_velocity(self) -> np.ndarray:
        age = (self.get_clock().now() - self._velocity_time).nanoseconds * 1e-9
        return self._velocity if age <= self._settings.command_timeout else np.zeros(3)

    def _on_body_pose(self, message: PoseStamped) -> None:
        try:
            self._target = base_move(message)
        except SoftshellError as error:
            self.get_logger().warning(f'body_pose: {error}: ignored')
            return
        if not self._walking and not self._posing:
            self._posing = True
            self._begin(self._pose)

    async def _pose(self) -> None:
        task = Task('body_pose')
        try:
            async with self._as(task):
                await self._performer.perform(self._poses(), stop=lambda: task.stop)
        except SoftshellError as error:
            self._target = None
            self.get_logger().warning(f'body_pose: {error}')
        finally:
            self._posing = False

    async def _poses(self) -> AsyncIterator[Call]:
        """Moves of the base until the newest target is reached."""
        for call in await self._prepared('stand', []):
            yield call
        while self._target is not None:
            target, self._target = self._target, None
            state = await self._performer.state()
            duration = posing_time(state, target, self._settings.posture_speed)
            yield move_call('pose', duration, target)
            await self._client.sleep(duration - self._settings.lead_time)

    async def _prepared(self, prepare: str | None, calls: list[Call]) -> list[Call]:
        """Calls preceded by those that make the robot ready for them."""
        state = await self._performer.state()
        if prepare is None or not state.is_lying(self._stance):
            return calls
        return self._library.call(prepare) + calls

    @asynccontextmanager
    async def _as(self, task: Task) -> AsyncIterator[None]:
        """Be what the robot does: whatever it did before comes to rest first.

        Raises:
            PerformError: what it does has a higher priority, or a newer command came meanwhile.
        """
        if self._task is not None and task.priority < self._task.priority:
            raise PerformError(
                Status.PREEMPTED,
                f'{task.name} has priority {task.priority}; {self._task.name} is being performed '
                f'with priority {self._task.priority}',
            )
        self._newest = task
        while self._task is not None:
            self._task.stop = True
            await self._task.ended
            if self._newest is not task:
                raise PerformError(Status.PREEMPTED, f'{task.name}: a newer command took over')
        self._task = task
        try:
            yield
        finally:
            self._task = None
            task.ended.set_result(None)
            await self._publish_posture()

    async def _publish_posture(self) -> None:
        try:
            state = await self._performer.state()
        except PerformError:
            return
        self._posture.publish(posture_message(state, self.get_clock().now().to_msg()))

    def _list_actions(
        self, request: ListActions.Request, response: ListActions.Response
    ) -> ListActions.Response:
        response.actions = [describe(action) for action in self._library.actions.values()]
        return response


async def _each(calls: list[Call]) -> AsyncIterator[Call]:
    for call in calls:
        yield call


def main() -> int:
    """Run the node."""
    return run(ActionManager)
