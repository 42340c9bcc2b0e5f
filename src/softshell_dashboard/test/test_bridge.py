"""What the page knows of a bridge that has gone, and of another one that takes its place."""

from types import SimpleNamespace

import pytest
from dashboard_rig import until

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.msg', reason='needs the built workspace')

from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState

from softshell_common.ros.qos import CHANGES, STATE
from softshell_dashboard.ros.cameras import Cameras
from softshell_dashboard.ros.feed import SILENCE, Feed, Known
from softshell_dashboard.ros.robot import DashboardRobot
from softshell_interfaces.msg import BridgeStatus


def test_a_bridge_that_publishes_nothing_any_more_is_absent(node, clock, monkeypatch):
    """Until it publishes again; joints alone keep it, for a slow replay has few states."""
    monkeypatch.setattr('softshell_client.ros.latest.time', SimpleNamespace(monotonic=clock))
    feed = Feed(node, Known(), Cameras(node), clock)
    status = node.create_publisher(BridgeStatus, 'bridge_status', CHANGES)
    joints = node.create_publisher(JointState, 'joint_states', STATE)

    def state_is(state):
        return lambda: feed.health().state == state

    assert state_is('absent')()
    status.publish(BridgeStatus(bridge='sim', mode=BridgeStatus.HOLDING))
    until(state_is('holding'))
    clock.now = SILENCE - 0.1
    assert state_is('holding')()
    clock.now = SILENCE + 0.1
    assert state_is('absent')()
    joints.publish(JointState())
    until(state_is('holding'))
    clock.now += SILENCE + 0.1
    assert state_is('absent')()
    status.publish(BridgeStatus(bridge='sim', mode=BridgeStatus.FAULT))
    until(state_is('fault'))


def test_where_the_base_is_can_be_asked_without_letting_go_of_all_contacts(node):
    feed = Feed(node, Known(), Cameras(node))
    odometry = node.create_publisher(Odometry, 'odom', STATE)
    feed.snapshot(True)
    assert feed.base() is None
    message = Odometry()
    message.pose.pose.position.x, message.pose.pose.orientation.z = 1.5, 1.0
    odometry.publish(message)
    until(lambda: feed.base() is not None)
    assert feed.base().position.tolist() == [1.5, 0.0, 0.0]
    assert feed.base().orientation.tolist() == [0.0, 0.0, 1.0, 1.0]
    assert node.count_subscribers('contacts') == 1


def test_of_a_new_bridge_the_bodies_are_asked_for_although_their_names_are_the_same(node):
    """They may look otherwise; as long as neither changes, they are asked for once."""
    robot = DashboardRobot(node, lambda text, problem: None, lambda: None)
    asked = []
    question = SimpleNamespace(done=lambda: True, answer=lambda: asked)
    robot.close()
    robot.client = SimpleNamespace(
        is_ready=lambda: True,
        has_world=lambda: True,
        begin_bodies=lambda: asked.append('bodies') or question,
    )

    def bridges(count):
        until(lambda: node.count_publishers('bridge_status') == count)
        for _ in range(3):
            robot.look_at_world(('ball',))
            robot._listing_bodies = None
        return len(asked)

    first = node.create_publisher(BridgeStatus, 'bridge_status', CHANGES)
    assert bridges(1) == 1
    node.destroy_publisher(first)
    assert bridges(0) == 2
    node.create_publisher(BridgeStatus, 'bridge_status', CHANGES)
    assert bridges(1) == 3
