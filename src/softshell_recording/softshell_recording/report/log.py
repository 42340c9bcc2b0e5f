"""What a bag holds of one robot, as arrays on one clock; needs no ROS."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress, takewhile
from pathlib import Path
from typing import Any

import numpy as np

from softshell_common.bridge_mode import STOPPED, BridgeMode
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_recording.assemble import advancing, assemble, columns, time_of
from softshell_recording.reading import decoded_messages_of, opened
from softshell_recording.recording import Recording
from softshell_recording.report.health import (
    Health,
    Temperatures,
    read_health,
    read_temperatures,
)
from softshell_recording.report.one_clock import meanwhile, ros_clock, rows_of_one_clock
from softshell_recording.report.touch import Touch, read_touch
from softshell_recording.report.usable import usable_odometry, usable_urdf
from softshell_recording.topic import TRUTH

#: Topics of a stack that a report is made of, within its namespace, and their types.
TOPICS = {
    'joint_states': 'sensor_msgs/msg/JointState',
    'joint_commands': 'sensor_msgs/msg/JointState',
    'odom': 'nav_msgs/msg/Odometry',
    'foot_contacts': 'softshell_interfaces/msg/FootContacts',
    'bridge_status': 'softshell_interfaces/msg/BridgeStatus',
    'diagnostics': 'diagnostic_msgs/msg/DiagnosticArray',
    'dynamic_joint_states': 'control_msgs/msg/DynamicJointState',
    'mode': 'std_msgs/msg/String',
    'cmd_vel': 'geometry_msgs/msg/Twist',
    'robot_description': 'std_msgs/msg/String',
    'execute_action/_action/feedback':
        'softshell_interfaces/action/ExecuteAction_FeedbackMessage',
}  # fmt: skip
#: Those whose messages are put in order by their stamps; the first one tells the clock.
SAMPLED = ('joint_states', 'joint_commands', 'odom', 'foot_contacts')
#: Those that count whatever clock they are of: of the robot, and its stops.
KEPT = {'robot_description', 'bridge_status'}
#: What all stacks of a domain share.
LOG, LOG_TYPE = '/rosout', 'rcl_interfaces/msg/Log'
#: Lines of the log from this level on become events.
WARNING = 30


@dataclass(frozen=True)
class Event:
    """Something that happened.

    Args:
        time: [s] on the ROS clock.
        kind: 'mode', 'fault', 'recovery', 'warning' or 'action'.
        text: for people.
    """

    time: float
    kind: str
    text: str


@dataclass(frozen=True, eq=False)
class Log:
    """What was recorded of one robot.

    Args:
        namespace: of its stack; empty for none.
        urdf: its text; empty if it was not recorded, or is no URDF.
        base: the link that odometry is of; empty without odometry.
        recording: joints, their commands, and the base.
        velocities, efforts: (samples, joints) as measured [rad/s] or [m/s], [N m] or [N]; no
            columns if they were not published.
        touch: contacts of the feet; None if they were not published.
        driven: (n, 4) times [s] and x, y [m/s], yaw [rad/s] of `cmd_vel`.
        health: None if no diagnostics came.
        temperatures: None if they were not published.
        events: by time.
        bridge: what moved the robot, e.g. sim.
        wall: [s] from the first message to the last.
    """

    namespace: str
    urdf: str
    base: str
    recording: Recording
    velocities: Array
    efforts: Array
    touch: Touch | None
    driven: Array
    health: Health | None
    temperatures: Temperatures | None
    events: tuple[Event, ...]
    bridge: str
    wall: float


def read_log(
    path: Path, namespace: str | None = None, tell: Callable[[str], None] = lambda line: None
) -> Log:
    """Read a bag.

    Odometry that has no pose, a URDF that is none and messages of another clock are told and left
    out.

    Args:
        path: of the bag.
        namespace: of the stack; None: that of the only one.
        tell: takes a line about what is wrong with the bag.

    Raises:
        SoftshellError: it cannot be read, or has no joint states of such a stack, or of several.
    """
    with opened(path, tell) as reader:
        names = {one.topic for one in reader.connections if one.msgtype == TOPICS['joint_states']}
        stacks = _stacks(names)
        chosen = _namespace(path, stacks, namespace)
        prefix = f'/{chosen}/' if chosen else '/'
        wanted = {prefix + part + topic: (part, topic) for topic in TOPICS for part in ('', TRUTH)}
        connections = []
        for one in reader.connections:
            kind = LOG_TYPE if one.topic == LOG else TOPICS.get(wanted.get(one.topic, ('', ''))[1])
            if one.msgtype == kind and kind in reader.typestore.fielddefs:
                connections.append(one)
            elif one.msgtype == kind:
                tell(f'{one.topic} is left out: no definition of {kind} is installed')
            elif kind is not None:
                tell(f'{one.topic} is left out: it is of {one.msgtype}, expected {kind}')
        found: dict[str, list[Any]] = defaultdict(list)
        walls: dict[str, list[int]] = defaultdict(list)
        for connection, stamp, message in decoded_messages_of(reader, path, connections):
            part, topic = wanted.get(connection.topic, ('', LOG))
            if topic == LOG and not _is_of(chosen, message.name, stacks):
                continue
            found[part + topic].append(message)
            walls[part + topic].append(stamp)
    sources = {topic: f'{path}: {prefix}{topic}' for topic in TOPICS}
    for topic in TOPICS:
        if found.get(TRUTH + topic):
            found[topic], walls[topic] = found[TRUTH + topic], walls[TRUTH + topic]
            sources[topic] = f'{path}: {prefix}{TRUTH}{topic}'
    if not found['joint_states']:
        raise SoftshellError(f'{path}: no message on joint_states; expected those of a robot')
    _keep_one_clock(found, walls, sources, tell)
    found['odom'] = usable_odometry(found['odom'], sources['odom'], tell)
    described = found['robot_description']
    urdf = described[-1].data if described else ''
    urdf = usable_urdf(urdf, sources['robot_description'], tell)
    return _log(chosen, urdf, found, walls)


def _keep_one_clock(
    found: dict[str, list[Any]],
    walls: dict[str, list[int]],
    sources: dict[str, str],
    tell: Callable[[str], None],
) -> None:
    """Leave out what is not of the clock that most joint states are of, and order the rest."""
    for topic in SAMPLED:
        rows = rows_of_one_clock(found[topic], walls[topic], sources[topic], tell)
        span = meanwhile(rows, walls[topic]) if topic == 'joint_states' else None
        found[topic] = [found[topic][row] for row in rows]
        walls[topic] = [walls[topic][row] for row in rows]
        if span is None:
            continue
        begin, end = span
        for other in found.keys() - KEPT - {topic}:
            among = [begin < wall < end for wall in walls[other]]
            found[other] = [*compress(found[other], among)]
            walls[other] = [*compress(walls[other], among)]


def _stacks(topics: Iterable[str]) -> list[str]:
    """The namespaces of the stacks that publish these topics."""
    ends = re.compile(rf'/(?:(.*)/)?(?<!{TRUTH})joint_states')
    return sorted(match[1] or '' for match in map(ends.fullmatch, topics) if match is not None)


def _is_of(namespace: str, logger: str, stacks: Sequence[str]) -> bool:
    """Whether a logger is of the stack in a namespace: all stacks share the log.

    A logger has the namespace and name of its node, with dots. It is of the stack with the longest
    namespace that these begin with.
    """
    return namespace == max(
        (one for one in stacks if not one or f'{logger}.'.startswith(one.replace('/', '.') + '.')),
        key=len,
        default=None,
    )


def _namespace(path: Path, there: Sequence[str], wanted: str | None) -> str:
    """The namespace of the stack that is reported.

    Raises:
        SoftshellError: there is none, or several and none is wanted.
    """
    known = ', '.join(repr(name) for name in there) or 'none'
    if wanted is not None:
        if wanted.strip('/') in there:
            return wanted.strip('/')
        raise SoftshellError(f'{path}: no stack in namespace {wanted!r}; recorded: {known}')
    if not there:
        raise SoftshellError(
            f'{path}: no joint_states ({TOPICS["joint_states"]}); expected those of one robot'
        )
    if len(there) != 1:
        raise SoftshellError(f'{path}: {len(there)} stacks, namespaces {known}; expected one')
    return there[0]


def _log(
    namespace: str, urdf: str, found: dict[str, list[Any]], walls: dict[str, list[int]]
) -> Log:
    states = advancing(found['joint_states'])
    recording = assemble(found['joint_states'], found['odom'], found['joint_commands'])
    moments = ros_clock(found['joint_states'], walls['joint_states'])
    status, odom = found['bridge_status'], found['odom']
    stamps = [stamp for every in walls.values() for stamp in every]
    return Log(
        namespace=namespace,
        urdf=urdf,
        base=odom[0].child_frame_id if odom else '',
        recording=recording,
        velocities=_told(states, recording, 'velocity'),
        efforts=_told(states, recording, 'effort'),
        touch=read_touch(recording, advancing(found['foot_contacts'])),
        driven=_driven(found['cmd_vel'], moments(walls['cmd_vel'])),
        health=read_health(found['diagnostics']),
        temperatures=read_temperatures(found['dynamic_joint_states']),
        events=tuple(
            sorted(
                [
                    *_status_events(status, recording.times[0]),
                    *_texts('mode', found['mode'], moments(walls['mode'])),
                    *_actions(
                        found['execute_action/_action/feedback'],
                        moments(walls['execute_action/_action/feedback']),
                    ),
                    *_warnings(found[LOG], moments(walls[LOG])),
                ],
                key=lambda event: event.time,
            )
        ),
        bridge=status[-1].bridge if status else '',
        wall=1e-9 * (max(stamps) - min(stamps)),
    )


def _told(states: list[Any], recording: Recording, field: str) -> Array:
    """(samples, joints) of a field of joint states; no columns if a joint never had it."""
    values = columns(states, recording.joint_names, field)
    return values[:, :0] if np.isnan(values).all(axis=0).any() else values


def _driven(messages: list[Any], times: Array) -> Array:
    """(n, 4) times and velocities of `cmd_vel`, as in `Log`."""
    rows = [
        (time, one.linear.x, one.linear.y, one.angular.z)
        for time, one in zip(times.tolist(), messages, strict=True)
    ]
    return np.array(rows).reshape(-1, 4)


def _status_events(messages: list[Any], begin: float) -> list[Event]:
    """The bridge's faults and stops with their reasons, and how it left them.

    They are in the order in which they came: the clock may begin anew within the recording.

    Args:
        messages: of its status; a latched one may be older than the recording.
        begin: of the recording [s]; of earlier events only a stop that still lasted is kept.
    """
    events, before = [], None
    for message in messages:
        mode = BridgeMode(message.mode)
        if mode != before:
            stopped = mode in STOPPED
            text = mode.words
            if stopped and len(message.reasons):
                text += f': {"; ".join(message.reasons)}'
            if stopped or before in STOPPED:
                events.append(Event(time_of(message), 'fault' if stopped else 'recovery', text))
        before = mode
    earlier = [*takewhile(lambda event: event.time < begin, events)]
    lasting = [event for event in earlier[-1:] if event.kind == 'fault']
    return [*lasting, *events[len(earlier) :]]


def _texts(kind: str, messages: list[Any], times: Array) -> list[Event]:
    return [
        Event(time, kind, message.data)
        for time, message in zip(times.tolist(), messages, strict=True)
    ]


def _actions(messages: list[Any], times: Array) -> list[Event]:
    """Each sub-action as it began to move."""
    events: list[Event] = []
    for time, message in zip(times.tolist(), messages, strict=True):
        text = message.feedback.sub_action
        if not events or events[-1].text != text:
            events.append(Event(time, 'action', text))
    return events


def _warnings(messages: list[Any], times: Array) -> list[Event]:
    """Warnings and errors of the log."""
    return [
        Event(time, 'warning', f'{message.name}: {message.msg}')
        for time, message in zip(times.tolist(), messages, strict=True)
        if message.level >= WARNING
    ]
