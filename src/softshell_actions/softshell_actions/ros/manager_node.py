"""The action manager: performs actions, walks on `cmd_vel` and poses the base on `body_pose`."""

from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from geometry_msgs.msg import PoseStamped
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.publisher import Publisher

from softshell_actions.library import ActionLibrary, ParameterError
from softshell_actions.performing.call import Call
from softshell_actions.performing.director import Director
from softshell_actions.performing.performer import Performer
from softshell_actions.performing.robot import PerformError
from softshell_actions.performing.turns import Task
from softshell_actions.performing.walking import Pace, Strides, standing_up
from softshell_actions.robot import body_of
from softshell_actions.ros.messages import describe, outcome, posture_message
from softshell_actions.ros.mode import Watch
from softshell_actions.ros.robot_client import RobotClient
from softshell_actions.ros.rolled import Rolled
from softshell_actions.ros.streamed import Posing, Walking
from softshell_actions.ros.tilt import mountings_of
from softshell_actions.ros.waits import duration_clock
from softshell_common.outcome import Status, outcome_text
from softshell_common.ros import qos
from softshell_common.ros.line import Line
from softshell_common.ros.parameters import declare, parameter
from softshell_common.ros.run import run
from softshell_common.shown import shown
from softshell_description.command_rates import ACCELERATION, LINEAR_ACCELERATION, VELOCITY_SCALE
from softshell_description.ros.robot_parameter import declare_robot
from softshell_interfaces.action import ExecuteAction
from softshell_interfaces.srv import ListActions
from softshell_kinematics.errors import SoftshellError, UnknownNameError

#: Period in which it is checked whether goals can be accepted [s].
START_PERIOD = 0.1


@dataclass(frozen=True)
class Parameters:
    """Parameters of the action manager."""

    gait: str = parameter('', 'gait walked on cmd_vel; empty: the one of the robot', live=True)
    tempo: float = parameter(
        1.0, 'factor on how quickly legs take turns on cmd_vel', 0.2, 5.0, live=True
    )
    lift: float = parameter(
        1.0, 'factor on how high feet are lifted on cmd_vel', 0.1, 3.0, live=True
    )
    velocity_timeout: float = parameter(
        0.5, 'a cmd_vel older than this stops the robot [s]', 0.05, 10.0
    )
    lead_time: float = parameter(
        0.15, 'how long before its start a stride is decided [s]', 0.02, 1.0
    )
    overspeed: str = parameter(
        'slow',
        'what is done with plans that are too fast for a joint: slowed down or refused',
        choices=('slow', 'refuse'),
    )
    velocity_scale: float = parameter(VELOCITY_SCALE, 'the value of the bridge', 0.01, 1.0)
    acceleration_limit: float = parameter(
        ACCELERATION, 'the value of the bridge [rad/s^2]', 1.0, 1e5
    )
    linear_acceleration_limit: float = parameter(
        LINEAR_ACCELERATION, 'the value of the bridge [m/s^2]', 0.01, 1e4
    )
    hold_heading: bool = parameter(
        True, 'whether strides bring the base back to its course, if it is measured', live=True
    )
    posture_speed: float = parameter(0.08, 'speed of the base on body_pose [m/s]', 0.01, 0.5)


