"""What the profiles promise, between two processes."""

import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import pytest
from rclpy.context import Context
from rclpy.node import Node
from std_msgs.msg import UInt32

from softshell_common.entry import ENVIRONMENT
from softshell_common.ros import qos
from softshell_common.ros.context import new_context

PATIENCE = 60.0  # [s] a safety net, no measure of anything
#: A burst that fills a socket, which takes about 280 such messages.
COUNT = 900
#: Prints which numbers of a topic have come, until the last one has.
LISTENER = f"""
import rclpy
from std_msgs.msg import UInt32
from softshell_common.ros import qos
from softshell_common.ros.context import new_context

heard = []
context = new_context()
node = rclpy.create_node('listener', context=context)
node.create_subscription(
    UInt32, 'numbers', lambda one: heard.append(one.data), qos.CHANGES_CONSUMER
)
executor = rclpy.executors.SingleThreadedExecutor(context=context)
executor.add_node(node)
while {COUNT} not in heard:
    executor.spin_once(timeout_sec=0.1)
print(*heard)
"""


@pytest.fixture
def context() -> Iterator[Context]:
    context = new_context()
    yield context
    context.try_shutdown()


def test_a_listener_that_stood_still_hears_of_all_changes(context):
    """Its socket is full by then: the rest is sent again."""
    node = Node('teller', context=context)
    publisher = node.create_publisher(UInt32, 'numbers', qos.CHANGES)
    program = [sys.executable, '-c', LISTENER]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as listener:
        end = time.monotonic() + PATIENCE
        while not publisher.get_subscription_count():
            assert time.monotonic() < end
            time.sleep(0.02)
        publisher.publish(UInt32(data=0))
        listener.send_signal(signal.SIGSTOP)
        for number in range(1, COUNT + 1):
            publisher.publish(UInt32(data=number))
        listener.send_signal(signal.SIGCONT)
        heard, _ = listener.communicate(timeout=PATIENCE)
    assert heard.split() == [str(number) for number in range(COUNT + 1)]


def test_what_was_lost_is_sent_again_within_a_tenth_of_a_second():
    """An emergency stop is such a message; by default it is 3 s."""
    profiles = ET.parse(ENVIRONMENT['FASTRTPS_DEFAULT_PROFILES_FILE'])
    (period,) = profiles.iterfind(
        './/{*}data_writer[@is_default_profile="true"]//{*}heartbeatPeriod'
    )
    seconds, nanoseconds = (int(period.find(f'{{*}}{part}').text) for part in ('sec', 'nanosec'))
    assert seconds + 1e-9 * nanoseconds <= 0.1
