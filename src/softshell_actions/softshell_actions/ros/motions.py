"""Motions that were sent to the bridge, and its reports on them."""

import uuid
from array import array
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
from builtin_interfaces.msg import Duration
from rclpy.node import Node
from rclpy.task import Future
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from unique_identifier_msgs.msg import UUID

from softshell_actions.performing.robot import BasePose, PerformError
from softshell_actions.trajectories.motion import Motion
from softshell_common.bridge_mode import DRIVING
from softshell_common.outcome import Status
from softshell_common.reason import ReasonCode
from softshell_common.ros import qos
from softshell_interfaces.msg import (
    ActionParameter,
    BridgeStatus,
    ControllerCommand,
    TrajectoryCommand,
    TrajectoryState,
)
from softshell_kinematics.transforms import angles_from_rotation, rotation_from_quaternion

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
#: Of x, y and yaw on the diagonal of a covariance (6, 6), whose rows follow one another.
XY_YAW = [0, 7, 35]


class SentMotion:
    """A motion that the bridge knows by its id.

    Args:
        identity: its id.
        before: the motion that has to reach its goal first, if it is queued behind one.

    Attributes:
        error: with which it ended; None if it has not ended, or reached its goal.
        base: where the base was when it began; None if that is unknown.
    """

    def __init__(self, identity: UUID, before: 'SentMotion | None' = None) -> None:
        self.identity = identity
        self._started, self._ended = Future(), Future()
        self._before = before
        self.error: PerformError | None = None
        self.base: BasePose | None = None

    async def started(self) -> None:
        """Return once it moves; raise the PerformError with which it has ended, if any."""
        _raise_error(await self._started)
        _raise_error(self.error)

    async def reached(self) -> None:
        """Return once its goal is reached; raise the PerformError if it ended otherwise."""
        _raise_error(await self._ended)

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self._ended.done()

    def start(self, base: BasePose | None = None) -> None:
        """Note that it moves.

        Args:
            base: see `SentMotion`.
        """
        if not self._started.done():
            self.base = base
            self._started.set_result(None)

    def end(self, error: PerformError | None = None) -> None:
        """Note that it has ended, at its goal or with an error.

        If it failed as the motion before it failed, it ends with that one's error.
        """
        before, self._before = self._before, None
        if error is not None and before is not None and before.error is not None:
            error = before.error
        self.error = error
        for future in (self._started, self._ended):
            if not future.done():
                future.set_result(error)


class SentRun(SentMotion):
    """A run of a controller that the bridge knows by its id.

    Args:
        identity, before: as in `SentMotion`.
        tell: sends it a request with references.
    """

    def __init__(
        self,
        identity: UUID,
        tell: Callable[[int, Mapping[str, float]], None],
        before: SentMotion | None = None,
    ) -> None:
        super().__init__(identity, before)
        self._tell = tell

    def tell(self, references: Mapping[str, float]) -> None:
        """Give it new references, by name."""
        self._tell(ControllerCommand.UPDATE, references)

    def finish(self) -> None:
        """Have it come to rest; its goal is then reached."""
        self._tell(ControllerCommand.FINISH, {})


Sent = TypeVar('Sent', bound=SentMotion)


