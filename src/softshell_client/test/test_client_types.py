"""Whatever a program gives the client, no conversion of rclpy's ends the program."""

import math

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.msg', reason='needs the built workspace')

import rclpy
from geometry_msgs.msg import Pose
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import Imu

from softshell_client import Client, Shell
from softshell_client.ros import messages
from softshell_client.ros.entries import entry, made
from softshell_interfaces.action import ExecuteAction
from softshell_interfaces.msg import FingerCommand, WorldChange
from softshell_interfaces.srv import ChangeWorld
from softshell_kinematics.errors import ProblemsError, UnknownNameError


@pytest.fixture(scope='module')
def client(namespace):
    """One that is closed: what it does not refuse for its type is refused for that."""
    context = rclpy.Context()
    rclpy.init(args=[], context=context)
    node = rclpy.create_node('typist', namespace=namespace, context=context)
    client = Client(node)
    client.close()
    yield client
    node.destroy_node()
    context.try_shutdown()


@pytest.mark.parametrize(
    ('given', 'said'),
    [
        ({'queue': 1}, 'queue is 1; expected true or false'),
        ({'queue': 'yes'}, 'queue is yes; expected true or false'),
        ({'gait': None}, 'gait is None; expected a text'),
        ({'gait': 'wa\0ve'}, r'gait is wa\\x00ve; expected a text of UTF-8 without NUL'),
        ({'gait': 'wa\udcffve'}, r'gait is wa\\udcffve; expected a text of UTF-8 without NUL'),
        ({'distance': 'far'}, 'distance is far; expected a number'),
        ({'distance': None}, 'distance is None; expected a number'),
        ({'distance': True}, 'distance is true; expected a number'),
        ({'distance': np.True_}, 'distance is True; expected a number'),
        ({'distance': [0.5, 1.0]}, r'distance is \[0.5, 1.0\]; expected a number'),
        ({'distance': 1j}, 'distance is 1j; expected a number'),
        ({'distance': 10**400}, 'distance is 10+[.]{3}; expected a number'),
        ({'distance': 10**5000}, 'distance is a value of type int; expected a number'),
        ({'distance\0': 1.0}, r'name is distance\\x00; expected a text of UTF-8 without NUL'),
    ],
)
def test_an_action_is_asked_for_with_values_of_its_types(client, given, said):
    """The error names the value before anything else is looked at."""
    with pytest.raises(ProblemsError, match=said):
        client.begin_action('walk', **given)


@pytest.mark.parametrize('name', [3, b'walk', None, ['walk'], 'wa\0lk'])
def test_a_name_is_a_text(client, name):
    """Of an action, a gait, a request of the bridge, a channel of fingers."""
    calls = (
        client.begin_action,
        client.begin_gait,
        client.begin_bridge_request,
        lambda name: client.command_fingers({name: 1.0}),
    )
    for call in calls if name != ['walk'] else calls[:-1]:  # a list is no key
        with pytest.raises(ProblemsError, match='; expected a text'):
            call(name)


@pytest.mark.parametrize('value', ['far', None, True, [1.0, 2.0], {}, b'', WorldChange()])
def test_a_velocity_a_pose_and_fingers_are_numbers(client, value):
    """The error names the one that is none."""
    poses = [
        ('z', lambda: client.begin_body_pose(value)),
        *(
            (name, lambda name=name: client.begin_body_pose(0.1, **{name: value}))
            for name in ('x', 'y', 'yaw', 'pitch', 'roll')
        ),
    ]
    drives = [
        (name, lambda name=name: client.drive(**{name: value})) for name in ('x', 'y', 'yaw')
    ]
    fingers = [
        ('thumb', lambda: client.command_fingers({'curl': 1.0, 'thumb': value})),
        ('duration', lambda: client.command_fingers({'curl': 1.0}, value)),
    ]
    for name, call in poses + drives + fingers:
        with pytest.raises(ProblemsError, match=f'- {name} is .*; expected a number'):
            call()


@pytest.mark.parametrize('values', [3, None, 'curl', ['curl'], [('curl', 1.0)]])
def test_fingers_are_commanded_by_name(client, values):
    """Values without names are refused as a whole."""
    with pytest.raises(ProblemsError, match=r'values is .*; expected numbers by name'):
        client.command_fingers(values)


