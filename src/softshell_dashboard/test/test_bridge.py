"""What the page knows of a bridge that has gone, and of another one that takes its place."""

from types import SimpleNamespace

import pytest
from dashboard_rig import until

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.msg', reason='needs the built workspace')

from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from softshell_common.ros.qos import CHANGES, LATCHED, STATE
from softshell_dashboard.ros.cameras import Cameras
from softshell_dashboard.ros.feed import SILENCE, Feed, Known
from softshell_dashboard.ros.robot import DashboardRobot
from softshell_interfaces.msg import BridgeStatus
from softshell_kinematics.errors import SoftshellError


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


@pytest.mark.parametrize('request_', ['activate', 'reset', 'clear_fault', 'deactivate'])
def test_a_stop_that_waits_for_its_bridge_is_sent_whatever_is_asked_for_meanwhile(node, request_):
    """The other is refused with the reason; once the stop is sent it can be asked for again."""
    told, sent, there = [], [], []

    def begin(name):
        if not there:
            raise SoftshellError('there is no bridge')
        sent.append(name)
        return SimpleNamespace(done=lambda: True, answer=lambda: 'done')

    robot = DashboardRobot(node, lambda text, problem: told.append((text, problem)), lambda: None)
    robot.close()
    robot.client = SimpleNamespace(begin_bridge_request=begin)
    robot.ask_bridge('emergency_stop')
    robot.ask_bridge(request_)
    assert told == [(f'{request_}: not sent, as the emergency stop is not sent yet', True)]
    there.append('bridge')
    robot.ask_bridge(request_)
    assert sent == []
    robot._stop()  # as each poll does
    robot.ask_bridge(request_)
    assert sent == ['emergency_stop', request_]


def test_a_bridge_without_a_manager_is_listened_to_before_anything_is_asked_of_it(node):
    """Else the first request would find it not ready, each time that it was started."""
    robot = DashboardRobot(node, lambda text, problem: None, lambda: None)
    for _ in range(2):
        bridge = node.create_publisher(BridgeStatus, 'bridge_status', CHANGES)
        until(lambda: robot.poll() and node.count_subscribers('bridge_status') == 1)
        before = robot.client._bridge._greeting
        bridge.publish(BridgeStatus(bridge='mock'))
        until(lambda before=before: before.seen_at is not None)
        node.destroy_publisher(bridge)
        until(lambda: robot.poll() and not robot._bridge.identities())
    robot.close()


def test_of_a_robot_that_is_described_what_is_known_of_another_does_not_count(node):
    """As of a recording, whatever robot the page was started for; that one counts before."""
    shell = Known('base_link', ('foot_0',), name='shell')
    others = {'crab': Known('carapace', ('claw',), name='crab')}
    feed = Feed(node, shell, Cameras(node), look_up=lambda name: others.get(name, Known()))
    descriptions = node.create_publisher(String, 'robot_description', LATCHED)
    assert (feed.base_link(), feed.feet()) == ('base_link', ('foot_0',))
    for name, base, feet in (
        ('crab', 'carapace', ('claw',)),
        ('unknown', '', ()),
        ('shell', 'base_link', ('foot_0',)),
    ):
        text = f'<robot name="{name}"><link name="{base or "root"}"/></robot>'
        descriptions.publish(String(data=text))
        until(lambda text=text: feed.description() == text)
        assert (feed.base_link(), feed.feet()) == (base, feet)


def test_only_an_installed_robot_is_looked_up_by_the_name_in_its_description():
    """A path is none, and a robot whose description has another name is another robot."""
    from softshell_dashboard.ros.dashboard_node import _installed

    assert _installed('starfish').ranges['side_0'] == (-0.03, 0.03)
    assert len(_installed('shell').feet) == 6
    for name in ('', 'nobody', '../starfish'):
        assert (_installed(name).base, _installed(name).ranges) == ('', {})
