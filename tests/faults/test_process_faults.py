"""Processes that die, sleep or cannot write while the robot walks on emulated servos."""

import resource
import signal
import time

import pytest
from geometry_msgs.msg import Twist
from loose_stack import PATIENCE, LooseStack, wait_until
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter

from softshell_client import ActionFailedError, ServerGoneError
from softshell_common.bridge_mode import BridgeMode
from softshell_common.reason import ReasonCode


@pytest.fixture
def stack(family):
    """A robot that stands, each of its nodes on its own."""
    made = LooseStack()
    with made.client() as robot:
        robot.perform('stand')
    yield made
    made.close()


@pytest.mark.long
def test_what_concerns_the_bridge_little_and_what_ends_a_walk(stack, record):
    """25, 22: nonsense parameters and a full disk end nothing. 27, 20, 19: whoever asks is gone.

    The robot comes to rest each time, drives on when it is asked again, and says why it stopped.
    """
    record('19', 'action manager killed')
    record('20', 'kinematics killed')
    record('22', 'disk full')
    record('25', 'nonsense parameters')
    record('27', "operator's connection lost")
    walk = stack.walk()
    nonsense(stack)
    resource.prlimit(stack.processes['bridge'].pid, resource.RLIMIT_FSIZE, (0, -1))
    before = stack.odom.pose.pose.position.x
    wait_until(lambda: abs(stack.odom.pose.pose.position.x - before) > 0.1, 'does not walk on')
    assert BridgeMode(stack.status.mode) is BridgeMode.EXECUTING
    resource.prlimit(stack.processes['bridge'].pid, resource.RLIMIT_FSIZE, (-1, -1))
    stack.processes['kinematics'].kill()
    stack.processes['action_manager'].kill()
    assert isinstance(walk.end(), ActionFailedError | ServerGoneError)
    stack.wait_rest()
    stack.wait_mode(BridgeMode.HOLDING)
    stack.start('kinematics')
    stack.start('action_manager')
    operator_goes(stack)


def nonsense(stack):
    """25: each is refused by name, and the robot walks on."""
    client = stack.node.create_client(SetParameters, '/bridge/set_parameters')
    assert client.wait_for_service(PATIENCE)
    wrong = [
        Parameter('control_period', value=0.0), Parameter('stop_policy', value='jump'),
        Parameter('goal_timeout', value=float('nan')), Parameter('wings', value=2),
    ]  # fmt: skip
    request = SetParameters.Request(parameters=[one.to_parameter_msg() for one in wrong])
    answer = client.call_async(request)
    wait_until(answer.done, 'no answer')
    assert not any(result.successful for result in answer.result().results)
    assert all(result.reason for result in answer.result().results)


def operator_goes(stack):
    """27: a velocity that is streamed no more ends by itself."""
    publisher = stack.node.create_publisher(Twist, 'cmd_vel', 1)
    twist = Twist()
    twist.linear.x = 0.05

    def moves():
        publisher.publish(twist)
        return stack.fastest > 0.5

    wait_until(moves, 'cmd_vel moves nothing')
    stack.node.destroy_publisher(publisher)
    stack.wait_rest()


@pytest.mark.long
def test_a_bridge_that_slept_wakes_to_a_fault(stack, record):
    """17: stopped for 5 s in mid-stride, it sends nothing more; a reset leads out."""
    record('17', 'bridge stopped for 5 s')
    walk = stack.walk()
    bridge = stack.processes['bridge']
    bridge.send_signal(signal.SIGSTOP)
    time.sleep(5.0)
    stack.wait_rest()
    bridge.send_signal(signal.SIGCONT)
    stack.wait_mode(BridgeMode.FAULT)
    assert ReasonCode(stack.status.codes[0]) in (ReasonCode.STALL, ReasonCode.CLOCK)
    assert walk.end() is not None
    with stack.client() as robot:
        robot.clear_fault()
        robot.activate()
        robot.perform('stand')
    stack.wait_rest()


@pytest.mark.long
def test_a_bridge_that_is_killed_leaves_a_robot_that_stands(stack, record):
    """16: servos hold their last goal, and a new bridge takes them over as they are."""
    record('16', 'bridge killed with -9')
    walk = stack.walk()
    stack.processes['bridge'].kill()
    stack.processes['bridge'].wait()
    stack.wait_rest()
    assert walk.end() is not None
    places = list(stack.joints.position)
    stack.status = None
    stack.start('bridge')
    stack.wait_mode(BridgeMode.HOLDING)
    stack.wait_rest()
    moved = [abs(now - then) for now, then in zip(stack.joints.position, places, strict=True)]
    assert max(moved) < 0.15


@pytest.mark.long
def test_a_bridge_that_is_back_before_it_was_missed_ends_what_the_old_one_was_sent(stack):
    """Whoever walks is told, and the next command is performed."""
    walk = stack.walk()
    stack.processes['bridge'].kill()
    stack.processes['bridge'].wait()
    stack.start('bridge')
    assert isinstance(walk.end(), ActionFailedError)
    with stack.client() as robot:
        robot.perform('stand')
    stack.wait_rest()
