"""The topics of what the bridge measures: messages are made once and filled in place.

A part that the backend has never measured has no topic; one that it measures no longer is not
published.
"""

from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.publisher import Publisher
from sensor_msgs.msg import Imu, JointState

from softshell_common.frames import ODOM
from softshell_common.ros.qos import STATE
from softshell_control.backend import BaseState, FootContacts, Measured
from softshell_control.gate import Command
from softshell_control.ros.fingers import FingerStatesMessage
from softshell_control.ros.messages import (
    DIAGONAL,
    set_pose,
    set_quaternion,
    set_stamp,
    set_vector,
)
from softshell_control.time_flow import CLOCK_BACK
from softshell_control.trajectories.trajectory import NANOSECONDS
from softshell_description.model import RobotModel
from softshell_interfaces.msg import FootContact
from softshell_interfaces.msg import FootContacts as FootContactsMessage
from softshell_kinematics.errors import SoftshellError

#: What stands in a message for a vector that is not measured.
UNKNOWN = np.zeros(3)


def taken(measured: Measured, age: float) -> int:
    """Stamp [ns] of a part of a measurement that is older than the whole by an age [s]."""
    return measured.stamp - round(age * NANOSECONDS)


class JointStateMessage:
    """`joint_states` of all movable joints; values that were not measured are NaN."""

    def __init__(self, names: tuple[str, ...]) -> None:
        message = JointState(name=list(names))
        for field in ('position', 'velocity', 'effort'):
            setattr(message, field, array('d', bytes(8 * len(names))))
        # Views of what the message holds, which need not be what it was given.
        self._position = np.frombuffer(message.position)
        self._velocity = np.frombuffer(message.velocity)
        self._effort = np.frombuffer(message.effort)
        self.message = message

    def fill(self, measured: Measured) -> JointState:
        self._position[:] = measured.position
        self._velocity[:] = measured.velocity
        self._effort[:] = measured.effort
        if not measured.valid.all():
            for values in (self._position, self._velocity, self._effort):
                values[~measured.valid] = np.nan
        set_stamp(self.message.header.stamp, taken(measured, measured.joints_age))
        return self.message


