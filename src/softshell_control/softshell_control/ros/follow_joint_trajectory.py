"""The action `follow_joint_trajectory`, as motion planners use it.

Errors, tolerances and feedback mean what they mean for ros2_control's joint_trajectory_controller:
a tolerance of 0 is the default one, a negative one is none; what is desired is the point on the
trajectory, whatever the safety gate makes of it.
"""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.action import ActionServer, CancelResponse
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future

from softshell_common.bridge_mode import BridgeMode
from softshell_common.goal_state import ENDED, GoalState
from softshell_common.reason import texts
from softshell_common.ros.qos import ACTION_SERVER
from softshell_control.bridge import BridgeCore
from softshell_control.progress import Progress, progress_of
from softshell_control.ros.messages import read_trajectory, set_stamp, to_nanoseconds
from softshell_control.status import Status
from softshell_control.trajectories.check import check_trajectory
from softshell_control.trajectories.goal_event import GoalEvent
from softshell_control.trajectories.trajectory import NANOSECONDS, Identity, Tolerances, Trajectory
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import ProblemsError

try:
    from control_msgs.action import FollowJointTrajectory
except ImportError:
    FollowJointTrajectory = None

SENDER = 'follow_joint_trajectory'
FEEDBACK_PERIOD = 0.05  # [s] of wall time


class FollowJointTrajectoryServer:
    """Hands goals to the bridge and reports their results.

    Args:
        node: offers the action; nothing is offered where control_msgs is not installed.
        core: follows the trajectories.
        now: the bridge's clock [ns].
    """

    def __init__(self, node: Node, core: BridgeCore, now: Callable[[], int]) -> None:
        self._node, self._core, self._now = node, core, now
        self._goals: dict[Identity, Future] = {}
        self._events: deque[GoalEvent] = deque()
        self._progress: Progress | None = None  # made by the control loop, read by the executor
        # The control loop reports ends in its own thread; goals belong to the executor's thread.
        self._wake = node.create_guard_condition(self._take_events)
        if FollowJointTrajectory is None:
            node.get_logger().info(
                f'control_msgs is not installed: the action {SENDER} is not offered'
            )
            return
        self._server = ActionServer(
            node,
            FollowJointTrajectory,
            SENDER,
            execute_callback=self._execute,
            cancel_callback=self._cancel,
            **ACTION_SERVER,
        )

    @property
    def busy(self) -> bool:
        """Whether any goal has not ended."""
        return bool(self._goals)

    def on_status(self, status: Status) -> None:
        """Take note of a report of the core; called by the control loop."""
        if status.goal.identity.sender == SENDER and status.goal.state in ENDED:
            self._events.append(status.goal)
            self._wake.trigger()

    def on_period(self) -> None:
        """Take note of how far the goals have come; called by the control loop."""
        if self._goals:
            self._progress = progress_of(self._core)

    def _take_events(self) -> None:
        while self._events:
            event = self._events.popleft()
            future = self._goals.get(event.identity)
            if future is not None and not future.done():
                future.set_result(event)

    def _cancel(self, goal: Any) -> CancelResponse:
        self._core.cancel(_identity(goal))
        return CancelResponse.ACCEPT

    async def _execute(self, goal: Any) -> Any:
        identity = _identity(goal)
        request = read_trajectory(goal.request.trajectory, identity)
        limits = self._core.limits
        try:
            tolerances = _tolerances(goal.request, request.names, limits.tolerance, limits.names)
        except ProblemsError as error:
            goal.abort()
            return _result('INVALID_GOAL', str(error))
        checked = check_trajectory(request, limits.names, self._now(), tolerances)
        if not isinstance(checked, Trajectory):
            goal.abort()
            known = set(request.names) <= set(limits.names) and request.names
            return _result('INVALID_GOAL' if known else 'INVALID_JOINTS', *texts(checked.reasons))
        self._goals[identity] = Future()
        self._core.offer(checked)
        if goal.is_cancel_requested:  # at once with the goal, before the bridge knew it
            self._core.cancel(identity)
        timer = self._node.create_timer(
            FEEDBACK_PERIOD,
            lambda: self._tell_progress(goal, checked),
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )
        try:
            event: GoalEvent = await self._goals[identity]
        finally:
            self._node.destroy_timer(timer)
            del self._goals[identity]
        if event.state is GoalState.REACHED:
            goal.succeed()
            return _result('SUCCESSFUL')
        if goal.is_cancel_requested:
            goal.canceled()
            held = self._core.mode is BridgeMode.HOLDING  # nothing else moves them
            why = ['the joints hold'] if held else texts(event.reasons)
            return _result('SUCCESSFUL', *dict.fromkeys(['cancelled', *why]))
        goal.abort()
        if event.state is GoalState.MISSED:
            path, end = 'PATH_TOLERANCE_VIOLATED', 'GOAL_TOLERANCE_VIOLATED'
            kind = path if event.on_the_way else end
            return _result(kind, *texts(event.reasons))
        return _result('INVALID_GOAL', *texts(event.reasons))

    def _tell_progress(self, goal: Any, trajectory: Trajectory) -> None:
        if self._progress is not None:
            names = self._core.limits.names
            goal.publish_feedback(_feedback(self._progress, trajectory.channels, names))


