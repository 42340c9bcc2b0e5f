"""The robot as the performer sees it, over topics and services: `solve_ik`, `trajectory_command`,
`bridge_status`, `joint_states` and `imu`."""

import math
import uuid
from array import array
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration
from rclpy.node import Node
from rclpy.task import Future
from sensor_msgs.msg import Imu, JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from unique_identifier_msgs.msg import UUID

from softshell_actions.motion import Motion
from softshell_actions.performer import PerformError
from softshell_actions.ros.tilt import tilt_of
from softshell_actions.ros.waits import Waits
from softshell_actions.state import State
from softshell_common.outcome import Status
from softshell_common.ros import qos
from softshell_interfaces.msg import (
    BridgeStatus,
    LimbPath,
    LimbSolution,
    TrajectoryCommand,
    TrajectoryState,
)
from softshell_interfaces.srv import SolveIK
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import COORDINATES

#: A bridge or a service that has been silent for so long will not answer any more [s, wall].
SILENCE = 5.0
_FAILED_GOALS = {
    TrajectoryState.MISSED: Status.GOAL_MISSED,
    TrajectoryState.REPLACED: Status.PREEMPTED,
    TrajectoryState.REJECTED: Status.REJECTED,
    TrajectoryState.STOPPED: Status.STOPPED,
}
#: States in which a trajectory moves the robot, or has moved it.
_MOVING = (
    TrajectoryState.ACTIVE,
    TrajectoryState.REACHED,
    TrajectoryState.MISSED,
    TrajectoryState.STOPPED,
)
_FAILED_SOLUTIONS = {
    LimbSolution.LIMIT_BOUND: 'a joint limit stands in the way',
    LimbSolution.UNREACHABLE: 'it is out of reach',
    LimbSolution.SINGULAR: 'the pose is singular',
    LimbSolution.ITERATION_LIMIT: 'the iteration limit came first',
}


class SentMotion:
    """A motion that the bridge knows by its id."""

    def __init__(self) -> None:
        self._started, self._ended = Future(), Future()

    async def started(self) -> None:
        """Return once it moves; raise the PerformError it ended with before that."""
        _raise_error(await self._started)

    async def reached(self) -> None:
        """Return once its goal is reached; raise the PerformError it ended with otherwise."""
        _raise_error(await self._ended)

    def start(self) -> None:
        """It moves."""
        if not self._started.done():
            self._started.set_result(None)

    def end(self, error: PerformError | None = None) -> None:
        """It has ended, well or with an error."""
        for future in (self._started, self._ended):
            if not future.done():
                future.set_result(error)