@pytest.mark.parametrize(
    ('changes', 'said'),
    [
        (WorldChange(), 'changes is .*; expected a list'),
        ('spawn', 'changes is spawn; expected a list'),
        (None, 'changes is None; expected a list'),
        (np.float64(1.0), 'changes is 1.0; expected a list'),
        (np.array(1.0), 'changes is 1.0; expected a list'),
        ([3], r'changes\[0\] is 3; expected entries of softshell_interfaces/WorldChange'),
        ([Pose()], r'changes\[0\] is .*; expected entries of softshell_interfaces/WorldChange'),
        (
            [WorldChange(), WorldChange(kind='spawn')],
            r'changes\[1\].kind is spawn; expected a whole number from 0 to 255',
        ),
        ([WorldChange(kind=300)], r'kind is 300; expected a whole number from 0 to 255'),
        ([WorldChange(kind=1.0)], r'kind is 1.0; expected a whole number from 0 to 255'),
        ([WorldChange(body=b'box')], r"changes\[0\].body is b'box'; expected a text"),
        ([WorldChange(friction='low')], r'changes\[0\].friction is low; expected a number'),
        ([WorldChange(joints='knee')], r'changes\[0\].joints is knee; expected a list'),
        ([WorldChange(joints=[1])], r'changes\[0\].joints\[0\] is 1; expected a text'),
        ([WorldChange(pose=3)], r'changes\[0\].pose is 3; expected entries of geometry_msgs/Pose'),
        (
            [WorldChange(path=[Pose(position=3)])],
            r'changes\[0\].path\[0\].position is 3; expected entries of geometry_msgs/Point',
        ),
    ],
)
def test_a_change_of_the_world_is_checked_to_its_depths(client, changes, said):
    """The error names the entry by its way through messages and lists."""
    with pytest.raises(ProblemsError, match=said):
        client.begin_world_change(changes)


def test_values_of_other_libraries_are_sent_as_what_they_are():
    """What arrives is what the same values of Python would be."""
    goal = messages.action_goal(
        np.str_('walk'),
        {'distance': np.float32(0.5), 'steps': np.int64(3), 'height': np.array(0.25), 'n': 7},
        queue=np.True_,
    )
    arrived = deserialize_message(serialize_message(goal), ExecuteAction.Goal)
    assert (arrived.name, arrived.gait, arrived.queue) == ('walk', '', True)
    values = {one.name: one.value for one in arrived.parameters}
    assert values == {'distance': 0.5, 'steps': 3.0, 'height': 0.25, 'n': 7.0}
    joints = {'knee': 1, 'hip': np.float32(0.5)}
    changes = (
        WorldChange(
            kind=np.uint8(WorldChange.PLACE_JOINTS),
            joints=joints.keys(),
            positions=joints.values(),
            friction=1,
        ),
    )
    request = made(ChangeWorld.Request, changes=changes)
    (change,) = deserialize_message(serialize_message(request), ChangeWorld.Request).changes
    assert change == WorldChange(
        kind=4, joints=['knee', 'hip'], positions=[1.0, 0.5], friction=1.0
    )


def test_a_number_that_is_none_is_the_nodes_to_refuse():
    """Their errors say the range as well."""
    (one,) = messages.action_goal('walk', {'distance': math.nan}).parameters
    assert math.isnan(one.value)
    assert math.isnan(messages.twist(x=math.nan).linear.x)


def test_what_was_given_stays_as_it_is():
    """A message that is checked is sent as a copy."""
    change = WorldChange(friction=1)
    (sent,) = made(ChangeWorld.Request, changes=[change]).changes
    assert sent is not change
    assert type(change.friction) is int
    assert type(sent.friction) is float


def test_lists_have_the_length_of_their_type():
    """Exactly nine, or at most three."""
    with pytest.raises(ProblemsError, match='a list of 9 of type double'):
        made(Imu, orientation_covariance=np.zeros(8))
    assert made(Imu, orientation_covariance=np.ones(9)).orientation_covariance.sum() == 9.0
    with pytest.raises(ProblemsError, match='a list of at most 3 of type double'):
        entry('size', 'sequence<double, 3>', [1, 2, 3, 4])
    assert entry('size', 'sequence<double, 3>', (1, 2, 3)) == [1.0, 2.0, 3.0]
    with pytest.raises(UnknownNameError, match='unknown entry of FingerCommand'):
        made(FingerCommand, chanels=['a'])
    with pytest.raises(ProblemsError, match='v is 1; expected a type that is known'):
        entry('v', 'long double', 1)


@pytest.mark.parametrize(
    ('given', 'said'),
    [
        ({'namespace': 3}, 'namespace is 3; expected a text, in quotes'),
        ({'namespace': None}, 'namespace is None; expected a text, in quotes'),
        ({'timeout': 'long'}, 'timeout is long; expected a number'),
        ({'timeout': math.nan}, 'timeout is nan; expected a number'),
        ({'timeout': True}, 'timeout is true; expected a number'),
    ],
)
def test_a_namespace_is_a_text_and_a_wait_is_a_number(given, said):
    """The error names what was given before a node is made."""
    with pytest.raises(ProblemsError, match=said):
        Shell(**given)


def test_a_client_of_a_node_waits_for_a_number_of_seconds():
    """It is told before anything of the node is used."""
    with pytest.raises(ProblemsError, match='timeout is soon; expected a number'):
        Client(None, 'soon')
