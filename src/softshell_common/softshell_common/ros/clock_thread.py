"""Keeps the clock of a node on simulated time, in a thread of its own."""

import struct
import threading

from rclpy.clock import ROSClock
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription
from rclpy.time import Time
from rosgraph_msgs.msg import Clock

from softshell_common.ros.unattended import Unattended, never_called

#: Time between two checks whether the thread is to end, while no message comes [ns].
LOOK_PERIOD = 100_000_000
#: A Clock message in little-endian CDR: the encapsulation, seconds, nanoseconds.
CDR = struct.Struct('<4xiI')


class ClockThread:
    """Reads `/clock` for a node, in place of the node's executor.

    A simulation at 8 times real time sends 2000 messages a second. For each of them rclpy's
    executors collect all entities of the node, which took half a core. Timers of the node still
    fire on time: rcl wakes the executor when the time of a timer comes.

    Args:
        node: the node whose clock is set. Subscriptions to Clock that rclpy made are replaced.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        profile = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
        self._subscriptions: list[Subscription] = []
        for subscription in list(node.subscriptions):
            if subscription.msg_type is Clock:
                topic, group = subscription.topic_name, Unattended()
                node.destroy_subscription(subscription)
                kept = node.create_subscription(
                    Clock, topic, never_called, profile, callback_group=group, raw=True
                )
                self._subscriptions.append(kept)
        self._ending = False
        self._thread = threading.Thread(target=self._run, name='clock', daemon=True)
        self._thread.start()

    def _run(self) -> None:
        """Wait for messages and set the clock, with the same calls as `rclpy.wait_for_message`."""
        node, clock = self._node, self._node.get_clock()
        assert isinstance(clock, ROSClock)
        count = len(self._subscriptions)
        wait_set = rclpy_implementation.WaitSet(count, 0, 0, 0, 0, 0, node.context.handle)
        while not self._ending and node.context.ok():
            wait_set.clear_entities()
            for subscription in self._subscriptions:
                wait_set.add_subscription(subscription.handle)
            wait_set.wait(LOOK_PERIOD)
            if not wait_set.get_ready_entities('subscription'):
                continue
            for subscription in self._subscriptions:
                taken = subscription.handle.take_message(Clock, True)
                if taken is not None:
                    seconds, nanoseconds = CDR.unpack_from(taken[0])
                    clock.set_ros_time_override(Time(seconds=seconds, nanoseconds=nanoseconds))

    def close(self) -> None:
        """End the thread; the node's time stands still from then on."""
        self._ending = True
        self._thread.join()