class RobotClient:
    """Solves, sends and measures through a node.

    Args:
        node: whose executor runs the callbacks.
        to_state: makes a state from measured joint positions [rad] or [m] and tilt [rad].
        fixed_joints: joints that inverse kinematics leaves where they are.
        mountings: (3, 3) orientation in the base of each link that is fixed to it.
    """

    def __init__(
        self,
        node: Node,
        to_state: Callable[[Mapping[str, float], float], State],
        fixed_joints: tuple[str, ...],
        mountings: Mapping[str, Array],
    ) -> None:
        self._node, self._to_state, self._fixed = node, to_state, fixed_joints
        self._mountings = mountings
        self._name = node.get_fully_qualified_name()
        self._disturbed = True
        self._ik = node.create_client(SolveIK, 'solve_ik')
        self._trajectory = node.create_publisher(
            TrajectoryCommand, 'trajectory_command', qos.ORDERS
        )
        node.create_subscription(BridgeStatus, 'bridge_status', self._on_status, qos.CHANGES)
        self._motions: dict[bytes, SentMotion] = {}
        self._waits = Waits(node, self._end_what_is_silent)
        self._last_status = -math.inf

    async def solve(
        self, limbs: Mapping[str, Array], seed: Mapping[str, float]
    ) -> Mapping[str, Array]:
        """Joint paths that bring tips to their goals, by one service call.

        Args:
            limbs: (points, 6) x y z yaw pitch roll in base_link by chain, NaN where free.
            seed: joint positions at the start [rad].

        Raises:
            PerformError: no kinematics, or a goal that cannot be reached.
        """
        if not await self._waits.within(SILENCE, self._ik.service_is_ready):
            raise PerformError(Status.NOT_READY, 'nobody offers solve_ik: is kinematics running?')
        request = SolveIK.Request(warm_start=True, fixed_joints=list(self._fixed))
        request.limbs = [limb_path(chain, path) for chain, path in limbs.items()]
        request.seed.name = list(seed)
        request.seed.position = array('d', seed.values())
        latest = self._waits.time + SILENCE
        future = self._ik.call_async(request)
        response = await self._waits.answer(future, lambda: self._waits.time > latest)
        if response is None:
            raise PerformError(Status.NOT_READY, f'solve_ik has not answered for {SILENCE:g} s')
        if response.status != SolveIK.Response.OK:
            raise PerformError(Status.UNREACHABLE, f'solve_ik: {response.message}')
        if not response.all_converged:
            raise PerformError(Status.UNREACHABLE, _first_failure(response.solutions))
        return {
            path.name: np.asarray(path.position)
            for solution in response.solutions
            for path in solution.joints
            if path.name not in self._fixed
        }

    async def measure(self) -> State:
        """The state of the robot at rest, from the next joint states.

        Raises:
            PerformError: no bridge has reported any.
        """
        message = await self._next(JointState, 'joint_states')
        if message is None:
            raise PerformError(
                Status.NOT_READY, 'no joint_states or bridge_status: is a bridge running?'
            )
        joints = dict(zip(message.name, message.position, strict=True))
        return self._to_state(joints, await self.tilt())

    async def tilt(self) -> float:
        """Angle between the base's z axis and the vertical [rad]; 0 where nothing measures it."""
        if not self._node.count_publishers('imu'):
            return 0.0
        message = await self._next(Imu, 'imu')
        if message is None:
            return 0.0
        try:
            return tilt_of(message, self._mountings.get) or 0.0
        except SoftshellError as error:
            self._node.get_logger().warning(
                f'imu: {error}: the tilt counts as 0', throttle_duration_sec=10.0
            )
            return 0.0

    def disturbed(self) -> bool:
        """Whether anything but what was sent may have moved the robot since this was last asked.

        That is a bridge that did not drive the joints, or a trajectory of somebody else.
        """
        disturbed, self._disturbed = self._disturbed, False
        return disturbed

    def send(self, motion: Motion, queue: bool) -> SentMotion:
        """Send a trajectory, to start at once or when the goal of the one before is reached."""
        identity = uuid.uuid4().bytes
        message = TrajectoryCommand(
            id=UUID(uuid=np.frombuffer(identity, dtype=np.uint8)),
            sender=self._name,
            queue=queue,
            trajectory=_trajectory(motion),
        )
        sent = self._motions[identity] = SentMotion()
        self._trajectory.publish(message)
        return sent

    async def _next(self, kind: Any, topic: str) -> Any:
        """The next message of a topic; None if none comes, or the bridge is silent."""
        received: list[Any] = []
        # Only for as long as it is wanted: they are many.
        subscription = self._node.create_subscription(
            kind, topic, received.append, qos.SENSOR_CONSUMER
        )
        try:
            there = await self._waits.within(
                SILENCE, lambda: bool(received) and not self._bridge_is_silent()
            )
        finally:
            self._node.destroy_subscription(subscription)
        return received[-1] if there else None

    async def sleep(self, duration: float) -> None:
        """Let time pass on the ROS clock, for as long as the bridge is alive.

        Args:
            duration: [s]; nothing happens if it is not positive.
        """
        await self._waits.sleep(duration, self._bridge_is_silent)

    @property
    def missing(self) -> str:
        """What of the robot is not there yet; empty once it can be moved."""
        absent = []
        if self._last_status == -math.inf:
            absent.append('a bridge (bridge_status)')
        if not self._ik.service_is_ready():
            absent.append('kinematics (solve_ik)')
        if (
            self._node.get_clock().ros_time_is_active
            and not self._node.get_clock().now().nanoseconds
        ):
            absent.append('the time (clock)')
        return ' and '.join(absent)

    @property
    def ended(self) -> bool:
        """Whether `end` was called."""
        return self._waits.ended

    def end(self, error: PerformError) -> None:
        """End all waiting, now and later, with an error; the bridge ends what moves."""
        self._waits.end(error)
        for key in list(self._motions):
            self._motions.pop(key).end(error)

    def _on_status(self, message: BridgeStatus) -> None:
        self._last_status = self._waits.time
        goal = message.trajectory
        driven = message.mode in (BridgeStatus.HOLDING, BridgeStatus.EXECUTING)
        foreign = goal.sender != self._name and goal.state in _MOVING
        self._disturbed = self._disturbed or not driven or foreign
        key = bytes(goal.id.uuid)
        if key in self._motions and goal.state in (
            TrajectoryState.ACTIVE,
            TrajectoryState.REACHED,
        ):
            # A queued goal becomes active only when those before it are reached.
            for earlier in list(self._motions):
                if earlier == key:
                    break
                self._motions.pop(earlier).end()
        sent = self._motions.get(key)
        if sent is None:
            return
        if goal.state == TrajectoryState.ACTIVE:
            sent.start()
        elif goal.state == TrajectoryState.REACHED:
            self._motions.pop(key).end()
        elif goal.state in _FAILED_GOALS:
            status = _FAILED_GOALS[goal.state]
            reasons = '; '.join([*goal.reasons, *message.reasons])
            text = f'{message.bridge} bridge: goal {status.name.lower()}: {reasons}'
            self._motions.pop(key).end(PerformError(status, text))

    def _bridge_is_silent(self) -> bool:
        return self._waits.time - self._last_status > SILENCE

    def _end_what_is_silent(self) -> None:
        if self._motions and self._bridge_is_silent():
            error = PerformError(Status.NOT_READY, f'the bridge has been silent for {SILENCE:g} s')
            for key in list(self._motions):
                self._motions.pop(key).end(error)