class ActionManager(Node):
    """The `action_manager` node; everything runs in one single-threaded executor."""

    _posture: Publisher | None = None
    _watch: Watch | None = None
    _server: ActionServer | None = None
    _walks: bool | None = None  # whether velocities are followed; not known yet
    _active = 0
    _looking = False  # whether a measurement is under way

    def __init__(self) -> None:
        super().__init__('action_manager')
        model = declare_robot(self)
        body = body_of(model)
        library, commands = body.library(), model.commands
        self._own_gait = commands.cmd_vel or ''
        settings = declare(self, Parameters, self._on_change, partial(self._problem, library))
        self._strides = Strides(library, self._pace_of(settings))
        self._footprint = model.base.footprint
        self._client = client = RobotClient(
            self,
            body.measured_state,
            model.shared,
            tuple(model.channels),
            model.joint_names,
            mountings_of(model.urdf, model.base.link),
            body.manipulators,
        )
        pacing = body.pacing(
            settings.overspeed == 'refuse',
            velocity_scale=settings.velocity_scale,
            acceleration=settings.acceleration_limit,
            linear_acceleration=settings.linear_acceleration_limit,
        )
        performer = Performer(
            body.planner(library), client, pacing, standing_up(library, self._strides.pace.gait)
        )
        performer.holds_heading = settings.hold_heading
        self._director = Director(
            library, performer, self._publish_posture, self.get_logger().error
        )
        posing = None
        if commands.body_pose:
            self._posture = self.create_publisher(PoseStamped, 'posture', qos.LATCHED)
            posing = Posing(
                self, self._director, commands.body_pose, self._footprint,
                settings.posture_speed, settings.lead_time, client.sleep, self._begin,
            )  # fmt: skip
        self._walks = bool(self._strides.pace.gait)
        if self._walks:
            self._walking = Walking(
                self, self._director, self._strides, posing, settings.velocity_timeout,
                settings.lead_time, client.sleep, self._begin,
                Rolled(performer, commands.rolling, settings.velocity_timeout)
                if commands.rolling
                else None,
            )  # fmt: skip
        if model.cage is not None or self._posture is not None:
            self._watch = Watch(
                self, performer, lambda: client.is_driven, lambda: self._director.turns.busy,
                lambda: self._begin(self._look), model.cage is not None,
            )  # fmt: skip
        self.create_service(
            ListActions, 'list_actions', self._list_actions, qos_profile=qos.SERVICE
        )
        self._line, self._durations = Line(), duration_clock(self)
        self._tickets: dict[bytes, int] = {}
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._start = self.create_timer(START_PERIOD, self._serve_when_ready, clock=steady)

    def _problem(self, library: ActionLibrary, settings: Parameters) -> str:
        """What is wrong with parameters for a robot with these gaits; empty if nothing is."""
        gait = settings.gait or self._own_gait
        try:
            if settings.gait:
                library.gait(settings.gait)
        except UnknownNameError as error:
            return f'parameter gait: {error}'
        if self._walks is None or self._walks == bool(gait):
            return ''
        if self._walks:
            return f'parameter gait: is empty; expected one of {", ".join(library.gaits)}'
        return f'parameter gait: {gait!r} while the node runs; expected it at its start'

    def _on_change(self, settings: Parameters) -> None:
        self._director.performer.holds_heading = settings.hold_heading
        self._strides.pace = self._pace_of(settings)

    def _pace_of(self, settings: Parameters) -> Pace:
        return Pace(settings.gait or self._own_gait, settings.tempo, settings.lift)

    def begin_ending(self) -> None:
        """End all goals with an error that says why, and accept no more."""
        error = PerformError(Status.STOPPED, 'the action manager is ending')
        self._client.end(error)
        self._director.turns.drop(lambda task: error)

    def is_ending(self) -> bool:
        """Whether a goal still waits for its result, or a command moves the robot."""
        return self._active > 0 or self._director.turns.busy

    def _serve_when_ready(self) -> None:
        """Accept goals once there is all that is needed to perform them."""
        log = self.get_logger()
        missing = self._client.missing
        if missing:
            log.info(f'waiting for {missing}', throttle_duration_sec=10.0, skip_first=True)
            return
        self.destroy_timer(self._start)
        self._server = ActionServer(
            self,
            ExecuteAction,
            'execute_action',
            execute_callback=self._execute,
            goal_callback=self._accept,
            handle_accepted_callback=self._accepted,
            cancel_callback=self._cancel,
            **qos.ACTION_SERVER,
        )
        # Latched: this server has discovered every client that has received it, so that client
        # gets all answers.
        self._server._handle.publish_status()
        self._begin(self._publish_posture)
        action = self.resolve_service_name('execute_action')
        kind = 'softshell_interfaces/action/ExecuteAction'
        log.info(
            f'ready: {", ".join(self._director.library.actions)}; '
            f'try: ros2 action send_goal {action} {kind} "{{name: ...}}"'
        )

    def _accept(self, request: ExecuteAction.Goal) -> GoalResponse:
        ending = self._client.ended
        return GoalResponse.REJECT if ending else GoalResponse.ACCEPT

    def _accepted(self, goal: ServerGoalHandle) -> None:
        self._tickets[bytes(goal.goal_id.uuid)] = self._line.ask()
        goal.execute()

    def _cancel(self, goal: ServerGoalHandle) -> CancelResponse:
        assert self.executor is not None
        # Runs after the goal's state has changed.
        self.executor.create_task(self._director.turns.look)
        return CancelResponse.ACCEPT

    async def _execute(self, goal: ServerGoalHandle) -> ExecuteAction.Result:
        self._active += 1
        await self._line.begin(self._tickets.pop(bytes(goal.goal_id.uuid)))
        try:
            return await self._answer(goal)
        finally:
            self._active -= 1

    async def _answer(self, goal: ServerGoalHandle) -> ExecuteAction.Result:
        started = self._durations.now()
        message = ''
        try:
            status = await self._perform_action(goal)
        except PerformError as error:
            status, message = error.status, str(error)
        except UnknownNameError as error:
            status, message = Status.UNKNOWN_ACTION, str(error)
        except SoftshellError as error:
            status, message = Status.BAD_PARAMETER, str(error)
        duration = (self._durations.now() - started).nanoseconds * 1e-9
        if status is Status.SUCCEEDED:
            goal.succeed()
        elif status is Status.CANCELED:
            goal.canceled()
        else:
            self.get_logger().warning(outcome_text(shown(goal.request.name), status, message))
            goal.abort()
        return ExecuteAction.Result(outcome=outcome(status, message), duration=duration)

    async def _perform_action(self, goal: ServerGoalHandle) -> Status:
        library = self._director.library
        action = library.action(goal.request.name)
        chosen = {entry.name: entry.value for entry in goal.request.parameters}
        if len(chosen) < len(goal.request.parameters):
            names = [entry.name for entry in goal.request.parameters]
            twice = next(name for name in names if names.count(name) > 1)
            raise ParameterError(f'{action.name}: parameter {twice!r} is given twice')
        if goal.request.gait:
            library.choose(action, goal.request.gait)
        gait = goal.request.gait or self._strides.pace.gait
        # Repetitions are one object; each place has its own, by which it is known again.
        calls = [replace(call) for call in library.call(action.name, chosen, gait)]
        places = {id(call): place for place, call in enumerate(calls)}
        self.get_logger().info(f'{action.name} {chosen or ""} {goal.request.gait}'.rstrip())
        feedback = ExecuteAction.Feedback(count=len(calls))

        def announce(call: Call) -> None:
            self.get_logger().debug(f'{action.name}: {call.name} is next')
            feedback.sub_action, feedback.index = call.name, places[id(call)]
            feedback.progress = feedback.index / len(calls)
            goal.publish_feedback(feedback)

        complete = await self._director.perform(
            Task(
                action.name,
                action.priority,
                goal.request.queue,
                given_up=lambda: goal.is_cancel_requested,
            ),
            action.requires,
            _each(calls),
            announce,
            stop=lambda: goal.is_cancel_requested,
            ensures=action.ensures,
        )
        if complete:
            return Status.SUCCEEDED
        if goal.is_cancel_requested:
            return Status.CANCELED
        raise PerformError(Status.PREEMPTED, f'{action.name}: another command took over')

    def _begin(self, coroutine: Callable[[], Coroutine[Any, Any, None]]) -> None:
        assert self.executor is not None
        self.executor.create_task(coroutine)

    async def _look(self) -> None:
        """Measure the robot, unless a command moves it, which measures by itself."""
        if self._director.turns.busy or self._looking:
            return
        self._looking = True
        try:
            await self._publish_posture()
        finally:
            self._looking = False

    async def _publish_posture(self) -> None:
        if self._watch is None:  # neither posture nor mode is to be told
            return
        try:
            state = await self._director.performer.state()
        except PerformError:
            return
        if self._posture is not None:
            stamp = self.get_clock().now().to_msg()
            self._posture.publish(posture_message(state, self._footprint, stamp))

    def _list_actions(
        self, request: ListActions.Request, response: ListActions.Response
    ) -> ListActions.Response:
        actions = self._director.library.actions.values()
        response.actions = [describe(action) for action in actions]
        ours = self._strides.pace.gait
        response.gaits = sorted(
            self._director.library.gaits, key=lambda name: (name != ours, name)
        )
        return response


async def _each(calls: list[Call]) -> AsyncIterator[Call]:
    for call in calls:
        yield call


def main() -> int:
    """Run the node."""
    return run(ActionManager)
