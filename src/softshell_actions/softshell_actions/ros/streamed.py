"""Streamed commands: velocities to walk at, and poses of the base."""

from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped, Twist
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from softshell_actions.performing.call import Call, base_call
from softshell_actions.performing.director import Director
from softshell_actions.performing.robot import PerformError
from softshell_actions.performing.turns import Task
from softshell_actions.performing.walking import Strides, base_move, posing_time
from softshell_actions.ros.messages import outcome, posture_coordinates
from softshell_actions.ros.rolled import Rolled
from softshell_actions.ros.waits import duration_clock
from softshell_common.outcome import Status
from softshell_common.ros import qos
from softshell_interfaces.srv import SetBodyPose
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import COORDINATES, angles_from_rotation

#: Waits on the ROS clock [s].
Sleep = Callable[[float], Coroutine[Any, Any, None]]
#: A base this near to the pose that was asked for has reached it [m], [rad].
THERE = 1e-6
#: Period in which it is checked whether the base has reached it [s].
LOOK = 0.05
#: Starts a coroutine in the executor.
Begin = Callable[[Callable[[], Coroutine[Any, Any, None]]], None]


@dataclass
class Asked:
    """A pose of the base that was asked for.

    Args:
        target: (6,) x y z yaw pitch roll in the footprint [m], [rad].
        served: whether `set_body_pose` waits for it.

    Attributes:
        reached: whether the base went there.
        problem: why it does not go there; None if it does or may.
    """

    target: Array
    served: bool = False
    reached: bool = False
    problem: PerformError | None = None


class Posing:
    """`body_pose` and `set_body_pose`: brings the base to where it was last asked for.

    Args:
        node: subscribes and serves.
        director: performs.
        action: name of the action whose parameters have the allowed ranges of coordinates, and
            whose requirement is that of the poses.
        footprint: frame of the poses.
        speed: of the base [m/s].
        lead_time: how long before its start a move is decided [s].
        sleep: waits on the ROS clock [s].
        begin: starts a coroutine in the executor.
    """

    def __init__(
        self,
        node: Node,
        director: Director,
        action: str,
        footprint: str,
        speed: float,
        lead_time: float,
        sleep: Sleep,
        begin: Begin,
    ) -> None:
        self._node, self._director = node, director
        self._action = director.library.action(action)
        self._footprint, self._speed, self._lead = footprint, speed, lead_time
        self._sleep, self._begin = sleep, begin
        self._asked: Asked | None = None
        self._taken: Asked | None = None  # last, by a stride or a move that may not be sent
        self._running = False
        self.walking: Callable[[], bool] = lambda: False
        node.create_subscription(PoseStamped, 'body_pose', self._on_pose, qos.COMMAND)
        # The service answers when the base is there; meanwhile every other callback has to run.
        group = ReentrantCallbackGroup()
        node.create_service(
            SetBodyPose,
            'set_body_pose',
            self._serve,
            qos_profile=qos.SERVICE,
            callback_group=group,
        )

    def take(self) -> Asked | None:
        """Take the newest pose that was asked for; None if it was taken already."""
        self._taken, self._asked = self._asked, None
        return self._taken

    async def judge(self, asked: Asked) -> None:
        """Note whether a stride brought the base to the pose that was asked for."""
        state = await self._director.performer.state()
        angles = angles_from_rotation(state.base_rotation.as_matrix())
        ends = np.concatenate([state.base_position, angles])
        asked.reached = bool(np.abs(ends - asked.target).max() < THERE)
        if not asked.reached:
            text = 'set_body_pose: legs do not reach this pose while the robot walks'
            asked.problem = PerformError(Status.UNREACHABLE, text)

    def walked(self, problem: PerformError | None) -> None:
        """Go on with a pose that came too late for the last stride of a walk.

        Args:
            problem: why the walk ended, if not by itself; the pose is then dropped, as it is none
                for later.
        """
        if problem is not None:
            if self._taken is not None and not self._taken.reached:
                self._taken.problem = self._taken.problem or problem
            self._drop(problem)
        elif self._asked is not None and not self._asked.served:
            self._start()

    def _drop(self, problem: PerformError) -> None:
        asked = self.take()
        if asked is not None:
            asked.problem = problem

    def _want(self, asked: Asked) -> Asked:
        text = 'set_body_pose: another pose took over'
        self._drop(PerformError(Status.PREEMPTED, text))
        self._asked = asked
        return asked

    def _read(self, message: PoseStamped) -> Array:
        target = posture_coordinates(message, self._footprint)
        # Refuses what is outside the action's ranges, with the parameter and its range.
        named = dict(zip(COORDINATES, target.tolist(), strict=True))
        allowed = {key: value for key, value in named.items() if key in self._action.parameters}
        self._director.library.values(self._action, allowed)
        return target

    def _on_pose(self, message: PoseStamped) -> None:
        try:
            self._want(Asked(self._read(message)))
        except SoftshellError as error:
            self._node.get_logger().warning(
                f'body_pose: {error}: ignored', throttle_duration_sec=1.0
            )
            return
        if not self.walking():
            self._start()

    def _start(self) -> None:
        if not self._running:
            self._running = True
            self._begin(self._follow)

    async def _follow(self) -> None:
        try:
            # One may come while the last move comes to its end; a walk takes it itself.
            while self._asked is not None and not self.walking():
                await self._perform('body_pose', self._moves())
        except SoftshellError as error:
            self._node.get_logger().warning(f'body_pose: {error}', throttle_duration_sec=1.0)
            if not self.walking():
                self._drop(PerformError(Status.PREEMPTED, f'set_body_pose: {error}'))
        finally:
            self._running = False

    async def _serve(
        self, request: SetBodyPose.Request, response: SetBodyPose.Response
    ) -> SetBodyPose.Response:
        try:
            target = self._read(request.pose)
            if not (self.walking() and await self._carried(target)):
                await self._perform('set_body_pose', self._move(target))
            response.outcome = outcome(Status.SUCCEEDED)
        except PerformError as error:
            response.outcome = outcome(error.status, str(error))
        except SoftshellError as error:
            response.outcome = outcome(Status.BAD_PARAMETER, str(error))
        return response

    async def _carried(self, target: Array) -> bool:
        """Whether the base went there while the robot walked; False if it came to rest before.

        Raises:
            PerformError: the base did not go there; the text says why.
        """
        asked = self._want(Asked(target, served=True))
        while self.walking() and not (asked.reached or asked.problem):
            await self._sleep(LOOK)
        if asked.problem is not None:
            raise asked.problem
        if self._asked is asked:
            self._asked = None
        return asked.reached

    async def _perform(self, name: str, moves: AsyncIterator[Call]) -> None:
        complete = await self._director.perform(Task(name), self._action.requires, moves)
        if not complete:
            raise PerformError(Status.PREEMPTED, f'{name}: another command took over')

    async def _moves(self) -> AsyncIterator[Call]:
        """Moves of the base until the newest target is reached."""
        while not self.walking() and (asked := self.take()) is not None:
            async for call in self._move(asked.target):
                yield call
                await self._director.performer.under_way()
                await self._sleep(self._director.performer.duration - self._lead)

    async def _move(self, target: Array) -> AsyncIterator[Call]:
        """The move of the base to (6,) x y z yaw pitch roll in the footprint [m], [rad]."""
        state = await self._director.performer.state()
        duration = posing_time(state, target, self._speed)
        yield base_call(self._action.name, duration, base_move(target))


