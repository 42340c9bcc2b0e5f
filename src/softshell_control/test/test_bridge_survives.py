"""A bridge outlives whatever its backend does: a fault tells of it, and services lead out."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')
pytest.importorskip('control_msgs.msg', reason='control_msgs is not built')

from bridge_process import EVERYTHING, nanoseconds
from control_msgs.msg import DynamicJointState
from sensor_msgs.msg import Imu

from softshell_common.reason import ReasonCode
from softshell_control.motor_interfaces import temperatures_of
from softshell_description.load import load_robot
from softshell_interfaces.msg import BridgeStatus, TrajectoryState

ARM = load_robot('arm')
NAMES = ARM.joint_names
HOME, REACH = ARM.pose('home'), ARM.pose('reach')
#: A mock with an IMU and thermometers, one of whose calls fails or one of whose parts is odd.
BRITTLE = """
import sys
from dataclasses import dataclass
import numpy as np
from softshell_common.ros.parameters import parameter
from softshell_common.ros.run import run
from softshell_control.backend import ImuSample
from softshell_control.mock import MockBackend
from softshell_control.ros.bridge_node import BridgeNode
from softshell_control.ros.bridge_parameters import BridgeParameters

@dataclass(frozen=True)
class Parameters(BridgeParameters):
    fails: str = parameter('', 'which call', live=True)
    odd: str = parameter('', 'which part', live=True)

class Brittle(MockBackend):
    def __init__(self, robot, parameters):
        super().__init__(robot)
        self.parameters = parameters

    def enter(self, call):
        if call == self.parameters.fails:
            raise OSError(f'no answer to {call}')

    def sense(self):
        odd, imu = self.parameters.odd, ImuSample()
        if odd == 'short imu':
            imu.orientation = np.zeros(3)
        self._measured.imu = None if odd == 'no imu' else imu
        self._measured.temperature = np.full(3, np.nan if odd == 'no temperature' else 30.0)
        self._measured.valid[1] = odd != 'lost elbow'
        return self._measured

    def apply(self, parameters):
        self.parameters = parameters
        self.enter('apply')

    def reset(self):
        self.enter('reset')
        super().reset()
        return self.sense()

    def activate(self):
        self.enter('activate')
        return self.sense()

    def deactivate(self):
        self.enter('deactivate')

    def stop(self, policy):
        self.enter('stop')

    def step(self, now, command):
        self.enter('step')
        super().step(now, command)
        return self.sense()

