"""The node of a policy; on the running stack: `tests/system/test_policy_on_the_stack.py`."""

import math

import numpy as np
import pytest

from softshell_control.channel import limits_of
from softshell_description.load import load_robot
from softshell_studies.gym.policy import trained

rclpy = pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.msg', reason='needs the built workspace')

from sensor_msgs.msg import JointState  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402


@pytest.fixture
def node(domains):
    """The node of the policy that comes with the task of walking."""
    from softshell_studies.ros.policy_node import PolicyNode

    rclpy.init(args=['--ros-args', '-p', f'policy:={trained("Walk")}'], domain_id=domains())
    node = PolicyNode()
    yield node
    node.destroy_node()
    rclpy.shutdown()


def missing(node, names):
    """The topic that it misses, after joint states of these joints."""
    zeros = [0.0] * len(names)
    node._on_joints(JointState(name=names, position=zeros, velocity=zeros))
    answer = node._on_start(Trigger.Request(), Trigger.Response())
    assert not answer.success
    return answer.message.partition('no usable message on ')[2].split()[0]


def test_only_joint_states_of_all_joints_of_its_robot_count(node):
    """Those of another robot or of one leg are none; more joints, as of fingers, may be there."""
    own = list(load_robot('shell').joint_names)
    assert missing(node, ['elbow', 'wrist']) == 'joint_states'
    assert missing(node, own[:3]) == 'joint_states'
    assert missing(node, [*own, 'elbow']) == 'odom'


def test_its_rates_are_within_the_limits_of_the_gate(node):
    """Also from far away: a part of what the motors can."""
    sent, robot = [], load_robot('shell')
    node._commands.publish, node._heard['cmd_vel'] = sent.append, -math.inf
    node._sensed.joints[:] = node._wiring.centre
    node._target = node._wiring.centre - 9.0
    node._act(0.0)
    moved = node._wiring.moved
    rates = np.array(sent[0].trajectory.points[0].velocities)
    assert rates == pytest.approx(limits_of(robot).rate[moved])
    assert (rates < robot.velocities[moved]).all()