def _feedback(progress: Progress, columns: NDArray[np.int64], names: Sequence[str]) -> Any:
    """The feedback of a trajectory of some channels, of all whose names are given."""
    desired, desired_rates, actual, actual_rates = progress.of(columns)
    feedback = FollowJointTrajectory.Feedback()
    set_stamp(feedback.header.stamp, progress.stamp)
    feedback.joint_names = [names[column] for column in columns]
    feedback.desired.positions = desired.tolist()
    feedback.desired.velocities = desired_rates.tolist()
    feedback.actual.positions = actual.tolist()
    feedback.actual.velocities = actual_rates.tolist()
    feedback.error.positions = (desired - actual).tolist()
    feedback.error.velocities = (desired_rates - actual_rates).tolist()
    return feedback


def _identity(goal: Any) -> Identity:
    return Identity(SENDER, bytes(goal.goal_id.uuid))


def _result(code: str, *reasons: str) -> Any:
    result = FollowJointTrajectory.Result()
    result.error_code = getattr(FollowJointTrajectory.Result, code)
    result.error_string = '; '.join(reasons)
    return result


def _tolerances(
    request: Any, names: Sequence[str], defaults: Array, known: Sequence[str]
) -> Tolerances:
    """Tolerances of a goal.

    Raises:
        ProblemsError: lists tolerances that are not valid or not of a joint of the trajectory.
    """
    places = {name: place for place, name in enumerate(known)}
    own = np.array([defaults[places[name]] if name in places else np.inf for name in names])
    problems: list[str] = []
    goal = _positions(request.goal_tolerance, names, own, 'goal_tolerance', problems)
    free = np.full(len(names), np.inf)
    path = _positions(request.path_tolerance, names, free, 'path_tolerance', problems)
    for field in ('component_path_tolerance', 'component_goal_tolerance'):
        if getattr(request, field, []):
            problems.append(f'{field} is given; expected tolerances of joints only')
    if request.multi_dof_trajectory.points:
        problems.append('multi_dof_trajectory is given; expected a trajectory of joints only')
    if problems:
        raise ProblemsError('goal', problems)
    time = to_nanoseconds(request.goal_time_tolerance) / NANOSECONDS
    return Tolerances(goal, (np.inf if time < 0.0 else time) or None, path)


def _positions(
    tolerances: Sequence[Any],
    names: Sequence[str],
    defaults: Array,
    field: str,
    problems: list[str],
) -> Array | None:
    """(joints,) tolerances of positions; None if the goal has none of this kind."""
    if not len(tolerances):
        return None
    values = defaults.copy()
    for name, count in Counter(tolerance.name for tolerance in tolerances).items():
        if count > 1:
            problems.append(f'{field} of {name!r} is given {count} times; expected once')
    for tolerance in tolerances:
        if tolerance.name not in names:
            problems.append(f'{field} of {tolerance.name!r}; expected one of {", ".join(names)}')
        elif not np.isfinite(tolerance.position):
            problems.append(
                f'{field} of {tolerance.name!r} is {tolerance.position}; expected a finite number'
            )
        elif tolerance.velocity > 0.0 or tolerance.acceleration > 0.0:
            problems.append(
                f'{field} of {tolerance.name!r} limits velocity or acceleration; expected a '
                'tolerance of position alone'
            )
        elif tolerance.position:
            place = list(names).index(tolerance.name)
            values[place] = tolerance.position if tolerance.position > 0.0 else np.inf
    return values