class JointCommandMessage:
    """`joint_commands`: commands of the independent joints, behind footing and gate."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.message = JointState(name=list(names))
        self.message.position = array('d', bytes(8 * len(names)))
        self.message.velocity = array('d', bytes(8 * len(names)))
        self._position = np.frombuffer(self.message.position)
        self._velocity = np.frombuffer(self.message.velocity)

    def fill(self, command: Command, stamp: int) -> JointState:
        self._position[:] = command.value[: len(self._position)]
        self._velocity[:] = command.rate[: len(self._velocity)]
        set_stamp(self.message.header.stamp, stamp)
        return self.message


class OdometryMessage:
    """`odom` and `odom_estimated`: the base in odom, its twist in the base.

    Covariances are those of an estimate, or of the noise of what is measured; 0 of ground truth.
    """

    def __init__(self, base: str) -> None:
        self.message = Odometry(child_frame_id=base)
        self.message.header.frame_id = ODOM

    def fill(self, measured: Measured) -> Odometry | None:
        base = measured.base
        return None if base is None else self.fill_base(base, taken(measured, base.age))

    def fill_base(self, base: BaseState, stamp: int) -> Odometry:
        message = self.message
        set_stamp(message.header.stamp, stamp)
        set_pose(message.pose, base)
        message.twist.covariance[DIAGONAL] = base.twist_deviation**2
        set_vector(message.twist.twist.linear, base.linear_velocity)
        set_vector(message.twist.twist.angular, base.angular_velocity)
        return message


class ImuMessage:
    """`imu` at the origin of its link, by default the base link."""

    def __init__(self, base: str) -> None:
        self.message = Imu()
        self._base = base
        self._stated: tuple[tuple[float, bool], ...] = ((0.0, True),) * 3

    def fill(self, measured: Measured) -> Imu | None:
        message, imu = self.message, measured.imu
        if imu is None:
            return None
        message.header.frame_id = imu.link or self._base
        rates, accelerations = imu.angular_velocity, imu.linear_acceleration
        known = (True, *(bool(np.isfinite(each).all()) for each in (rates, accelerations)))
        self._state_noise(tuple(zip(imu.deviations, known, strict=True)))
        stamp = taken(measured, imu.age) if imu.stamp is None else imu.stamp
        set_stamp(message.header.stamp, stamp)
        set_quaternion(message.orientation, imu.orientation)
        set_vector(message.angular_velocity, rates if known[1] else UNKNOWN)
        set_vector(message.linear_acceleration, accelerations if known[2] else UNKNOWN)
        return message

    def _state_noise(self, stated: tuple[tuple[float, bool], ...]) -> None:
        """State deviation, and whether it is measured, of orientation, rates and accelerations."""
        if stated == self._stated:
            return
        self._stated = stated
        covariances = (
            self.message.orientation_covariance,
            self.message.angular_velocity_covariance,
            self.message.linear_acceleration_covariance,
        )
        for covariance, (deviation, known) in zip(covariances, stated, strict=True):
            covariance[::4] = deviation**2 if known else 0.0
            if not known:
                covariance[0] = -1.0  # as ROS says that there is none


class FootContactsStream:
    """`foot_contacts` of all feet, and `link_contacts` of further links."""

    def __init__(self, feet: tuple[str, ...], part: str = 'contacts') -> None:
        self._part = part
        self.message = FootContactsMessage(feet=[FootContact(foot=foot) for foot in feet])
        self.message.header.frame_id = ODOM

    def fill(self, measured: Measured) -> FootContactsMessage | None:
        contacts: FootContacts | None = getattr(measured, self._part)
        if contacts is None:
            return None
        set_stamp(self.message.header.stamp, taken(measured, contacts.age))
        for foot, touching, force in zip(
            self.message.feet, contacts.touching.tolist(), contacts.force, strict=True
        ):
            foot.touching = touching
            set_vector(foot.force, force)
        return self.message


class Streams:
    """Publishes what was measured, with one message for each part.

    Args:
        node: publishes.
        robot: the robot.
        names: of all movable joints.
        measured: its parts have topics from the start; others get one when they are measured.
    """

    def __init__(
        self, node: Node, robot: RobotModel, names: tuple[str, ...], measured: Measured
    ) -> None:
        base = robot.base.link
        self._node = node
        self._fills: dict[str, Callable[[Measured], Any]] = {
            'joint_states': JointStateMessage(names).fill,
            'odom': OdometryMessage(base).fill,
            'imu': ImuMessage(base).fill,
        }
        if robot.legs is not None:
            self._fills['foot_contacts'] = FootContactsStream(robot.legs.feet).fill
        if measured.link_contacts is not None:
            links = measured.link_contacts.links
            self._fills['link_contacts'] = FootContactsStream(links, 'link_contacts').fill
        if robot.channels:
            self._fills['finger_states'] = FingerStatesMessage(robot, names).fill
        self._estimated = OdometryMessage(base)
        self._commands = JointCommandMessage(robot.joint_names)
        self._publishers: dict[str, Publisher] = {}
        self._advertise('joint_commands', self._commands.message)
        for topic, fill in self._fills.items():
            self._advertise(topic, fill(measured))
        self._stamp = -1
        self._sent: dict[str, tuple[int, int]] = {}

    def publish(
        self,
        measured: Measured,
        estimate: BaseState | None = None,
        command: tuple[Command, int] | None = None,
    ) -> None:
        """Publish a measurement; one that was published before is left out.

        Args:
            measured: by the backend.
            estimate: of the base, beside the one that is measured.
            command: that channels follow, and the end of the period in which it is in force [ns];
                None while they are not driven.

        Raises:
            SoftshellError: a part does not fit into its message; the text names the topic.
        """
        # A stamp that is earlier by more than this comes after the clock went back.
        if 0 <= self._stamp - measured.stamp < CLOCK_BACK * NANOSECONDS:
            return
        self._stamp = measured.stamp
        if estimate is not None and self._is_wanted('odom_estimated'):
            self._send('odom_estimated', self._estimated.fill_base(estimate, measured.stamp))
        if command is not None and self._is_wanted('joint_commands'):
            self._send('joint_commands', self._commands.fill(*command))
        for topic, fill in self._fills.items():
            if not self._is_wanted(topic):
                continue
            try:
                message = fill(measured)
            except Exception as error:
                text = f'{topic} cannot be published: {type(error).__name__}: {error}'
                raise SoftshellError(text) from error
            if message is not None and self._is_new(topic, message):
                self._send(topic, message)

    def _is_wanted(self, topic: str) -> bool:
        """Whether a topic has subscribers, or no publisher yet; to fill others costs time."""
        publisher = self._publishers.get(topic)
        return publisher is None or publisher.get_subscription_count() > 0

    def _is_new(self, topic: str, message: Any) -> bool:
        """Whether a sensor has sampled since its last message: whether the stamp is another."""
        stamp = message.header.stamp.sec, message.header.stamp.nanosec
        if self._sent.get(topic) == stamp:
            return False
        self._sent[topic] = stamp
        return True

    def _send(self, topic: str, message: Any) -> None:
        self._advertise(topic, message)
        self._publishers[topic].publish(message)

    def _advertise(self, topic: str, message: Any) -> None:
        """Give a topic its publisher, unless it has one or there is nothing to send."""
        if message is not None and topic not in self._publishers:
            self._publishers[topic] = self._node.create_publisher(type(message), topic, STATE)
