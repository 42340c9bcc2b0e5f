"""Records what the stack says, without taking part: raw messages, decoded after the run."""

import threading
import time
from dataclasses import dataclass

import numpy as np
from nav_msgs.msg import Odometry
from numpy.typing import NDArray
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from softshell_common import qos
from softshell_common.errors import SoftshellError
from softshell_interfaces.msg import BridgeStatus

Array = NDArray[np.float64]

TOPICS = {
    'joint_states': (JointState, qos.STATE),
    'odom': (Odometry, qos.STATE),
    'joint_trajectory': (JointTrajectory, qos.STATE),
    'bridge_status': (BridgeStatus, qos.LATCHED),
}


@dataclass(frozen=True)
class Recording:
    """A run as arrays over time.

    Args:
        times: (samples,) [s] on the ROS clock, increasing.
        joint_names: in the order of the columns of `joints`.
        joints: (samples, joints) measured positions [rad].
        commands: (samples, joints) commanded positions [rad], NaN where nothing is commanded.
        positions: (samples, 3) base_link in odom [m].
        orientations: (samples, 4) base_link in odom, quaternion x y z w.
    """

    times: Array
    joint_names: tuple[str, ...]
    joints: Array
    commands: Array
    positions: Array
    orientations: Array

    @property
    def yaw(self) -> Array:
        """(samples,) heading [rad], without jumps."""
        return np.unwrap(Rotation.from_quat(self.orientations).as_euler('ZYX')[:, 0])

    @property
    def tilt(self) -> Array:
        """(samples,) angle between the base's z axis and the vertical [rad]."""
        up = Rotation.from_quat(self.orientations).apply([0.0, 0.0, 1.0])
        return np.arccos(np.clip(up[:, 2], -1.0, 1.0))

    def at(self, time: float) -> int:
        """Index of the last sample not after a time."""
        return max(0, int(np.searchsorted(self.times, time, side='right')) - 1)


class Recorder:
    """A node in a thread of its own that keeps every message of `TOPICS`.

    Args:
        context: an initialised rclpy context.
        namespace: of the stack.
    """

    def __init__(self, context: Context, namespace: str = '') -> None:
        self._node = Node('recorder', namespace=namespace, context=context)
        self._messages: dict[str, list[bytes]] = {topic: [] for topic in TOPICS}
        for topic, (kind, profile) in TOPICS.items():
            self._node.create_subscription(
                kind, topic, self._messages[topic].append, profile, raw=True
            )
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self._node)
        self._running = True
        self._thread = threading.Thread(target=self._spin, name='recorder')
        self._thread.start()

    def wait_for_messages(self, count: int = 1, timeout: float = 20.0) -> None:
        """Return once so many joint states and odometries are recorded: discovery takes a moment.

        Raises:
            SoftshellError: not within `timeout` [s, wall].
        """
        end = time.monotonic() + timeout
        while min(self.received('joint_states'), self.received('odom')) < count:
            if time.monotonic() > end:
                raise SoftshellError(f'no joint_states or odom within {timeout:g} s')
            time.sleep(0.02)

    def received(self, topic: str) -> int:
        """Number of messages so far."""
        return len(self._messages[topic])

    def stop(self) -> Recording:
        """End recording and decode what came."""
        self._running = False
        self._thread.join()
        self._executor.shutdown()
        self._node.destroy_node()
        decoded = {
            topic: [deserialize_message(message, kind) for message in self._messages[topic]]
            for topic, (kind, _) in TOPICS.items()
        }
        return assemble(**decoded)

    def _spin(self) -> None:
        while self._running:
            self._executor.spin_once(timeout_sec=0.1)


def assemble(
    joint_states: list[JointState],
    odom: list[Odometry],
    joint_trajectory: list[JointTrajectory],
    bridge_status: list[BridgeStatus],
) -> Recording:
    """A recording from messages; samples are those of `joint_states`."""
    if not joint_states or not odom:
        raise SoftshellError('no joint_states or odom were recorded')
    names = tuple(joint_states[0].name)
    times = np.array([_seconds(message.header.stamp) for message in joint_states])
    odom_times = np.array([_seconds(message.header.stamp) for message in odom])
    nearest = np.clip(np.searchsorted(odom_times, times), 0, len(odom) - 1)
    poses = [odom[index].pose.pose for index in nearest]
    return Recording(
        times=times,
        joint_names=names,
        joints=np.array([message.position for message in joint_states]),
        commands=_commands(times, names, joint_trajectory, bridge_status),
        positions=np.array([[p.position.x, p.position.y, p.position.z] for p in poses]),
        orientations=np.array(
            [[p.orientation.x, p.orientation.y, p.orientation.z, p.orientation.w] for p in poses]
        ),
    )


def _commands(
    times: Array,
    names: tuple[str, ...],
    trajectories: list[JointTrajectory],
    statuses: list[BridgeStatus],
) -> Array:
    """What each joint was told to be: every trajectory from when the bridge made it active."""
    started = {
        (status.goal.sec, status.goal.nanosec): _seconds(status.header.stamp)
        for status in reversed(statuses)
        if status.goal_state == BridgeStatus.ACTIVE
    }
    commands = np.full((len(times), len(names)), np.nan)
    for message in trajectories:
        start = started.get((message.header.stamp.sec, message.header.stamp.nanosec))
        if start is None:
            continue
        spline = CubicHermiteSpline(
            [_seconds(point.time_from_start) for point in message.points],
            np.array([point.positions for point in message.points]),
            np.array([point.velocities for point in message.points]),
        )
        rows = (times >= start) & (times <= start + spline.x[-1])
        columns = [names.index(name) for name in message.joint_names]
        commands[np.ix_(rows, columns)] = spline(times[rows] - start)
    return commands


def _seconds(stamp: object) -> float:
    return stamp.sec + stamp.nanosec * 1e-9  # type: ignore[attr-defined]
