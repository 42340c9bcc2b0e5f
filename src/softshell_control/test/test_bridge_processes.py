"""Bridges whose backends fail, and how processes of bridges start and end."""

import signal
import time

import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')

from bridge_process import FRAGILE, nanoseconds

from softshell_common.reason import ReasonCode
from softshell_description.load import load_robot
from softshell_interfaces.msg import BridgeStatus, TrajectoryState

ARM = load_robot('arm')
NAMES = ARM.joint_names
HOME, REACH = ARM.pose('home'), ARM.pose('reach')


def test_a_refused_start_says_why_and_lives(start_once):
    """A bridge that cannot drive its joints at the start stays inactive, and logs the reason."""
    client = start_once('robot:=arm', 'locked:=true', code=FRAGILE)
    client.wait(lambda: any('the key is missing' in e for e in client.bridge.errors), 'the log')
    assert client.call('deactivate').message == 'the joints are not driven; the mode is inactive'


def test_an_unknown_robot_ends_the_start(start_once):
    """The process ends with status 1, naming what it was asked for and what there is."""
    client = start_once('robot:=spider')
    assert client.bridge.process.wait(timeout=40.0) == 1
    client.bridge.close()
    errors = ''.join(client.bridge.errors)
    assert 'spider' in errors
    assert 'arm' in errors
    assert 'Traceback' not in errors


def test_an_interrupt_ends_it_cleanly(start_once):
    """SIGINT ends the process with status 0 and no traceback, as SIGTERM ends all others here."""
    client = start_once('robot:=arm', 'real_time_factor:=0.0', 'publish_tf:=false')
    client.wait(lambda: client.clock, 'the clock')
    assert not {'/tf', '/tf_static'} & {n for n, _ in client.node.get_topic_names_and_types()}
    assert client.bridge.close(signal.SIGINT) == 0
    assert 'Traceback' not in ''.join(client.bridge.errors)


@pytest.mark.long
@pytest.mark.parametrize(('hurry', 'status'), [('stuck.set()', 0), ('pass', 1)])
def test_a_loop_that_does_not_end_is_hurried_and_then_left(start_once, hurry, status):
    """A step that waits for a device ends when its backend is told to; or else the bridge does."""
    hangs = "print('it hangs now', file=sys.stderr, flush=True), stuck.wait()"
    code = FRAGILE.replace("raise OSError('port is gone')", hangs)
    code = code.replace(
        'class Fragile', 'import threading\nstuck = threading.Event()\n\nclass Fragile'
    )
    code = code.replace(
        '    def step', f'    def interrupt(self):\n        {hurry}\n\n    def step'
    )
    client = start_once('robot:=arm', 'broken:=true', code=code)
    client.wait(lambda: any('it hangs now' in e for e in client.bridge.errors), 'the step')
    assert client.bridge.close() == status
    told = ''.join(client.bridge.errors)
    assert ('the control loop has not ended within 5.5 s' in told) == bool(status)


@pytest.mark.long
def test_a_bridge_on_wall_time_is_no_clock(start_once):
    """Where the backend does not own time, every stamp is the wall's and there is no /clock."""
    code = FRAGILE.replace('(MockBackend):', '(MockBackend):\n    owns_time = False\n')
    before = time.time_ns()
    client = start_once('robot:=arm', 'real_time_factor:=0.5', code=code)
    client.wait_mode(BridgeStatus.HOLDING)
    number = client.send(NAMES, REACH, 0.5)
    reached = client.wait_for(number, TrajectoryState.REACHED)
    active = client.wait_for(number, TrajectoryState.ACTIVE)
    client.wait(lambda: len(client.joints) > 20 and client.diagnostics, 'joint states')
    heard = [*client.statuses, *client.joints]  # what comes from here on may be later than now
    now = time.time_ns()
    for message in heard:
        assert before < nanoseconds(message.header.stamp) < now
    assert nanoseconds(reached.header.stamp) > nanoseconds(active.header.stamp)
    assert client.node.count_publishers('/clock') == 0
    assert client.clock == []


def test_an_idle_bridge_lets_go_and_says_so(start_once):
    """Its parameter is heard: inactive after so long a time, with the code, for late joiners."""
    bridge = start_once('robot:=arm', 'real_time_factor:=2.0', 'relax_timeout:=0.5')
    bridge.wait_mode(BridgeStatus.INACTIVE)
    bridge.wait(lambda: list(bridge.statuses[-1].codes) == [ReasonCode.TIMEOUT], 'the code')
    assert '~/activate' in bridge.statuses[-1].reasons[0]


