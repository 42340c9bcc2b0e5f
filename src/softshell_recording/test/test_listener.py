"""What listens hands on every message."""

import time

import pytest

rclpy = pytest.importorskip('rclpy', reason='needs ROS 2')

from rclpy.context import Context  # noqa: E402
from rclpy.node import Node  # noqa: E402
from rclpy.serialization import deserialize_message  # noqa: E402
from std_msgs.msg import Float64  # noqa: E402

from softshell_bringup.domain import free_domain  # noqa: E402
from softshell_common.ros import qos  # noqa: E402
from softshell_recording.ros.listener import Listener  # noqa: E402

#: [s] a safety net, no measure of anything.
PATIENCE = 30.0


@pytest.fixture
def node():
    context = Context()
    rclpy.init(args=[], context=context, domain_id=free_domain())
    node = Node('anyone', context=context)
    yield node
    node.destroy_node()
    context.try_shutdown()


def test_a_message_that_makes_trouble_takes_no_other_with_it(node):
    """Those that came with it are handed on by the next sweep, in their order."""
    heard = []

    def take(message):
        value = deserialize_message(message.data, Float64).data
        heard.append(value)
        if value == 1.0:
            raise ValueError('this one makes trouble')

    publisher = node.create_publisher(Float64, '/number', qos.RECORDED)
    listener = Listener(node, take, lambda name, kind: name == '/number')
    end = time.monotonic() + PATIENCE
    while not publisher.get_subscription_count():
        assert time.monotonic() < end
        listener.sweep()
    for value in range(4):
        publisher.publish(Float64(data=float(value)))
    time.sleep(1.0)  # all come to one sweep
    with pytest.raises(ValueError, match='makes trouble'):
        listener.sweep()
    assert heard == [0.0, 1.0]
    listener.sweep()
    assert heard == [0.0, 1.0, 2.0, 3.0]
