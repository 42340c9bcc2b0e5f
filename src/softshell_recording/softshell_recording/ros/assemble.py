"""A recording from the messages of a run."""

from typing import Any

import numpy as np
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState

from softshell_client.ros.messages import seconds
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_recording.recording import BasePath, Recording

#: Commands that are further apart were not given in between [s].
LONGEST_GAP = 0.1


def assemble(
    joint_states: list[JointState], odom: list[Odometry], joint_commands: list[JointState]
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
    times = _times(joint_states)
    return Recording(
        times=times,
        joint_names=names,
        joints=np.array([message.position for message in joint_states]),
        commands=_commands(times, names, _advancing(joint_commands)),
        base=_base(times, _advancing(odom)) if odom else None,
    )


def _commands(times: Array, names: tuple[str, ...], messages: list[JointState]) -> Array:
    """(samples, joints) commanded at sample times; NaN while no commands came."""
    commands = np.full((len(times), len(names)), np.nan)
    if not messages:
        return commands
    known, told = _times(messages), np.array([message.position for message in messages])
    after = np.clip(np.searchsorted(known, times), 0, len(known) - 1)
    before = np.maximum(after - (known[after] > times), 0)
    held = (known[before] <= times) & (times <= known[after])
    held &= known[after] - known[before] <= LONGEST_GAP
    for column, name in enumerate(messages[0].name):
        commands[held, names.index(name)] = np.interp(times[held], known, told[:, column])
    return commands


def _advancing(messages: list[Any]) -> list[Any]:
    """Messages with a stamp that is later than every one before."""
    kept: list[Any] = []
    for message in messages:
        if not kept or seconds(message.header.stamp) > seconds(kept[-1].header.stamp):
            kept.append(message)
    return kept


def _times(messages: list[Any]) -> Array:
    """(messages,) stamps [s]."""
    return np.array([seconds(message.header.stamp) for message in messages])


def _base(times: Array, odom: list[Odometry]) -> BasePath:
    """The base at sample times: of each the first odometry that is not earlier."""
    rows = np.clip(np.searchsorted(_times(odom), times), 0, len(odom) - 1)
    poses = [odom[row].pose.pose for row in rows]
    return BasePath(
        positions=np.array([[p.position.x, p.position.y, p.position.z] for p in poses]),
        orientations=np.array(
            [[p.orientation.x, p.orientation.y, p.orientation.z, p.orientation.w] for p in poses]
        ),
    )