sys.exit(run(lambda: BridgeNode(Brittle, lambda robot: Parameters)))
"""


@pytest.fixture(scope='module')
def started(start):
    return start('robot:=arm', 'real_time_factor:=2.0', code=BRITTLE)


@pytest.fixture
def bridge(started):
    """A bridge that holds, of whose backend nothing fails."""
    make(started)
    started.call('reset')
    started.call('activate')
    started.wait_mode(BridgeStatus.HOLDING)
    return started


def make(bridge, fails='', odd=''):
    """Have calls of the backend fail, or a part be odd, from now on."""
    (one, other) = bridge.result(bridge.ask_parameters(fails=fails, odd=odd)).results
    assert one.successful
    assert other.successful


def follows(bridge):
    """Check that goals are followed to their end; returns when the last was reached [ns]."""
    bridge.wait_for(bridge.send(NAMES, REACH, 0.3), TrajectoryState.REACHED)
    told = bridge.wait_for(bridge.send(NAMES, HOME, 0.3), TrajectoryState.REACHED)
    return nanoseconds(told.header.stamp)


def last_diagnostics(bridge):
    mark = len(bridge.diagnostics)
    bridge.wait(lambda: len(bridge.diagnostics) > mark + 1, 'diagnostics')
    return {value.key: value.value for value in bridge.diagnostics[-1].status[0].values}


@pytest.mark.long
def test_what_cannot_be_published_is_a_fault_with_a_way_out(start_once):
    """A quaternion of three numbers: the fault names the topic, and clock and reports go on."""
    bridge = start_once('robot:=arm', 'real_time_factor:=2.0', code=BRITTLE)
    bridge.wait_mode(BridgeStatus.HOLDING)
    heard = []
    bridge.node.create_subscription(Imu, 'imu', heard.append, EVERYTHING)
    bridge.wait(lambda: heard, 'an IMU')  # what nobody listens to is not even filled
    make(bridge, odd='short imu')
    bridge.wait_mode(BridgeStatus.FAULT)
    (reason,) = bridge.statuses[-1].reasons
    assert list(bridge.statuses[-1].codes) == [ReasonCode.INTERNAL]
    assert reason.startswith('imu cannot be published: ValueError')
    at = nanoseconds(bridge.clock[-1].clock)
    last_diagnostics(bridge)
    assert nanoseconds(bridge.clock[-1].clock) > at
    told = [line for line in bridge.bridge.errors if 'a control period failed' in line]
    assert len(told) == 1
    make(bridge)
    assert bridge.call('clear_fault').success
    assert bridge.call('activate').success
    follows(bridge)
    assert bridge.bridge.close() == 0


@pytest.mark.parametrize('call', ['step', 'apply', 'activate', 'deactivate', 'reset'])
def test_a_call_that_fails_is_a_fault_with_a_way_out(bridge, call):
    """The fault names the reason; repaired, ~/clear_fault and ~/activate lead out."""
    if call == 'activate':
        bridge.call('deactivate')
    make(bridge, fails=call)
    if call in bridge.services:
        answer = bridge.call(call)
        assert (answer.success, answer.message) == (False, f'OSError: no answer to {call}')
    bridge.wait_mode(BridgeStatus.FAULT)
    assert f'OSError: no answer to {call}' in bridge.statuses[-1].reasons
    make(bridge)
    assert bridge.call('clear_fault').success
    assert bridge.call('activate').success
    follows(bridge)


def test_a_stop_that_fails_is_told_and_the_bridge_lives(bridge):
    """An emergency stop stays one; only ~/reset leads out, and then it follows again."""
    make(bridge, fails='stop')
    assert 'did not stop: OSError: no answer to stop' in bridge.call('emergency_stop').message
    bridge.wait_mode(BridgeStatus.EMERGENCY_STOP)
    make(bridge)
    assert bridge.call('reset').success
    assert bridge.call('activate').success
    follows(bridge)


def test_a_part_that_is_lost_is_not_sent_and_ends_nothing(bridge):
    """Without its IMU the bridge moves on; `imu` is silent till it is measured again."""
    samples = []
    subscription = bridge.node.create_subscription(Imu, 'imu', samples.append, EVERYTHING)
    bridge.wait(lambda: samples, 'the IMU')
    make(bridge, odd='no imu')
    reached = follows(bridge)
    bridge.wait(lambda: nanoseconds(bridge.joints[-1].header.stamp) > reached, 'joint states')
    newest = nanoseconds(samples[-1].header.stamp)
    assert newest < reached - 5 * 10**8
    make(bridge)
    bridge.wait(lambda: nanoseconds(samples[-1].header.stamp) > newest, 'the IMU')
    assert bridge.statuses[-1].mode in (BridgeStatus.HOLDING, BridgeStatus.EXECUTING)
    bridge.unsubscribe(subscription)


def test_temperatures_that_nobody_knows_end_nothing(bridge):
    """They are no numbers, diagnostics call them unknown, and goals are followed."""
    told = []
    subscription = bridge.node.create_subscription(
        DynamicJointState, 'dynamic_joint_states', told.append, EVERYTHING
    )
    assert last_diagnostics(bridge)['highest temperature'] == '30.0 °C, shoulder'
    bridge.wait(lambda: told, 'temperatures')
    assert tuple(told[-1].joint_names) == NAMES
    assert temperatures_of(told[-1]) == dict.fromkeys(NAMES, 30.0)
    make(bridge, odd='no temperature')
    follows(bridge)
    assert last_diagnostics(bridge)['highest temperature'] == 'unknown'
    bridge.wait(lambda: np.isnan(temperatures_of(told[-1])['elbow']), 'temperatures')
    bridge.unsubscribe(subscription)


def test_a_joint_that_is_lost_is_missed_by_name(bridge):
    """Its goal ends as MISSED though its last value stands; `joint_states` shows NaN."""
    make(bridge, odd='lost elbow')
    missed = bridge.wait_for(bridge.send(NAMES, REACH, 0.3), TrajectoryState.MISSED)
    assert list(missed.trajectory.reasons) == ['elbow is not measured']
    bridge.wait(lambda: np.isnan(bridge.position()['elbow']), 'joint states')
    bridge.call('deactivate')
    answer = bridge.call('activate')
    assert answer.message == 'not measured, so it cannot be held: elbow'
    make(bridge)
    assert bridge.call('activate').success
    follows(bridge)
