"""The last message of any driver of an IMU, in the frame of the base."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from geometry_msgs.msg import Vector3
from rclpy.node import Node
from sensor_msgs.msg import Imu

from softshell_common.ros.qos import SENSOR_CONSUMER
from softshell_control.backend import ImuSample
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import hamilton, inverse, quaternion_from_rotation

#: A message older than this is not used [s].
OLDEST = 0.5
#: What is not measured.
UNKNOWN = [math.nan] * 3


def _measured(vector: Vector3, covariance: Sequence[float]) -> list[float] | None:
    """Rates or accelerations of a message; None if it says that the IMU measures none."""
    return None if covariance[0] == -1.0 else [vector.x, vector.y, vector.z]


def _deviation(covariance: Sequence[float]) -> float:
    """Standard deviation of an axis by a (9,) covariance, in whichever frame; 0: not known."""
    mean = (covariance[0] + covariance[4] + covariance[8]) / 3.0
    return math.sqrt(mean) if 0.0 < mean < math.inf else 0.0


class ImuInput:
    """Listens to an IMU.

    Its messages are turned into the base's frame where their frame is a link of the robot that is
    fixed to the base; any other frame is taken for that of the base, which is told.

    Args:
        node: listens.
        robot: the robot.
        topic: of the driver.
        clock: by which samples age [ns].
    """

    def __init__(
        self, node: Node, robot: RobotModel, topic: str, clock: Callable[[], int]
    ) -> None:
        self._node, self._robot, self._clock = node, robot, clock
        # What came last, and when [ns]: one value, since another thread asks for it.
        self._newest: tuple[ImuSample, int] | None = None
        # Of the frame of the last message: from it to the base, and the base in it.
        self._frame: str | None = None
        self._turns = np.eye(3), np.array([0.0, 0.0, 0.0, 1.0])
        node.create_subscription(Imu, topic, self._take, SENSOR_CONSUMER)

    def latest(self) -> ImuSample | None:
        """What the IMU shows, as old as its message is here; None if nothing came lately.

        Its stamp is that of the arrival, however often it is shown.
        """
        if self._newest is None:
            return None
        sample, came = self._newest
        age = (self._clock() - came) * 1e-9
        return replace(sample, age=age) if 0.0 <= age <= OLDEST else None

    def _take(self, message: Imu) -> None:
        rotation, turn = self._turn(message.header.frame_id)
        q, w, a = message.orientation, message.angular_velocity, message.linear_acceleration
        orientation = np.array([q.x, q.y, q.z, q.w])
        rates = _measured(w, message.angular_velocity_covariance)
        accelerations = _measured(a, message.linear_acceleration_covariance)
        values = [*orientation.tolist(), *(rates or ()), *(accelerations or ())]
        size = float(np.linalg.norm(orientation))
        unknown = message.orientation_covariance[0] == -1.0  # as ROS says that there is none
        if unknown or not np.isfinite(values).all() or not 0.9 < size < 1.1:
            self._node.get_logger().warning(
                f'an IMU message was left out: {values}; expected finite numbers, and a '
                'unit quaternion as orientation whose covariance does not begin with -1',
                throttle_duration_sec=5.0,
            )
            return
        sample = ImuSample(
            np.array(hamilton(orientation / size, turn)),
            rotation @ (rates or UNKNOWN),
            rotation @ (accelerations or UNKNOWN),
            deviations=(
                _deviation(message.orientation_covariance),
                _deviation(message.angular_velocity_covariance),
                _deviation(message.linear_acceleration_covariance),
            ),
            # By the clock of the bridge, and once: later ages are by another clock.
            stamp=self._node.get_clock().now().nanoseconds,
        )
        self._newest = sample, self._clock()

    def _turn(self, frame: str) -> tuple[Array, Array]:
        """(3, 3) rotation from an IMU's frame to the base, and (4,) that of the base in it."""
        if frame != self._frame:
            bodies, base = self._robot.urdf.bodies, self._robot.base.link
            pose = np.eye(4)
            if frame in bodies and bodies[frame][0] == bodies[base][0]:
                pose = inverse(bodies[base][1]) @ bodies[frame][1]
            else:
                self._node.get_logger().warning(
                    f'the IMU is in frame {frame!r}, which is not fixed to {base!r}: it is taken '
                    'for the same frame',
                    throttle_duration_sec=5.0,
                )
            turn = quaternion_from_rotation(pose[:3, :3].T.copy())
            self._frame, self._turns = frame, (pose[:3, :3].copy(), turn)
        return self._turns