def _trajectory(motion: Motion) -> JointTrajectory:
    message = JointTrajectory(joint_names=list(motion.joints))
    message.points = [
        JointTrajectoryPoint(
            positions=array('d', position.tobytes()),
            velocities=array('d', velocity.tobytes()),
            time_from_start=Duration(sec=seconds, nanosec=nanoseconds),
        )
        for (seconds, nanoseconds), position, velocity in zip(
            (divmod(round(at * 1e9), 1_000_000_000) for at in motion.times),
            motion.positions,
            motion.velocities,
            strict=True,
        )
    ]
    return message


def limb_path(chain: str, path: Array) -> LimbPath:
    """Goals of one chain on the wire; a coordinate that is NaN throughout is free.

    Args:
        chain: name.
        path: (points, 6) in base_link, in the order of `COORDINATES`.
    """
    free = [bool(np.isnan(column).all()) for column in path.T]
    message = LimbPath(chain=chain, free=free)
    for index, name in enumerate(COORDINATES):
        if not free[index]:
            setattr(message, name, array('d', np.ascontiguousarray(path[:, index]).tobytes()))
    return message


def _first_failure(solutions: list[LimbSolution]) -> str:
    for solution in solutions:
        status = list(solution.status)
        point = next((i for i, s in enumerate(status) if s != LimbSolution.CONVERGED), None)
        if point is not None:
            why = _FAILED_SOLUTIONS.get(int(status[point]), f'status {status[point]}')
            return (
                f'{solution.chain} cannot reach point {point + 1} of {len(status)}: {why}; '
                f'{list(solution.residual)[point] * 1e3:.1f} mm are missing'
            )
    return 'inverse kinematics did not converge'


def _raise_error(result: Any) -> None:
    if isinstance(result, PerformError):
        raise result
