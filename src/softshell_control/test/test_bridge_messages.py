"""Conversions between messages and the types of the core, over the wire."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip('rclpy', reason='no ROS here')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')

from builtin_interfaces.msg import Duration, Time
from rclpy.serialization import deserialize_message, serialize_message
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from unique_identifier_msgs.msg import UUID

from softshell_common.bridge_mode import BridgeMode
from softshell_common.goal_state import GoalState
from softshell_common.reason import Reason, ReasonCode
from softshell_control.backend import BaseState
from softshell_control.ros import messages
from softshell_control.status import Status
from softshell_control.time_flow import TimeFlow
from softshell_control.trajectories.goal_event import GoalEvent
from softshell_control.trajectories.trajectory import Identity
from softshell_interfaces.msg import BridgeStatus, TrajectoryCommand, TrajectoryState
from softshell_interfaces.msg import ReasonCode as ReasonCodeMessage


def over_the_wire(message):
    return deserialize_message(serialize_message(message), type(message))


@pytest.mark.parametrize(
    ('enum', 'message'),
    [(GoalState, TrajectoryState), (BridgeMode, BridgeStatus), (ReasonCode, ReasonCodeMessage)],
)
def test_enums_are_the_constants_of_the_messages(enum, message):
    """Name by name and value by value, and neither has one that the other lacks."""
    found = {name: getattr(message, name) for name in dir(type(message)) if name.isupper()}
    constants = {name: value for name, value in found.items() if isinstance(value, int)}
    assert {each.name: each.value for each in enum} == constants


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**31 * 10**9 - 1))
def test_stamps_keep_every_nanosecond(nanoseconds):
    """A time written into a stamp is read back exactly."""
    stamp = Time()
    messages.set_stamp(stamp, nanoseconds)
    assert messages.to_nanoseconds(stamp) == nanoseconds


def command(sender='someone', **more):
    message = TrajectoryCommand(sender=sender, **more)
    message.id.uuid = np.arange(16, dtype=np.uint8)
    message.trajectory = JointTrajectory(
        joint_names=['a', 'b'],
        points=[
            JointTrajectoryPoint(
                positions=[1.0, 2.0],
                velocities=[3.0, 4.0],
                accelerations=[5.0, 6.0],
                time_from_start=Duration(sec=1, nanosec=500_000_000),
            )
        ],
    )
    message.trajectory.header.stamp = Time(sec=7, nanosec=9)
    return over_the_wire(message)


def test_a_command_is_read_as_it_came():
    """Sender, id, queue, what it follows, stamp, names and every number."""
    request = messages.read_command(command(queue=True, after=UUID(uuid=[7] * 16)))
    assert request.identity == Identity('someone', bytes(range(16)))
    assert (request.stamp, request.queued, request.names) == (7_000_000_009, True, ['a', 'b'])
    assert (list(request.times), request.after) == ([1.5], bytes([7] * 16))
    for rows, row in (
        (request.values, [1.0, 2.0]),
        (request.rates, [3.0, 4.0]),
        (request.accelerations, [5.0, 6.0]),
    ):
        assert [list(each) for each in rows] == [row]


def test_a_sender_without_a_name_is_unnamed():
    """An empty name is none."""
    request = messages.read_command(command(sender=''))
    assert (request.identity.sender, request.queued, request.after) == ('unnamed', False, None)


def test_a_status_carries_trajectory_and_reasons():
    """Id, sender, state, error, channel and both kinds of reasons arrive, each in its place."""
    far = Reason(ReasonCode.TOLERANCE, 'too far')
    limited = Reason(ReasonCode.OUT_OF_RANGE, 'range limited: fold')
    event = GoalEvent(
        Identity('someone', bytes(range(16))), GoalState.MISSED, 0.25, 'fold', (far,)
    )
    status = Status(BridgeMode.EXECUTING, event, (limited,))
    flow = TimeFlow(2_000_000_003, 0.004)
    flow.paused = True
    read = over_the_wire(messages.status_message(status, 'mock', flow, 0.004, 0.5))
    assert read.paused
    assert (read.header.stamp.sec, read.header.stamp.nanosec) == (2, 3)
    assert (read.bridge, read.mode, read.reasons) == (
        'mock',
        BridgeStatus.EXECUTING,
        ['range limited: fold'],
    )
    assert read.codes.tolist() == [ReasonCode.OUT_OF_RANGE]
    assert (read.control_period, read.real_time_factor) == (0.004, 0.5)
    trajectory = read.trajectory
    assert bytes(trajectory.id.uuid) == bytes(range(16))
    assert (trajectory.sender, trajectory.error, trajectory.channel) == ('someone', 0.25, 'fold')
    assert (trajectory.state, trajectory.reasons) == (TrajectoryState.MISSED, ['too far'])
    assert trajectory.codes.tolist() == [ReasonCode.TOLERANCE]


def test_before_any_trajectory_the_id_is_zero():
    """Nobody's trajectory: no sender, no state, sixteen zeros."""
    status = Status(BridgeMode.INACTIVE, GoalEvent())
    read = over_the_wire(messages.status_message(status, '', TimeFlow(0, 0.004), 0.004, 0.0))
    assert bytes(read.trajectory.id.uuid) == bytes(16)
    assert (read.trajectory.sender, read.trajectory.state) == ('', TrajectoryState.NONE)


def test_a_status_tells_where_the_base_is_and_how_surely():
    """Its pose, and the squares of its standard deviations on the diagonal."""
    base = BaseState(position=np.array([1.0, 2.0, 3.0]))
    base.pose_deviation[:] = np.arange(1.0, 7.0)
    status = Status(BridgeMode.HOLDING, GoalEvent())
    message = messages.status_message(status, '', TimeFlow(0, 0.004), 0.004, 0.0, base)
    read = over_the_wire(message)
    assert read.base_is_known
    place = read.base.pose.position
    assert (place.x, place.y, place.z, read.base.pose.orientation.w) == (1.0, 2.0, 3.0, 1.0)
    covariance = read.base.covariance.reshape(6, 6)
    assert covariance.tolist() == np.diag(np.arange(1.0, 7.0) ** 2).tolist()
