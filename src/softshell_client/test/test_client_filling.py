"""Requests from what a person types, and answers as text."""

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.msg', reason='needs the built workspace')

from sensor_msgs.msg import Imu, JointState

from softshell_client.ros.filling import filled, plain, read
from softshell_interfaces.msg import WorldBody
from softshell_interfaces.srv import ChangeWorld, NamedState, SolveIK, StepTime
from softshell_kinematics.errors import ProblemsError, UnknownNameError


def test_what_is_typed_comes_back_as_it_was():
    """Numbers, texts, messages inside messages, and lists of them."""
    change = {'kind': 5, 'body': 'robot', 'wrench': {'force': {'y': 20}}, 'duration': 0.2}
    request = filled(ChangeWorld.Request(), {'changes': read(str([change]))})
    (made,) = request.changes
    assert (made.kind, made.body, made.wrench.force.y, made.duration) == (5, 'robot', 20.0, 0.2)
    assert made.wrench.force.x == 0.0
    entries = plain(request)
    assert entries['changes'][0]['wrench']['force'] == {'x': 0.0, 'y': 20.0, 'z': 0.0}
    assert filled(ChangeWorld.Request(), entries) == request
    joints = filled(JointState(), {'name': ['a', 'b'], 'position': [1, 2.5]})
    assert plain(joints)['position'] == [1.0, 2.5]
    covariance = filled(Imu(), {'orientation_covariance': [*range(9)]})
    assert plain(covariance)['orientation_covariance'] == [*map(float, range(9))]


def test_a_name_that_looks_like_a_number_is_a_text():
    """YAML would read it as a number, and the entry says that it is a text."""
    assert filled(NamedState.Request(), {'name': read('7')}).name == '7'


@pytest.mark.parametrize(
    ('message', 'values', 'said'),
    [
        (StepTime.Request(), {'duration': 'x'}, 'duration is x; expected a number'),
        (StepTime.Request(), {'duration': True}, 'duration is True; expected a number'),
        (StepTime.Request(), {'duration': [1.0]}, 'expected a number'),
        (SolveIK.Request(), {'warm_start': 1}, 'expected true or false'),
        (SolveIK.Request(), {'max_iterations': 70_000}, 'a whole number from 0 to 65535'),
        (SolveIK.Request(), {'max_iterations': 1.5}, 'a whole number from 0 to 65535'),
        (SolveIK.Request(), {'seed': 3}, 'expected entries of sensor_msgs/JointState'),
        (SolveIK.Request(), {'fixed_joints': 'a'}, 'a list of any number of type string'),
        (SolveIK.Request(), {'seed': {'position': [1, 'x']}}, 'position[1] is x'),
        (Imu(), {'orientation_covariance': [1.0]}, 'a list of 9 of type double'),
        (WorldBody(), {'status': -1}, 'a whole number from 0 to 255'),
    ],
)
def test_a_value_of_another_type_is_refused(message, values, said):
    """By the entry, what it is and what was expected; rclpy itself would take it, or abort."""
    with pytest.raises(ProblemsError) as caught:
        filled(message, values)
    assert said in str(caught.value)


def test_an_entry_that_there_is_not_is_named():
    with pytest.raises(UnknownNameError, match="'far'; known: duration"):
        filled(StepTime.Request(), {'far': 1.0})


@pytest.mark.parametrize(('text', 'value'), [('1e', '1e'), ('{a', '{a'), ('[1]', [1]), ('', None)])
def test_text_that_is_no_yaml_stands_for_itself(text, value):
    assert read(text) == value