@pytest.mark.long
def test_a_margin_keeps_a_joint_from_its_end(start_once):
    """The elbow's goal at its limit is followed to 10 % of the range before it, and missed."""
    elbow = ARM.joints[NAMES.index('elbow')]
    bridge = start_once('robot:=arm', 'real_time_factor:=2.0', 'position_margin:=0.1')
    bridge.wait_mode(BridgeStatus.HOLDING)
    missed = bridge.wait_for(bridge.send(['elbow'], [elbow.lower]), TrajectoryState.MISSED)
    assert missed.trajectory.error == pytest.approx(0.1 * (elbow.upper - elbow.lower), abs=1e-6)
    assert list(missed.trajectory.codes) == [ReasonCode.TOLERANCE]


@pytest.fixture(scope='module')
def fragile(start):
    """A bridge that can be broken, not driven at the start."""
    parameters = ('robot:=arm', 'real_time_factor:=2.0', 'control_period:=0.01')
    return start(*parameters, 'activate:=false', code=FRAGILE)


@pytest.mark.long
def test_changes_of_parameters_are_all_seen(fragile):
    """Changes that come faster than the control loop takes them are all applied, in order."""
    fragile.wait(lambda: fragile.diagnostics, 'diagnostics')
    futures = []
    for step in range(1, 5):  # rclpy keeps no more than ten requests for parameters
        futures.append(fragile.ask_parameters(gain=float(step)))
        futures.append(fragile.ask_parameters(bias=10.0 * step))
    for future in futures:
        assert fragile.result(future).results[0].successful
    wanted = [(float(g), 10.0 * b) for b in range(5) for g in (b, b + 1)][1:-1]

    def seen():
        values = {value.key: value.value for value in fragile.diagnostics[-1].status[0].values}
        return values['seen']

    fragile.wait(lambda: seen() == repr(wanted), 'all changes')


def test_activation_may_wait_for_a_service(fragile):
    """With activate:=false nothing is driven till ~/activate; an error there comes back."""
    fragile.call('reset')
    fragile.wait_mode(BridgeStatus.INACTIVE)
    rejected = fragile.wait_for(fragile.send(NAMES, REACH), TrajectoryState.REJECTED)
    assert '~/activate' in rejected.trajectory.reasons[0]
    assert fragile.result(fragile.ask_parameters(locked=True)).results[0].successful
    answer = fragile.call('activate')
    assert (answer.success, answer.message) == (False, 'the key is missing')
    assert fragile.statuses[-1].mode == BridgeStatus.INACTIVE
    fragile.result(fragile.ask_parameters(locked=False))
    assert fragile.call('activate').success
    fragile.wait_mode(BridgeStatus.HOLDING)


def test_a_fault_is_told_and_nothing_measured_is_sent_till_it_is_over(fragile):
    """While steps fail time goes on without joint states; cleared and activated, it follows."""
    fragile.call('reset')
    fragile.call('activate')
    number = fragile.send(NAMES, REACH, 60.0)
    fragile.wait_for(number, TrajectoryState.ACTIVE)
    fragile.result(fragile.ask_parameters(broken=True))
    fragile.wait_mode(BridgeStatus.FAULT)
    fault = fragile.statuses[-1]
    assert (list(fault.reasons), list(fault.codes)) == (
        ['OSError: port is gone'],
        [ReasonCode.BACKEND],
    )
    stopped = fragile.wait_for(number, TrajectoryState.STOPPED)
    assert list(stopped.trajectory.reasons) == ['OSError: port is gone']
    at = nanoseconds(stopped.header.stamp)
    fragile.wait(lambda: nanoseconds(fragile.clock[-1].clock) > at + 10**9, 'the clock')
    assert nanoseconds(fragile.joints[-1].header.stamp) < at
    assert not fragile.call('activate').success

    fragile.result(fragile.ask_parameters(broken=False))
    assert fragile.call('clear_fault').success
    fragile.wait_mode(BridgeStatus.INACTIVE)
    assert list(fragile.statuses[-1].reasons) == []
    assert fragile.call('activate').success
    fragile.wait_for(fragile.send(NAMES, HOME), TrajectoryState.REACHED)
    fragile.wait(lambda: nanoseconds(fragile.joints[-1].header.stamp) > at, 'joint states')
    assert fragile.position() == pytest.approx(dict(zip(NAMES, HOME, strict=True)))
