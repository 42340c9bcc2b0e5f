"""The clock of a node on simulated time, kept in a thread of its own."""

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

#: Between two looks whether it shall end, while no clock comes [ns].
LOOK_PERIOD = 100_000_000
#: A clock in CDR, little-endian: the encapsulation, seconds, nanoseconds.
CDR = struct.Struct('<4xiI')


class ClockThread:
    """Takes the clock of a node in place of the node's executor.

    A simulation that is 8 times as fast as the wall sends 2000 times a second, and for each
    message rclpy's executors gather all that a node has: that took half a core. Timers of the node
    end on time as before, for rcl wakes those who wait when the time that a timer waits for comes.

    Args:
        node: whose clock is to be kept. The subscriptions that rclpy made for it are replaced.
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
        """Wait and take, as `rclpy.wait_for_message` does it once."""
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
        """Take no more; the node's time stands still."""
        self._ending = True
        self._thread.join()
