"""A recording from messages."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.msg', reason='needs the built workspace')

from geometry_msgs.msg import Pose
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState

from softshell_interfaces.msg import WorldPoses
from softshell_kinematics.errors import SoftshellError
from softshell_recording.assemble import assemble


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


def command_at(time):
    """Joint `a` at three times the time."""
    return stamped(JointState(name=['a'], position=[3 * time]), time)


SAMPLES = [joints_at(time) for time in np.arange(0.0, 4.01, 0.5)]


def test_samples_are_those_of_the_joints():
    """Times, joints by name, and the odometry of the same moment."""
    recording = assemble(SAMPLES, [odometry_at(t) for t in np.arange(0, 4.1, 0.5)], [])
    assert recording.times.tolist() == np.arange(0.0, 4.01, 0.5).tolist()
    assert recording.joints[:, recording.columns(('a',))[0]] == pytest.approx(-recording.times)
    assert recording.base.positions[:, 0] == pytest.approx(2 * recording.times)
    assert np.isnan(recording.commands).all()


def test_joints_of_several_publishers_are_all_of_one_robot():
    """Each as it was told last; what nobody has told yet is no number."""
    arm = [stamped(JointState(name=['a', 'b'], position=[t, -t]), t) for t in (0.0, 1.0, 2.0)]
    hand = [stamped(JointState(name=['c'], position=[9 * t]), t) for t in (0.5, 1.5)]
    bare = stamped(JointState(name=['a', 'b', 'c']), 2.5)
    recording = assemble([arm[0], hand[0], arm[1], hand[1], arm[2], bare], [], [])
    assert recording.joint_names == ('a', 'b', 'c')
    np.testing.assert_equal(
        recording.joints,
        [[0, 0, np.nan], [0, 0, 4.5], [1, -1, 4.5], [1, -1, 13.5], [2, -2, 13.5], [2, -2, 13.5]],
    )


def test_commands_to_joints_that_nobody_measures_are_left_out():
    command = [stamped(JointState(name=['tail', 'a'], position=[7.0, 3.0]), t) for t in (0.0, 0.1)]
    recording = assemble([joints_at(0.0), joints_at(0.1)], [], command)
    assert recording.commands[:, recording.columns(('a',))[0]].tolist() == [3.0, 3.0]


def test_bodies_of_the_world_are_where_they_were_told_to_be():
    """Each by name, also one that comes later; between two messages where it was told last."""

    def world_at(time, **places):
        message = stamped(WorldPoses(names=[*places]), time)
        for x in places.values():
            pose = Pose()
            pose.position.x, pose.orientation.z, pose.orientation.w = x, 1.0, 0.0
            message.poses.append(pose)
        return message

    told = [world_at(0.0, ball=1.0), world_at(1.0, ball=2.0, box=7.0)]
    bodies = assemble(SAMPLES, [], [], told).bodies
    assert {*bodies} == {'ball', 'box'}
    assert [bodies['ball'].at(time)[0, 3] for time in (-1.0, 0.5, 1.0, 9.0)] == [1, 1, 2, 2]
    assert bodies['box'].at(0.0)[0, 3] == 7.0
    turned = np.diag([-1.0, -1.0, 1.0])  # by half a turn about z
    assert bodies['ball'].at(0.0)[:3, :3] == pytest.approx(turned)
    assert assemble(SAMPLES, [], []).bodies == {}


def test_without_odometry_there_is_no_base():
    """A bridge without odometry is recorded all the same; without joint states nothing is."""
    assert assemble(SAMPLES, [], []).base is None
    with pytest.raises(SoftshellError, match='no joint_states'):
        assemble([], [odometry_at(0)], [])


def test_commands_are_those_of_the_same_moment():
    """In between by a straight line; of joints that are driven, by name."""
    recording = assemble(SAMPLES, [], [command_at(time) for time in np.arange(0.97, 3.1, 0.08)])
    driven, other = recording.columns(('a', 'b'))
    inside = (recording.times >= 1.0) & (recording.times <= 3.0)
    assert recording.commands[inside, driven] == pytest.approx(3 * recording.times[inside])
    assert np.isnan(recording.commands[~inside, driven]).all()
    assert np.isnan(recording.commands[:, other]).all()


def test_where_no_command_came_there_is_none():
    """Between two that are far apart joints may have been let go; each itself counts."""
    recording = assemble(SAMPLES, [], [command_at(1.0), command_at(3.0)])
    known = np.isfinite(recording.commands[:, recording.columns(('a',))[0]])
    assert recording.times[known].tolist() == [1.0, 3.0]


def test_a_clock_that_is_set_back_loses_those_samples():
    """Times increase although the clock did not."""
    samples = [joints_at(time) for time in (0.0, 1.0, 0.5, 1.0, 1.5)]
    assert assemble(samples, [], []).times.tolist() == [0.0, 1.0, 1.5]
