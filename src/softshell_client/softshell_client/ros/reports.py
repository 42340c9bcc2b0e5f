"""What the stack reports: pose and joints of the robot, state of the bridge."""

import math
import time
from typing import Any

import numpy as np
from nav_msgs.msg import Odometry
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from softshell_client.bridge import BridgeState
from softshell_client.ros import messages
from softshell_client.ros.connection import TIMEOUT
from softshell_client.ros.entries import entry
from softshell_client.ros.latest import LOOK_PERIOD, Latest
from softshell_common.ros import qos
from softshell_interfaces.msg import BridgeStatus
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError

#: A report of the bridge that was sent so long ago is not its newest [ns]: one comes each second.
OLD = 1_500_000_000
#: Longest wait for the newest of the reports that the bridge keeps for late joiners [s, wall].
CATCHING_UP = 1.0
#: Longest wait for a pose and joints that are not older than what has just ended [s, wall].
LATENESS = 1.0
#: Time between two looks meanwhile [s].
POLL_PERIOD = 0.002


class Reports:
    """The newest reports of the stack.

    Args:
        node: the node that subscribes.
        timeout: longest wait for the first report of the bridge [s, wall].
    """

    def __init__(self, node: Node, timeout: float) -> None:
        self._timeout = timeout
        self._odometry = Latest(node, Odometry, 'odom', qos.SENSOR_CONSUMER)
        self._joint_states = Latest(node, JointState, 'joint_states', qos.SENSOR_CONSUMER)
        self._status = Latest(node, BridgeStatus, 'bridge_status', qos.LATCHED)
        self._mode = Latest(node, String, 'mode', qos.LATCHED)
        self._has_caught_up = False

    def bridge(self) -> BridgeState:
        """What the bridge reported last.

        The first call leaves out the older reports that the bridge keeps for late joiners: that
        takes 0.02 s, and at most 1 s if none is new.

        Raises:
            SoftshellError: there was no report within `timeout`.
        """
        _first(self._status, self._timeout)
        end = time.monotonic() + CATCHING_UP
        while not self._has_caught_up:
            sent = self._status.sent_at or 0
            time.sleep(LOOK_PERIOD)
            is_new = sent == self._status.sent_at and time.time_ns() - sent < OLD
            self._has_caught_up = is_new or time.monotonic() > end
        return messages.bridge_state(self._status.message)

    def wait_for_odometry(self, timeout: float = TIMEOUT) -> None:
        """Return once `position`, `orientation` and `yaw` are known; not every bridge knows them.

        Args:
            timeout: longest wait [s, wall].

        Raises:
            ProblemsError: the wait is no number.
            SoftshellError: there was no odometry within `timeout`.
        """
        hint = 'is a bridge running, and does it measure the pose of the base?'
        _first(self._odometry, timeout, hint)

    def wait_for_joints(self, timeout: float = TIMEOUT) -> None:
        """Return once `joints` and `time` are known.

        Args:
            timeout: longest wait [s, wall].

        Raises:
            ProblemsError: the wait is no number.
            SoftshellError: there were no joint states within `timeout`.
        """
        _first(self._joint_states, timeout)

    @property
    def position(self) -> Array:
        """Position of the base in odom, (3,) [m]; NaN before the first odometry."""
        message = self._odometry.message
        if message is None:
            return np.full(3, np.nan)
        position = message.pose.pose.position
        return np.array([position.x, position.y, position.z])

    @property
    def orientation(self) -> Array:
        """Orientation of the base in odom, (4,) quaternion x, y, z, w; NaN before odometry."""
        message = self._odometry.message
        if message is None:
            return np.full(4, np.nan)
        q = message.pose.pose.orientation
        return np.array([q.x, q.y, q.z, q.w])

    @property
    def yaw(self) -> float:
        """Yaw of the base in odom, positive to the left, -π to π [rad]; NaN before odometry."""
        message = self._odometry.message
        if message is None:
            return math.nan
        return float(messages.pose_coordinates(message.pose.pose)[3])

    @property
    def joints(self) -> dict[str, float]:
        """Measured position of each joint [rad] or [m]; empty before the first report.

        It is also empty if the newest report has no positions, but velocities or efforts alone.
        """
        message = self._joint_states.message
        return {} if message is None else dict(zip(message.name, message.position, strict=False))

    @property
    def mode(self) -> str:
        """Shape of a robot with a cage: hexapod, transforming, shell or rolling; else unknown."""
        message = self._mode.message
        return 'unknown' if message is None else str(message.data)

    @property
    def time(self) -> float:
        """Stamp of the newest joint states on the ROS clock [s]; NaN before the first."""
        message = self._joint_states.message
        return math.nan if message is None else messages.seconds(message.header.stamp)

    def _follow_up(self, anew: bool = False) -> None:
        """Wait until pose and joints, where there are any, are as new as the bridge's last report.

        That takes as long as the bridge needs to publish them once more, and at most `LATENESS`.
        While simulated time is paused it publishes none.

        Args:
            anew: whether they also have to come after this call: a reset begins at the robot
                before it is reported.
        """
        streams = [one for one in (self._odometry, self._joint_states) if one.seen_at is not None]
        begin = time.monotonic()
        since = begin if anew else -math.inf

        def lags(stream: Latest) -> bool:
            status, seen_at = self._status.message, stream.seen_at
            if status is None or status.paused or seen_at is None:
                return False
            stamp = messages.seconds(stream.message.header.stamp)
            return seen_at <= since or stamp < messages.seconds(status.header.stamp)

        while any(map(lags, streams)) and time.monotonic() - begin < LATENESS:
            time.sleep(POLL_PERIOD)


def _first(topic: Latest, timeout: float, hint: str = 'is a bridge running?') -> Any:
    """The newest message of a topic; waits for the first.

    Args:
        topic: a topic of the bridge.
        timeout: longest wait [s, wall].
        hint: end of the error's text.

    Raises:
        ProblemsError: the wait is no number.
        SoftshellError: there was none within `timeout`.
    """
    timeout = entry('timeout', 'double', timeout)
    if topic.wait(timeout):
        return topic.message
    raise SoftshellError(f'no {topic.name} within {timeout:g} s: {hint}')
