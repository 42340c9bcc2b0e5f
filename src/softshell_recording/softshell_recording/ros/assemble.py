"""A recording from the messages of a run."""

from typing import Any

import numpy as np
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState

from softshell_client.ros.messages import seconds
from softshell_common.goal_state import CUT_SHORT, GoalState
from softshell_interfaces.msg import BridgeStatus, TrajectoryCommand, TrajectoryState
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_recording.commands import Followed, commanded_positions
from softshell_recording.recording import BasePath, Recording


def assemble(
    joint_states: list[JointState],
    odom: list[Odometry],
    trajectory_command: list[TrajectoryCommand],
    bridge_status: list[BridgeStatus],
) -> Recording:
    """A recording from messages, each list in the order in which they came.

    The samples are those of `joint_states`; a sample that is not later than all before it, as
    after a reset of the clock, is left out.

    Raises:
        SoftshellError: there are no joint states.
    """
    if not joint_states:
        raise SoftshellError('no joint_states were recorded: is a bridge running?')
    names = tuple(joint_states[0].name)
    joint_states = _advancing(joint_states)
    times = np.array([seconds(message.header.stamp) for message in joint_states])
    return Recording(
        times=times,
        joint_names=names,
        joints=np.array([message.position for message in joint_states]),
        commands=commanded_positions(times, names, followed(trajectory_command, bridge_status)),
        base=_base(times, _advancing(odom)) if odom else None,
    )


def followed(commands: list[TrajectoryCommand], statuses: list[BridgeStatus]) -> list[Followed]:
    """The trajectories that the bridge began to follow, in that order.

    A trajectory and the reports about it are matched by its id.
    """
    starts: dict[bytes, float] = {}
    ends: dict[bytes, float] = {}
    for status in statuses:
        state = status.trajectory
        # A report repeats the last change, so the first one tells when it happened.
        if state.state == GoalState.ACTIVE:
            starts.setdefault(_id(state), seconds(status.header.stamp))
        elif state.state in CUT_SHORT:
            ends.setdefault(_id(state), seconds(status.header.stamp))
    begun = [command for command in commands if _id(command) in starts and _points(command)]
    return sorted(
        (_followed(one, starts[_id(one)], ends.get(_id(one), np.inf)) for one in begun),
        key=lambda one: one.start,
    )


def _followed(command: TrajectoryCommand, start: float, end: float) -> Followed:
    points = _points(command)
    rates = None
    if all(len(point.velocities) for point in points):
        rates = np.array([point.velocities for point in points])
    return Followed(
        start=start,
        end=end,
        names=tuple(command.trajectory.joint_names),
        times=np.array([seconds(point.time_from_start) for point in points]),
        values=np.array([point.positions for point in points]),
        rates=rates,
    )


def _points(command: TrajectoryCommand) -> list[Any]:
    return command.trajectory.points


def _id(message: TrajectoryCommand | TrajectoryState) -> bytes:
    return bytes(message.id.uuid)


def _advancing(messages: list[Any]) -> list[Any]:
    """Messages with a stamp that is later than every one before."""
    kept: list[Any] = []
    for message in messages:
        if not kept or seconds(message.header.stamp) > seconds(kept[-1].header.stamp):
            kept.append(message)
    return kept


def _base(times: Array, odom: list[Odometry]) -> BasePath:
    """The base at sample times: of each the first odometry that is not earlier."""
    odom_times = np.array([seconds(message.header.stamp) for message in odom])
    rows = np.clip(np.searchsorted(odom_times, times), 0, len(odom) - 1)
    poses = [odom[row].pose.pose for row in rows]
    return BasePath(
        positions=np.array([[p.position.x, p.position.y, p.position.z] for p in poses]),
        orientations=np.array(
            [[p.orientation.x, p.orientation.y, p.orientation.z, p.orientation.w] for p in poses]
        ),
    )
