"""Records some topics of a stack: raw messages, which are decoded after the run."""

import threading
import time

from nav_msgs.msg import Odometry
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from softshell_common.ros import qos
from softshell_interfaces.msg import WorldPoses
from softshell_kinematics.errors import SoftshellError
from softshell_recording.assemble import assemble
from softshell_recording.recording import Recording
from softshell_recording.topic import TRUTH

#: Type and quality of service of each topic that is recorded.
TOPICS = {
    'joint_states': (JointState, qos.RECORDED),
    'odom': (Odometry, qos.RECORDED),
    f'{TRUTH}joint_states': (JointState, qos.RECORDED),
    f'{TRUTH}odom': (Odometry, qos.RECORDED),
    'joint_commands': (JointState, qos.RECORDED),
    'world_poses': (WorldPoses, qos.RECORDED),
}


class Recorder:
    """A node in a thread of its own that keeps every message of `TOPICS`.

    Args:
        context: an initialised rclpy context.
        namespace: of the stack.
    """

    def __init__(self, context: Context, namespace: str = '') -> None:
        self._context = context
        self._node = Node(
            'recorder', namespace=namespace, context=context, start_parameter_services=False
        )
        self._messages: dict[str, list[bytes]] = {topic: [] for topic in TOPICS}
        self._subscriptions = {
            topic: self._node.create_subscription(
                kind, topic, self._messages[topic].append, profile, raw=True
            )
            for topic, (kind, profile) in TOPICS.items()
        }
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self._node)
        self._running = True
        self._thread = threading.Thread(target=self._spin, name='recorder', daemon=True)
        self._thread.start()

    def wait_for_messages(self, count: int = 1, timeout: float = 20.0) -> None:
        """Return once so many joint states are recorded, and odometries if a node publishes them.

        Discovery takes a moment; messages from before it has ended are not recorded.

        Args:
            count: of messages.
            timeout: [s, wall].

        Raises:
            SoftshellError: they did not come within the timeout.
        """
        end = time.monotonic() + timeout
        while self.received('joint_states') < count or (
            self.received('odom') < count and self._node.count_publishers('odom')
        ):
            if time.monotonic() > end:
                raise SoftshellError(
                    f'{self.received("joint_states")} joint_states and {self.received("odom")} '
                    f'odom within {timeout:g} s; expected {count}: is a bridge running?'
                )
            time.sleep(0.02)

    def received(self, topic: str) -> int:
        """Number of messages so far.

        Args:
            topic: one of `TOPICS`.
        """
        return len(self._messages[topic])

    def stop(self) -> Recording:
        """End recording and decode what came.

        Raises:
            SoftshellError: no joint states came.
        """
        self.close()
        return self.recording()

    def close(self) -> None:
        """End recording, with all that has come until now."""
        if not self._running:
            return
        self._running = False
        self._thread.join()
        for topic, subscription in self._subscriptions.items():
            handle = subscription.handle
            with handle:
                while (taken := handle.take_message(subscription.msg_type, True)) is not None:
                    self._messages[topic].append(taken[0])
        self._executor.shutdown()
        self._node.destroy_node()

    def recording(self) -> Recording:
        """What was recorded, decoded; to be called after `close`.

        Raises:
            SoftshellError: no joint states came.
        """
        decoded = {
            topic: [deserialize_message(message, kind) for message in self._messages[topic]]
            for topic, (kind, _) in TOPICS.items()
        }
        for topic in [topic for topic in decoded if topic.startswith(TRUTH)]:
            truth = decoded.pop(topic)
            if truth:
                decoded[topic.removeprefix(TRUTH)] = truth
        return assemble(**decoded)

    def _spin(self) -> None:
        while self._running:
            try:
                self._executor.spin_once(timeout_sec=0.1)
            except ExternalShutdownException:
                return