class Walking:
    """`cmd_vel`: strides for as long as velocities come.

    Args:
        node: subscribes.
        director: performs.
        strides: makes the strides.
        posing: takes poses of the base; strides bring the base there. None without `body_pose`.
        timeout: a velocity older than this stops the robot [s].
        lead_time: how long before its start a stride is decided [s].
        sleep: waits on the ROS clock [s].
        begin: starts a coroutine in the executor.
        rolled: follows velocities instead while the robot is a ball; None if it never is.
    """

    def __init__(
        self,
        node: Node,
        director: Director,
        strides: Strides,
        posing: Posing | None,
        timeout: float,
        lead_time: float,
        sleep: Sleep,
        begin: Begin,
        rolled: Rolled | None = None,
    ) -> None:
        self._node, self._director, self._posing = node, director, posing
        self._strides, self._rolled = strides, rolled
        self._timeout, self._lead = timeout, lead_time
        self._sleep, self._begin = sleep, begin
        self._velocity = np.zeros(3)
        self._clock = duration_clock(node)
        self._received = self._clock.now()
        self._running = self._rolls = False
        if posing is not None:
            posing.walking = lambda: self._running and not self._rolls
        node.create_subscription(Twist, 'cmd_vel', self._on_velocity, qos.COMMAND)

    def _on_velocity(self, message: Twist) -> None:
        velocity = np.array([message.linear.x, message.linear.y, message.angular.z])
        if not np.isfinite(velocity).all():
            text = f'cmd_vel is {velocity.tolist()}; expected finite numbers: ignored'
            self._node.get_logger().warning(text, throttle_duration_sec=1.0)
            return
        self._velocity, self._received = velocity, self._clock.now()
        if self._rolled is not None:
            self._rolled.tell(velocity)
        if velocity.any() and not self._running:
            self._running = True
            self._begin(self._walk)

    async def _walk(self) -> None:
        problem: PerformError | None = None
        try:
            if self._rolled is None or not self._rolled.foreseen():
                self._director.refuse_in_vain('cmd_vel', self._strides.action.requires)
            if not await self._director.perform(Task('cmd_vel'), None, self._calls()):
                text = 'set_body_pose: another command took over'
                problem = PerformError(Status.PREEMPTED, text)
        except SoftshellError as error:
            self._node.get_logger().warning(f'cmd_vel: {error}', throttle_duration_sec=1.0)
            status = getattr(error, 'status', Status.REJECTED)
            problem = PerformError(status, f'set_body_pose: the walk ended: {error}')
        finally:
            self._running = self._rolls = False
            if self._posing is not None:
                self._posing.walked(problem)

    async def _calls(self) -> AsyncIterator[Call]:
        """Sub-actions that follow velocities: runs of a controller if it is a ball, or strides."""
        if self._rolled is not None and await self._rolled.is_ball():
            self._rolls = True
            async for call in self._rolled.calls(self._commanded):
                yield call
            return
        requires = self._strides.action.requires
        async for call in self._director.required('cmd_vel', requires):
            yield call
        async for call in self._walking():
            yield call

    async def _walking(self) -> AsyncIterator[Call]:
        """Strides, each decided just before it starts."""
        while (velocity := self._commanded()).any():
            call = self._strides.call(velocity)
            asked = None if self._posing is None else self._posing.take()
            yield call if asked is None else call.with_move(base_move(asked.target))
            await self._director.performer.under_way()
            await self._sleep(self._director.performer.duration - self._lead)
            if self._posing is not None and asked is not None:
                await self._posing.judge(asked)

    def _commanded(self) -> Array:
        age = (self._clock.now() - self._received).nanoseconds * 1e-9
        return self._velocity if 0.0 <= age <= self._timeout else np.zeros(3)
