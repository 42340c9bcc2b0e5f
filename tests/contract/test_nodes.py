"""The same contract over ROS, with every bridge's own node in a process of its own."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')
pytest.importorskip('control_msgs.action', reason='control_msgs is not built')

from bridge_process import nanoseconds
from contract_nodes import ARM, NODES, Stack
from control_msgs.action import FollowJointTrajectory

from softshell_common.reason import ReasonCode
from softshell_control.channel import limits_of
from softshell_interfaces.msg import BridgeStatus, TrajectoryState

NAMES = ARM.joint_names
HOME, REACH = ARM.pose('home'), ARM.pose('reach')
TOLERANCE = limits_of(ARM).tolerance
Result = FollowJointTrajectory.Result


#: Both families are the same over ROS, but for what the servos do when their host has died.
MARKS = {
    'hardware-x': [pytest.mark.long],
    'sim-pybullet': [pytest.mark.long],
}
KINDS = [pytest.param(name, marks=MARKS.get(name, ())) for name in NODES]


@pytest.fixture(scope='module', params=KINDS)
def stack(request, module_domains, tmp_path_factory):
    """A bridge of each kind, driven from the start; all its processes end cleanly."""
    stack = Stack(request.param, module_domains(), tmp_path_factory.mktemp('stack'))
    yield stack
    assert set(stack.close()) <= {0}
    assert not any('Traceback' in line for each in stack.bridges for line in each.errors)


@pytest.fixture
def client(stack):
    """The same, holding."""
    stack.client.wait_mode(BridgeStatus.HOLDING)
    return stack.client


def modes(client, last=None):
    """The modes of all reports, or of those up to one of them, in order, each once."""
    told = list(client.statuses)
    found = [status.mode for status in (told if last is None else told[: told.index(last) + 1])]
    return [b for a, b in zip([None, *found], found, strict=False) if a != b]


def errors(client, goal):
    """(joints,) distances of the newest joint states from a goal [rad]."""
    position = client.position()
    return np.abs(np.array([position[name] for name in NAMES]) - goal)


def test_the_status_comes_in_order(stack, client):
    """Inactive, holding, executing, holding; its time never goes back, and it names the bridge."""
    client.wait(lambda: client.joints, 'joint states')
    before = nanoseconds(client.joints[-1].header.stamp)
    number = client.send(NAMES, REACH, 0.8)
    client.wait_for(number, TrajectoryState.REACHED)
    client.wait_mode(BridgeStatus.HOLDING)
    assert client.states(number) == [TrajectoryState.ACTIVE, TrajectoryState.REACHED]
    assert modes(client)[-3:] == [
        BridgeStatus.HOLDING,
        BridgeStatus.EXECUTING,
        BridgeStatus.HOLDING,
    ]
    assert set(modes(client)[:-3]) <= {BridgeStatus.STARTING, BridgeStatus.INACTIVE}
    times = [nanoseconds(status.header.stamp) for status in list(client.statuses)]
    assert times == sorted(times)
    assert {status.bridge for status in client.statuses} == {stack.kind.partition('-')[0]}
    reached = client.wait_for(number, TrajectoryState.REACHED)
    after = nanoseconds(reached.header.stamp)
    assert after - before >= 0.8e9
    told = reached.trajectory
    assert told.error <= TOLERANCE[NAMES.index(told.channel)]
    client.wait(lambda: nanoseconds(client.joints[-1].header.stamp) > after, 'joint states')
    # Told as reached by where the joints are expected to be by then: servos of a computer that is
    # busy with others may still be on the last bit of their way.
    client.wait(lambda: (errors(client, REACH) <= TOLERANCE).all(), 'the goal')


def test_the_action_is_followed_cancelled_and_refused(stack, client):
    """A goal is reached; another one ends where it is cancelled; an unknown joint is no goal."""
    done, result = stack.end_of(stack.follow(dict(zip(NAMES, HOME, strict=True)), 0.8))
    assert (done, result.error_code) == (True, Result.SUCCESSFUL)
    handle = stack.follow({'elbow': 0.0}, 30.0)
    client.wait_mode(BridgeStatus.EXECUTING)
    client.answer(handle.cancel_goal_async, 'cancellation')
    done, result = stack.end_of(handle)
    assert not done
    assert client.position()['elbow'] > 1.0
    done, result = stack.end_of(stack.follow({'tail': 0.0}, 1.0))
    assert (done, result.error_code) == (False, Result.INVALID_JOINTS)
    assert 'tail' in result.error_string


def test_a_bad_message_is_refused_by_its_code(client):
    """In the report that tells of it, for programs and for people."""
    for names, code in (
        (['elbow', 'tail'], ReasonCode.UNKNOWN_CHANNEL),
        (['elbow', 'elbow'], ReasonCode.DUPLICATE_CHANNEL),
    ):
        number = client.send(names, [0.1, 0.1])
        told = client.wait_for(number, TrajectoryState.REJECTED).trajectory
        assert list(told.codes) == [code]
        assert len(told.reasons) == 1
    number = client.send(['elbow'], [float('nan')])
    assert list(client.wait_for(number, TrajectoryState.REJECTED).trajectory.codes) == [
        ReasonCode.NOT_FINITE
    ]


def test_the_services_lead_through_all_modes(client):
    """Deactivation, activation, emergency stop and reset; each says what it did, or why not."""
    assert client.call('deactivate').success
    client.wait_mode(BridgeStatus.INACTIVE)
    number = client.send(NAMES, HOME)
    told = client.wait_for(number, TrajectoryState.REJECTED).trajectory
    assert list(told.codes) == [ReasonCode.NOT_DRIVEN]
    assert client.call('activate').success
    client.wait_mode(BridgeStatus.HOLDING)
    assert not client.call('clear_fault').success
    number = client.send(NAMES, HOME, 30.0)
    client.wait_for(number, TrajectoryState.ACTIVE)
    assert client.call('emergency_stop').success
    client.wait_mode(BridgeStatus.EMERGENCY_STOP)
    assert client.statuses[-1].codes[0] == ReasonCode.EMERGENCY_STOP
    client.wait_for(number, TrajectoryState.STOPPED)
    refused = client.call('activate')
    assert not refused.success
    assert 'reset' in refused.message
    assert client.call('reset').success
    client.wait_mode(BridgeStatus.INACTIVE)
    assert client.call('activate').success
    client.wait_mode(BridgeStatus.HOLDING)


def test_a_bridge_that_is_killed_in_an_action_and_restarted_moves_nothing(stack, client):
    """The new one is inactive and refuses; activated, it holds, and follows the next goal."""
    handle = stack.follow(dict(zip(NAMES, REACH, strict=True)), 20.0)
    assert handle.accepted
    client.wait_mode(BridgeStatus.EXECUTING)
    client.wait(lambda: (errors(client, HOME) > 0.02).any(), 'motion')
    stack.kill()
    before = np.array([client.position()[name] for name in NAMES])
    stack.start('activate:=false')
    client = stack.client
    client.wait_mode(BridgeStatus.INACTIVE)
    number = client.send(NAMES, HOME)
    told = client.wait_for(number, TrajectoryState.REJECTED).trajectory
    assert list(told.codes) == [ReasonCode.NOT_DRIVEN]
    client.wait(lambda: len(client.joints) > 20, 'joint states')
    if stack.lives_on:
        # A goal was on its way; 20 s are slow.
        assert (errors(client, before) <= TOLERANCE).all()
    assert client.call('activate').success
    client.wait_mode(BridgeStatus.HOLDING)
    held, count = [client.position()[name] for name in NAMES], len(client.joints)
    client.wait(lambda: len(client.joints) > count + 20, 'joint states')
    assert (errors(client, held) <= 2.0 * TOLERANCE).all()
    number = client.send(NAMES, HOME, 1.5)
    reached = client.wait_for(number, TrajectoryState.REACHED)
    assert modes(client, reached)[-2:] == [BridgeStatus.HOLDING, BridgeStatus.EXECUTING]
