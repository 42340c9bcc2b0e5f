"""A recording from messages."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.msg', reason='needs the built workspace')

from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectoryPoint

from softshell_interfaces.msg import (
    BridgeStatus,
    TrajectoryCommand,
    TrajectoryState,
)
from softshell_kinematics.errors import SoftshellError
from softshell_recording.ros.assemble import assemble


def stamped(message, time):
    """The message with a stamp of `time` [s]."""
    message.header.stamp.sec = int(time)
    message.header.stamp.nanosec = round(time % 1 * 1e9)
    return message


def joints_at(time):
    return stamped(JointState(name=['b', 'a'], position=[time, -time]), time)


def odometry_at(time):
    message = stamped(Odometry(), time)
    message.pose.pose.position.x = 2 * time
    message.pose.pose.orientation.w = 1.0
    return message


def command(number, length=2.0):
    """A ramp of joint `a` from 0 at a rate of 1."""
    message = TrajectoryCommand(sender='test')
    message.id.uuid[0] = number
    message.trajectory.joint_names = ['a']
    for time in (0.0, length):
        point = JointTrajectoryPoint(positions=[time], velocities=[1.0])
        point.time_from_start.sec = int(time)
        message.trajectory.points.append(point)
    return message


def status(time, number, state):
    message = stamped(BridgeStatus(), time)
    message.trajectory.id.uuid[0] = number
    message.trajectory.state = state
    return message


SAMPLES = [joints_at(time) for time in np.arange(0.0, 4.01, 0.5)]


def test_samples_are_those_of_the_joints():
    """Times, joints by name, and the odometry of the same moment."""
    recording = assemble(SAMPLES, [odometry_at(t) for t in np.arange(0, 4.1, 0.5)], [], [])
    assert recording.times.tolist() == np.arange(0.0, 4.01, 0.5).tolist()
    assert recording.joints[:, recording.columns(('a',))[0]] == pytest.approx(-recording.times)
    assert recording.base.positions[:, 0] == pytest.approx(2 * recording.times)
    assert np.isnan(recording.commands).all()


def test_without_odometry_there_is_no_base():
    """A bridge without odometry is recorded all the same; without joint states nothing is."""
    assert assemble(SAMPLES, [], [], []).base is None
    with pytest.raises(SoftshellError, match='no joint_states'):
        assemble([], [odometry_at(0)], [], [])


def test_a_command_counts_from_when_the_bridge_followed_it():
    """Matched by id: the ramp begins at its first ACTIVE; one that was never active is none."""
    statuses = [
        status(0.5, 1, TrajectoryState.WAITING),
        status(1.0, 1, TrajectoryState.ACTIVE),
        status(2.0, 1, TrajectoryState.ACTIVE),  # a report repeats the last change
        status(3.0, 1, TrajectoryState.REACHED),
    ]
    recording = assemble(SAMPLES, [], [command(2), command(1)], statuses)
    inside = (recording.times >= 1.0) & (recording.times <= 3.0)
    column = recording.columns(('a',))[0]
    assert recording.commands[inside, column] == pytest.approx(recording.times[inside] - 1.0)
    assert np.isnan(recording.commands[~inside]).all()


def test_a_replaced_command_ends_there():
    """A long ramp replaced at 1.5 s by a short one leaves nothing behind the short one's end."""
    statuses = [
        status(0.0, 1, TrajectoryState.ACTIVE),
        status(1.5, 1, TrajectoryState.REPLACED),
        status(1.5, 2, TrajectoryState.ACTIVE),
    ]
    recording = assemble(SAMPLES, [], [command(1, 4.0), command(2, 1.0)], statuses)
    column = recording.columns(('a',))[0]
    assert recording.commands[2, column] == pytest.approx(1.0)
    assert recording.commands[4, column] == pytest.approx(0.5)
    assert np.isnan(recording.commands[recording.times > 2.5, column]).all()


def test_a_clock_that_is_set_back_loses_those_samples():
    """Times increase although the clock did not."""
    samples = [joints_at(time) for time in (0.0, 1.0, 0.5, 1.0, 1.5)]
    assert assemble(samples, [], [], []).times.tolist() == [0.0, 1.0, 1.5]
