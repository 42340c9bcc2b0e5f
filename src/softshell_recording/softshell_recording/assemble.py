"""A recording from the messages of a run, as ROS or a reader of bags has them; needs no ROS."""

from typing import Any

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import rotation_from_quaternion
from softshell_recording.recording import BasePath, BodyPath, Recording

#: A message with a stamp, of rclpy or of rosbags: they have the same fields.
Message = Any
#: Between two commands that are further apart, nothing was commanded [s].
LONGEST_GAP = 0.1


def assemble(
    joint_states: list[Message],
    odom: list[Message],
    joint_commands: list[Message],
    world_poses: list[Message] | None = None,
) -> Recording:
    """A recording from messages, each list in the order in which they came.

    The samples are those of `joint_states`; a sample that is not later than all before it, as
    after a reset of the clock, is left out. If several nodes publish some joints each, every
    sample has all joints, each with its latest value.

    Args:
        joint_states, joint_commands: of type `sensor_msgs/JointState`.
        odom: of type `nav_msgs/Odometry`.
        world_poses: of type `softshell_interfaces/WorldPoses`; None: there are none.

    Raises:
        SoftshellError: there are no joint states.
    """
    if not joint_states:
        raise SoftshellError('no joint_states were recorded: is a bridge running?')
    joint_states = advancing(joint_states)
    names = tuple(dict.fromkeys(name for message in joint_states for name in message.name))
    times = times_of(joint_states)
    return Recording(
        times=times,
        joint_names=names,
        joints=columns(joint_states, names, 'position'),
        commands=_commands(times, names, advancing(joint_commands)),
        base=_base(times, advancing(odom)) if odom else None,
        bodies=_bodies(advancing(world_poses or [])),
    )


def _commands(times: Array, names: tuple[str, ...], messages: list[Message]) -> Array:
    """(samples, joints) commanded at sample times; NaN while no commands came."""
    commands = np.full((len(times), len(names)), np.nan)
    if not messages:
        return commands
    known, told = times_of(messages), columns(messages, names, 'position')
    after = np.clip(np.searchsorted(known, times), 0, len(known) - 1)
    before = np.maximum(after - (known[after] > times), 0)
    held = (known[before] <= times) & (times <= known[after])
    held &= known[after] - known[before] <= LONGEST_GAP
    for column in range(len(names)):
        commands[held, column] = np.interp(times[held], known, told[:, column])
    return commands


def columns(messages: list[Message], names: tuple[str, ...], field: str) -> Array:
    """(messages, names) of a field of joint states: the latest value of each joint, else NaN."""
    places = {name: place for place, name in enumerate(names)}
    rows, last = np.empty((len(messages), len(names))), np.full(len(names), np.nan)
    told: list[str] = []
    here = np.empty(0, dtype=int)
    there = here
    for row, message in zip(rows, messages, strict=True):
        if message.name != told:
            told = message.name
            pairs = [(k, places[name]) for k, name in enumerate(told) if name in places]
            here, there = np.array(pairs, dtype=int).reshape(-1, 2).T
        values = getattr(message, field)
        if len(values) == len(told):
            last[there] = np.asarray(values)[here]
        row[:] = last
    return rows


def advancing(messages: list[Message]) -> list[Message]:
    """Messages with a stamp that is later than every one before."""
    kept: list[Message] = []
    for message in messages:
        if not kept or time_of(message) > time_of(kept[-1]):
            kept.append(message)
    return kept


def time_of(message: Message) -> float:
    """The stamp of a message [s]."""
    stamp = message.header.stamp
    return float(stamp.sec + 1e-9 * stamp.nanosec)


def times_of(messages: list[Message]) -> Array:
    """(messages,) stamps [s]."""
    return np.array([time_of(message) for message in messages])


def _bodies(messages: list[Message]) -> dict[str, BodyPath]:
    """The path of each body, at the times at which it was published."""
    told: dict[str, list[tuple[float, Message]]] = {}
    for message in messages:
        for name, pose in zip(message.names, message.poses, strict=True):
            told.setdefault(name, []).append((time_of(message), pose))
    return {
        name: BodyPath(
            times=np.array([time for time, _ in samples]),
            poses=np.array([_pose(pose) for _, pose in samples]),
        )
        for name, samples in told.items()
    }


def _pose(message: Message) -> Array:
    """(4, 4) of a pose."""
    place, turn = message.position, message.orientation
    pose = np.eye(4)
    pose[:3, :3] = rotation_from_quaternion([turn.x, turn.y, turn.z, turn.w])
    pose[:3, 3] = place.x, place.y, place.z
    return pose


def _base(times: Array, odom: list[Message]) -> BasePath:
    """The base at sample times: for each sample the first odometry that is not earlier."""
    rows = np.clip(np.searchsorted(times_of(odom), times), 0, len(odom) - 1)
    poses = [odom[row].pose.pose for row in rows]
    return BasePath(
        positions=np.array([[p.position.x, p.position.y, p.position.z] for p in poses]),
        orientations=np.array(
            [[p.orientation.x, p.orientation.y, p.orientation.z, p.orientation.w] for p in poses]
        ),
    )
