"""Requests from what a person types, and answers as text."""

import math

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.msg', reason='needs the built workspace')

from rcl_interfaces.msg import ParameterValue
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import Imu, JointState
from std_srvs.srv import Trigger

from softshell_client.ros.entries import filled
from softshell_client.ros.filling import plain, typed
from softshell_client.ros.lone import kind_of
from softshell_interfaces.msg import WorldBody
from softshell_interfaces.srv import ChangeWorld, NamedState, SolveIK, StepTime
from softshell_kinematics.errors import ProblemsError, UnknownNameError


def test_what_is_typed_comes_back_as_it_was():
    """Numbers, texts, messages inside messages, and lists of them."""
    change = {'kind': 5, 'body': 'robot', 'wrench': {'force': {'y': 20}}, 'duration': 0.2}
    request = ChangeWorld.Request()
    changes = 'sequence<softshell_interfaces/WorldChange>'
    request.changes = typed('changes', changes, str([change]))
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


@pytest.mark.parametrize('type_', ['string', 'wstring'])
@pytest.mark.parametrize('text', ['7', '007', 'yes', '1e3', 'null', "it's", '{a', ''])
def test_a_text_is_what_was_typed(text, type_):
    """Whatever YAML would make of it, also in a list."""
    assert typed('name', type_, text) == text
    assert typed('names', f'sequence<{type_}>', str([text])) == [text]


def test_a_byte_is_a_whole_number():
    """It is sent, and comes back as what was typed."""
    message = ParameterValue()
    message.byte_array_value = typed('value', 'sequence<octet>', '[0, 2, 255]')
    arrived = deserialize_message(serialize_message(message), ParameterValue)
    assert b''.join(arrived.byte_array_value) == bytes([0, 2, 255])
    assert plain(arrived)['byte_array_value'] == [0, 2, 255]
    assert filled(ParameterValue(), plain(arrived)) == message
    assert plain(typed('value', 'octet', '2')) == 2


@pytest.mark.parametrize('text', ['a\0b', 'a\udcffb'])
def test_a_text_that_cannot_be_sent_is_refused(text):
    """One with NUL would arrive cut."""
    with pytest.raises(ProblemsError, match='expected a text of UTF-8 without NUL'):
        typed('name', 'string', text)


@pytest.mark.parametrize('text', ['0.001', '1e-3', '1E-3', '+.001'])
def test_a_number_may_be_written_as_people_do(text):
    """YAML takes some of these for texts."""
    assert typed('duration', 'double', text) == 0.001


def test_a_type_that_is_not_installed_has_no_class():
    assert kind_of('std_srvs/srv/Trigger') is Trigger
    assert kind_of('std_srvs/srv/Trigge') is None
    assert kind_of('no_such_package/srv/Trigger') is None


@pytest.mark.parametrize(
    ('message', 'values', 'said'),
    [
        (StepTime.Request(), {'duration': 'x'}, 'duration is x; expected a number'),
        (StepTime.Request(), {'duration': True}, 'duration is true; expected a number'),
        (StepTime.Request(), {'duration': [1.0]}, 'expected a number'),
        (SolveIK.Request(), {'warm_start': 1}, 'expected true or false'),
        (SolveIK.Request(), {'max_iterations': 70_000}, 'a whole number from 0 to 65535'),
        (SolveIK.Request(), {'max_iterations': 1.5}, 'a whole number from 0 to 65535'),
        (SolveIK.Request(), {'seed': 3}, 'expected entries of sensor_msgs/JointState'),
        (SolveIK.Request(), {'fixed_joints': 'a'}, 'a list of any number of type string'),
        (SolveIK.Request(), {'seed': {'position': [1, 'x']}}, 'position[1] is x'),
        (Imu(), {'orientation_covariance': [1.0]}, 'a list of 9 of type double'),
        (StepTime.Request(), {'duration': 10**400}, 'expected a number'),
        (NamedState.Request(), {'name': 7}, 'name is 7; expected a text, in quotes'),
        (WorldBody(), {'status': -1}, 'a whole number from 0 to 255'),
        (ParameterValue(), {'byte_array_value': [256]}, 'a whole number from 0 to 255'),
        (ParameterValue(), {'byte_array_value': ['x']}, 'a whole number from 0 to 255'),
        (StepTime.Request(), {'duration': math.nan}, 'duration is nan; expected a number'),
    ],
)
def test_a_value_of_another_type_is_refused(message, values, said):
    """By the entry, what it is and what was expected; rclpy itself would take it, or abort."""
    with pytest.raises(ProblemsError) as caught:
        filled(message, values)
    assert said in str(caught.value)


@pytest.mark.parametrize('text', ['2024-13-45', '0x_', '0b_', '{a', '\udcff'])
def test_a_text_that_cannot_be_read_is_no_number(text):
    """Neither a date that there is not, nor a number without digits, nor what is no UTF-8."""
    with pytest.raises(ProblemsError, match='; expected a number'):
        typed('speed', 'double', text)


@pytest.mark.parametrize('key', ['5', '1.5', 'True'])
def test_a_key_that_is_no_text_is_an_unknown_entry(key):
    changes = 'sequence<softshell_interfaces/WorldChange>'
    with pytest.raises(UnknownNameError, match=f"unknown entry of WorldChange '{key}'"):
        typed('changes', changes, f'[{{{key}: robot}}]')


def test_an_entry_that_there_is_not_is_named():
    with pytest.raises(UnknownNameError, match="'far'; known: duration"):
        filled(StepTime.Request(), {'far': 1.0})
