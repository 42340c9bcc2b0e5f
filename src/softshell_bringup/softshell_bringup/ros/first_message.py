"""Measures how long the first message takes from one node to another."""

import time

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import Empty

from softshell_common.ros.context import new_context

#: An underscore hides a topic from listings: this one is of no use to others.
TOPIC = '_first_message'


def first_message(domain: int, timeout: float) -> float | None:
    """Time from the start of two ROS contexts to the first message between them [s].

    Two contexts discover each other as two processes do.

    Args:
        domain: ROS domain.
        timeout: longest wait [s, wall].

    Returns:
        The time, or None if no message came within `timeout`.

    Raises:
        SoftshellError: ROS cannot be initialised.
    """
    contexts = [new_context(domain), new_context(domain)]
    nodes = [
        Node(name, context=context, start_parameter_services=False)
        for context, name in zip(contexts, ('_sender', '_receiver'), strict=True)
    ]
    heard: list[Empty] = []
    publisher = nodes[0].create_publisher(Empty, TOPIC, 10)
    nodes[1].create_subscription(Empty, TOPIC, heard.append, 10)
    executor = SingleThreadedExecutor(context=contexts[1])
    executor.add_node(nodes[1])
    begin = time.monotonic()
    while not heard and time.monotonic() < begin + timeout:
        publisher.publish(Empty())
        executor.spin_once(timeout_sec=0.05)
    took = time.monotonic() - begin
    executor.shutdown()
    for node, context in zip(nodes, contexts, strict=True):
        node.destroy_node()
        context.try_shutdown()
    return took if heard else None
