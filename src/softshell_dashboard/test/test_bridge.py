"""What the page knows of a bridge that has gone, and of another one that takes its place."""

import time
from types import SimpleNamespace

import pytest

rclpy = pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.msg', reason='needs the built workspace')

from rclpy.context import Context  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from softshell_common.ros.qos import CHANGES, STATE  # noqa: E402
from softshell_dashboard.ros.cameras import Cameras  # noqa: E402
from softshell_dashboard.ros.feed import SILENCE, Feed, Known  # noqa: E402
from softshell_dashboard.ros.robot import DashboardRobot  # noqa: E402
from softshell_interfaces.msg import BridgeStatus  # noqa: E402

#: [s] a safety net, no measure of anything.
PATIENCE = 30.0


@pytest.fixture
def node(domains):
    context = Context()
    rclpy.init(args=[], context=context, domain_id=domains())
    node = rclpy.create_node('page', context=context)
    yield node
    node.destroy_node()
    context.try_shutdown()


def until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


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
