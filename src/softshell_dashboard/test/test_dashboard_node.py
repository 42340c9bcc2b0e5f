"""The node of the page ends with its server."""

import time

import pytest
from dashboard_rig import PATIENCE

rclpy = pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.msg', reason='needs the built workspace')

from rclpy.executors import SingleThreadedExecutor  # noqa: E402

from softshell_kinematics.errors import SoftshellError  # noqa: E402

pytestmark = pytest.mark.needs('web')


@pytest.fixture
def node(domains):
    from softshell_dashboard.ros.dashboard_node import DashboardNode

    rclpy.init(args=[], domain_id=domains())
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
