"""A trained policy as one more commander of the running stack: `policy:=FILE`."""

import time

import numpy as np
import pytest
from geometry_msgs.msg import Twist
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from stack_rig import robot_in_mujoco
from std_srvs.srv import Trigger

from softshell_studies.gym.policy import trained

PATIENCE = 120.0  # [s] a safety net, no measure of anything
#: What it is told [m/s].
AHEAD = 0.08
#: Measurements that are late, as on a busy machine, end the policy after this only [s].
TIMEOUT = 5.0
#: Of its answers as long as it has not heard of the robot what it needs.
UNHEARD = ('no usable message', 'does not drive')


@pytest.fixture(scope='module')
def stack(tmp_path_factory):
    """A simulation at twice the speed, with the policy that comes with the task of walking."""
    file = tmp_path_factory.mktemp('policy') / 'patient.yaml'
    file.write_text(f'policy: {{ros__parameters: {{measurement_timeout: {TIMEOUT}}}}}')
    with robot_in_mujoco(
        real_time_factor='2', policy=str(trained('Walk')), params_file=str(file)
    ) as (shell, context):
        yield shell, Leader(context)


class Leader:
    """Starts, leads and stops the policy."""

    def __init__(self, context):
        self.node = Node('leader', context=context)
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.node)
        self.publisher = self.node.create_publisher(Twist, 'policy/cmd_vel', 1)

    def ask(self, name, node='policy'):
        client = self.node.create_client(Trigger, f'{node}/{name}')
        assert client.wait_for_service(PATIENCE)
        future = client.call_async(Trigger.Request())
        self.executor.spin_until_future_complete(future, PATIENCE)
        return future.result()

    def answer(self):
        """Its answer to a start, once it has heard measurements, and that the bridge drives."""
        end = time.monotonic() + PATIENCE
        while True:
            answer = self.ask('start')
            if answer.success or not any(word in answer.message for word in UNHEARD):
                return answer
            assert time.monotonic() < end, answer.message

    def lead(self, ahead, until):
        """Tell it a velocity until something is so."""
        message, end = Twist(), time.monotonic() + PATIENCE
        message.linear.x = ahead
        while not until():
            assert time.monotonic() < end
            self.publisher.publish(message)
            self.executor.spin_once(0.05)
            time.sleep(0.05)


@pytest.mark.long
def test_it_walks_where_it_is_told_and_gives_way(stack):
    """It begins where the robot stands only, walks ahead, and ends when an action takes over."""
    shell, leader = stack
    refused = leader.answer()
    assert not refused.success
    assert "as in the pose 'stand'" in refused.message
    shell.perform('stand')
    assert leader.answer().success

    def place():
        return shell.position[:2].copy()

    begin = place()
    leader.lead(AHEAD, lambda: np.linalg.norm(place() - begin) > 0.3)
    way = place() - begin
    assert abs(np.arctan2(way[1], way[0])) < 0.5  # it may turn a little on the way
    shell.perform('stand')
    stood = place()
    stopped = leader.ask('stop')
    assert stopped.success
    assert stopped.message == 'the policy was not running'
    assert np.linalg.norm(place() - stood) < 0.01


@pytest.mark.long
def test_it_ends_where_nothing_is_measured_any_more(stack):
    """And does not go on by itself; asked twice to begin, it goes on."""
    shell, leader = stack
    shell.perform('stand')
    assert leader.answer().success
    assert leader.answer().success
    assert leader.ask('pause', 'bridge').success
    end = time.monotonic() + PATIENCE
    # The last odometry may come a moment before the last joint states.
    while (answer := leader.ask('start')).success or 'on odom' in answer.message:
        assert time.monotonic() < end
    assert f'no usable message on joint_states for {TIMEOUT:g} s' in answer.message
    assert leader.ask('resume', 'bridge').success
    assert leader.ask('stop').message == 'the policy was not running'
