"""The node of the page ends with its server, and logs what its own stack warns of."""

import time

import pytest
from dashboard_rig import PATIENCE

rclpy = pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.msg', reason='needs the built workspace')

from rcl_interfaces.msg import Log  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402

from softshell_common.ros import qos  # noqa: E402
from softshell_interfaces.msg import BridgeStatus  # noqa: E402
from softshell_kinematics.errors import SoftshellError  # noqa: E402

pytestmark = pytest.mark.needs('web')


@pytest.fixture
def node(domains, request):
    from softshell_dashboard.ros.dashboard_node import DashboardNode

    arguments = ['--ros-args', '-r', f'__ns:={getattr(request, "param", "/")}']
    rclpy.init(args=arguments, domain_id=domains())
    node = DashboardNode()
    yield node
    node.close()
    node.destroy_node()
    rclpy.try_shutdown()


def spin(node):
    """Run the callbacks of a node for a while."""
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    end = time.monotonic() + PATIENCE
    try:
        while time.monotonic() < end:
            executor.spin_once(timeout_sec=0.1)
    finally:
        executor.shutdown()


def test_a_node_whose_server_has_ended_by_itself_ends_with_its_error(node):
    """Instead of living on without a page; what it has is still taken down."""
    node._robot.poll = lambda: 1 / 0
    with pytest.raises(SoftshellError, match='the dashboard has ended: ZeroDivisionError'):
        spin(node)


@pytest.mark.parametrize(
    ('node', 'own', 'foreign'),
    [
        ('/', ['bridge', 'dashboard.part'], ['one.bridge', 'one.two.bridge']),
        (
            '/one',
            ['one.bridge', 'one.dashboard.part'],
            ['bridge', 'one', 'oneself.bridge', 'one.two.bridge', 'two.bridge'],
        ),
    ],
    indirect=['node'],
)
def test_warnings_of_other_namespaces_are_not_logged(node, own, foreign):
    """Those of parts of an own node are, which are told by a dot as well."""
    for name in (*foreign, *own):
        node._on_log(Log(level=30, name=name, msg='hot'))
    told = [one['text'] for one in node._journal.since(0) if one['kind'] == 'warning']
    assert told == [f'{name}: hot' for name in own]


def test_a_fault_that_was_over_before_it_began_is_not_told(domains):
    """The bridge keeps its last reports for late joiners."""
    from softshell_dashboard.ros.dashboard_node import DashboardNode

    rclpy.init(args=[], domain_id=domains())
    bridge = rclpy.create_node('bridge')
    publisher = bridge.create_publisher(BridgeStatus, 'bridge_status', qos.CHANGES)
    for mode in (BridgeStatus.FAULT, BridgeStatus.HOLDING):
        publisher.publish(BridgeStatus(mode=mode))
    node = DashboardNode()
    publisher.publish(BridgeStatus(mode=BridgeStatus.INACTIVE))
    try:
        told = []
        end = time.monotonic() + PATIENCE
        while 'the bridge is in inactive' not in told:
            assert time.monotonic() < end, told
            rclpy.spin_once(node, timeout_sec=0.1)
            told = [one['text'] for one in node._journal.since(0)]
        assert [text for text in told if 'fault' in text] == []
    finally:
        node.close()
        node.destroy_node()
        bridge.destroy_node()
        rclpy.try_shutdown()