class Motions:
    """The motions that were sent and have not ended, each with an id.

    Args:
        node: sends them, under its name.

    Attributes:
        disturbed: whether anything else may have moved the robot: the bridge did not drive the
            joints or was started anew, or another sender's trajectory moved them.
    """

    def __init__(self, node: Node) -> None:
        self._name = node.get_fully_qualified_name()
        self._log = node.get_logger()
        self._publisher = node.create_publisher(
            TrajectoryCommand, 'trajectory_command', qos.ORDERS
        )
        self._runs = node.create_publisher(ControllerCommand, 'controller_command', qos.ORDERS)
        self._sent: dict[bytes, SentMotion] = {}
        self._newest: SentMotion | None = None
        self._had_one = False  # whether the bridge had had a trajectory when it last reported
        self.disturbed = True

    def __bool__(self) -> bool:
        return bool(self._sent)

    def send(self, motion: Motion, queue: bool) -> SentMotion:
        """Send a trajectory, to start at once or when the motion before it is reached."""
        identity, before = _new_id(), self._newest if queue else None
        message = TrajectoryCommand(
            id=identity,
            sender=self._name,
            after=_id_of(before),
            queue=queue,
            on_feet=motion.on_feet,
            trajectory=_trajectory(motion),
        )
        self._log.debug(
            f'sent: {len(motion.joints)} joints, {len(motion.times)} points, '
            f'{motion.times[-1]:.2f} s{", queued" if queue else ""}'
        )
        sent = self._add(SentMotion(identity, before))
        self._publisher.publish(message)
        return sent

    def run(self, controller: str, references: Mapping[str, float], queue: bool) -> SentRun:
        """Begin a run of a controller, at once or when the motion before it is reached."""
        identity, before = _new_id(), self._newest if queue else None

        def tell(request: int, told: Mapping[str, float]) -> None:
            self._runs.publish(
                ControllerCommand(
                    id=identity,
                    sender=self._name,
                    request=request,
                    after=_id_of(before),
                    queue=queue,
                    controller=controller,
                    references=[ActionParameter(name=n, value=float(v)) for n, v in told.items()],
                )
            )

        sent = self._add(SentRun(identity, tell, before))
        tell(ControllerCommand.BEGIN, references)
        return sent

    def _add(self, sent: Sent) -> Sent:
        self._sent[bytes(sent.identity.uuid)] = self._newest = sent
        return sent

    def end_all(self, error: PerformError) -> None:
        """End all motions with an error."""
        for key in list(self._sent):
            self._sent.pop(key).end(error)

    def on_status(self, message: BridgeStatus) -> None:
        """Take a report of the bridge."""
        goal = message.trajectory
        driven = message.mode in DRIVING
        foreign = goal.sender != self._name and goal.state in _MOVING
        had_one, self._had_one = self._had_one, goal.state != TrajectoryState.NONE
        # It has never had a trajectory, but the last one had; or it does not drive, and what was
        # sent is not on its way.
        is_new = not self._had_one and (had_one or not driven)
        self.disturbed = self.disturbed or not driven or foreign or is_new
        if self._sent and is_new:
            text = f'{message.bridge} bridge: it was started anew, and does not know the motion'
            self.end_all(PerformError(Status.STOPPED, text))
        key = bytes(goal.id.uuid)
        if key in self._sent and goal.state in (
            TrajectoryState.ACTIVE,
            TrajectoryState.REACHED,
        ):
            # A queued goal becomes active only when those before it are reached.
            for earlier in list(self._sent):
                if earlier == key:
                    break
                self._sent.pop(earlier).end()
        sent = self._sent.get(key)
        if sent is None:
            return
        if goal.state == TrajectoryState.ACTIVE:
            sent.start(_base(message))
        elif goal.state == TrajectoryState.REACHED:
            self._sent.pop(key).end()
        elif goal.state in _FAILED_GOALS:
            overtaken = ReasonCode.OVERTAKEN in goal.codes
            status = Status.PREEMPTED if overtaken else _FAILED_GOALS[goal.state]
            reasons = list(goal.reasons)
            if goal.state == TrajectoryState.MISSED:
                reasons += message.reasons  # a limit of the gate may be the cause
            text = f'{message.bridge} bridge: {"; ".join(reasons)}'
            self._sent.pop(key).end(PerformError(status, text))


def _new_id() -> UUID:
    return UUID(uuid=np.frombuffer(uuid.uuid4().bytes, dtype=np.uint8))


def _id_of(sent: SentMotion | None) -> UUID:
    """Its id; zeros for none."""
    return UUID() if sent is None else sent.identity


def _base(message: BridgeStatus) -> BasePose | None:
    """Where the base is; None where nothing measures it."""
    if not message.base_is_known:
        return None
    place, turn = message.base.pose.position, message.base.pose.orientation
    rotation = rotation_from_quaternion(np.array([turn.x, turn.y, turn.z, turn.w]))
    pose = np.array([place.x, place.y, angles_from_rotation(rotation)[0]])
    return BasePose(pose, np.sqrt(message.base.covariance[XY_YAW]))


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


def _raise_error(result: Any) -> None:
    if isinstance(result, PerformError):
        raise result
