"""A ball on the mock bridge, which has no IMU: what is done, and what is refused and why."""

import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
import rclpy
from rclpy.context import Context
from sensor_msgs.msg import Imu
from std_msgs.msg import String
from waiting import PATIENCE, until

from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack
from softshell_client import ActionFailedError, Shell, Status
from softshell_common.ros import qos
from softshell_recording.ros.recorder import Recorder


def long(*cases: str) -> list[object]:
    """Cases of which the others of a test show as much."""
    return [pytest.param(case, marks=pytest.mark.long) for case in cases]


@pytest.fixture(scope='module')
def stack() -> Iterator[Stack]:
    with Stack({'bridge': 'mock', 'real_time_factor': '4'}, domain=free_domain()) as stack:
        stack.wait_ready()
        yield stack


@pytest.fixture
def shell(stack: Stack) -> Iterator[Shell]:
    """Shell as a closed ball."""
    context = Context()
    rclpy.init(context=context, domain_id=stack.domain)
    with Shell(context=context) as shell:
        shell.wait_for_joints()
        shell.perform('close')
        yield shell
    context.try_shutdown()


def refusal(shell: Shell, action: str, **parameters: float) -> ActionFailedError:
    """Why an action is refused; no joint moves meanwhile."""
    recorder = Recorder(shell.node.context)
    recorder.wait_for_messages()
    with pytest.raises(ActionFailedError) as caught:
        shell.perform(action, **parameters)
    recorder.wait_for_messages(recorder.received('joint_states') + 20)
    assert np.ptp(recorder.stop().joints, axis=0).max() < 1e-6
    return caught.value


@pytest.mark.parametrize('action', ['walk', 'stand', *long('turn', 'idle', 'gather', 'raise')])
def test_a_ball_refuses_what_legs_do(shell, action):
    """Nothing moves, and the reason says that it is a ball and that `open` helps."""
    error = refusal(shell, action)
    assert error.status is Status.NOT_READY
    assert 'true now: ball' in str(error)
    assert 'open helps' in str(error)


def test_a_ball_is_closed_already(shell):
    """To close it again moves no joint and succeeds; to open what is open is refused."""
    before = dict(shell.joints)
    shell.perform('close')
    assert dict(shell.joints) == pytest.approx(before, abs=1e-6)
    shell.perform('open')
    error = refusal(shell, 'open')
    assert error.status is Status.NOT_READY
    assert 'open requires: ball or transforming' in str(error)
    assert 'true now: standing' in str(error)


@pytest.mark.long
def test_without_an_imu_a_ball_does_not_roll(shell):
    """By action, or by `cmd_vel`: the reason names what is missing, and the ball opens after."""
    error = refusal(shell, 'roll')
    assert error.status is Status.REJECTED
    assert 'rolling needs an IMU that is fixed to the base' in str(error)
    before = dict(shell.joints)
    shell.drive(x=0.5)
    time.sleep(0.5)
    assert dict(shell.joints) == pytest.approx(before, abs=1e-6)
    shell.perform('open')


def test_a_tilted_ball_that_cannot_right_itself_stays_closed(shell):
    """An IMU that the bridge does not have tells the tilt: `open` is refused for want of one."""
    imu = shell.node.create_publisher(Imu, 'imu', qos.STATE)
    over = Imu()
    over.orientation.x, over.orientation.w = 1.0, 0.0
    timer = shell.node.create_timer(0.02, lambda: imu.publish(over))
    try:
        # The action manager subscribes only while it measures the tilt: it has to be asked.
        until(lambda: 'tilted' in str(refusal(shell, 'stand')), 'imu known to the action manager')
        error = refusal(shell, 'open')
    finally:
        shell.node.destroy_timer(timer)
        shell.node.destroy_publisher(imu)
    assert 'rolling needs an IMU that is fixed to the base' in str(error)
    until(lambda: not shell.node.count_publishers('imu'), 'gone')
    shell.perform('open')


def begun_to_open(shell: Shell) -> threading.Thread:
    """A thread that opens the ball, so slowly that others come to see it on its way."""
    thread = threading.Thread(target=shell.perform, args=('open',), kwargs={'duration': 4.0})
    thread.start()
    return thread


@pytest.mark.long
@pytest.mark.parametrize('asked', ['roll', *long('cmd_vel', 'walk', 'close')])
def test_what_could_not_begin_does_not_end_what_is_under_way(shell, asked):
    """A robot that opens is told to roll, say: that is refused, and it opens all the way."""
    opening = begun_to_open(shell)
    until(lambda: shell.mode == 'transforming', 'on its way')
    if asked == 'cmd_vel':
        shell.drive(x=0.1)
    else:
        told = f'^{asked}: .*stand requires: .*; open helps; open is under way and goes on'
        with pytest.raises(ActionFailedError, match=told) as caught:
            shell.perform(asked)
        assert caught.value.status is Status.NOT_READY
        assert 'true now: transforming' in str(caught.value)
    opening.join(PATIENCE)
    until(lambda: shell.mode == 'hexapod', 'a hexapod')


def test_the_mode_is_told(shell):
    """A ball is a shell, also to whoever listens late; on its way it transforms."""
    modes: list[str] = []
    shell.node.create_subscription(
        String, 'mode', lambda message: modes.append(message.data), qos.LATCHED
    )
    until(lambda: modes == ['shell'] and shell.mode == 'shell', 'a shell')
    begun_to_open(shell).join(PATIENCE)
    until(lambda: modes[-1] == 'hexapod', 'a hexapod')
    assert modes == ['shell', 'transforming', 'hexapod']
    assert shell.mode == 'hexapod'
