"""What the bridge measures, on the wire: messages made once and filled in place.

A part that the backend does not measure has no topic.
"""

from array import array

import numpy as np
from nav_msgs.msg import Odometry
from rclpy.node import Node
from sensor_msgs.msg import Imu, JointState

from softshell_common.ros.qos import STATE
from softshell_control.backend import FootContacts, Measured
from softshell_control.ros.messages import set_quaternion, set_stamp, set_vector
from softshell_description.model import RobotModel
from softshell_interfaces.msg import FootContact
from softshell_interfaces.msg import FootContacts as FootContactsMessage

ODOM = 'odom'


class JointStateMessage:
    """`joint_states` of all movable joints; those that were not measured are NaN."""

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
        set_stamp(self.message.header.stamp, measured.stamp)
        return self.message


class OdometryMessage:
    """`odom`: the base in odom, its twist in the base. Ground truth in simulation."""

    def __init__(self, base: str) -> None:
        self.message = Odometry(child_frame_id=base)
        self.message.header.frame_id = ODOM

    def fill(self, measured: Measured) -> Odometry:
        message, base = self.message, measured.base
        assert base is not None
        set_stamp(message.header.stamp, measured.stamp)
        set_vector(message.pose.pose.position, base.position)
        set_quaternion(message.pose.pose.orientation, base.orientation)
        set_vector(message.twist.twist.linear, base.linear_velocity)
        set_vector(message.twist.twist.angular, base.angular_velocity)
        return message


class ImuMessage:
    """`imu` at the base's origin."""

    def __init__(self, base: str) -> None:
        self.message = Imu()
        self.message.header.frame_id = base

    def fill(self, measured: Measured) -> Imu:
        message, imu = self.message, measured.imu
        assert imu is not None
        set_stamp(message.header.stamp, measured.stamp)
        set_quaternion(message.orientation, imu.orientation)
        set_vector(message.angular_velocity, imu.angular_velocity)
        set_vector(message.linear_acceleration, imu.linear_acceleration)
        return message


class FootContactsStream:
    """`foot_contacts` of all feet."""

    def __init__(self, feet: tuple[str, ...]) -> None:
        self.message = FootContactsMessage(feet=[FootContact(foot=foot) for foot in feet])
        self.message.header.frame_id = ODOM

    def fill(self, measured: Measured) -> FootContactsMessage:
        contacts: FootContacts | None = measured.contacts
        assert contacts is not None
        set_stamp(self.message.header.stamp, measured.stamp)
        for foot, touching, force in zip(
            self.message.feet, contacts.touching.tolist(), contacts.force, strict=True
        ):
            foot.touching = touching
            set_vector(foot.force, force)
        return self.message


class Streams:
    """Publishes what was measured; every call is one message on each topic.

    Args:
        node: publishes.
        robot: the robot.
        names: of all movable joints.
        measured: tells by its parts which topics there are.
    """

    def __init__(
        self, node: Node, robot: RobotModel, names: tuple[str, ...], measured: Measured
    ) -> None:
        base = robot.base.link
        fills = [(JointState, 'joint_states', JointStateMessage(names).fill)]
        if measured.base is not None:
            fills.append((Odometry, 'odom', OdometryMessage(base).fill))
        if measured.imu is not None:
            fills.append((Imu, 'imu', ImuMessage(base).fill))
        if measured.contacts is not None and robot.legs is not None:
            contacts = FootContactsStream(robot.legs.feet)
            fills.append((FootContactsMessage, 'foot_contacts', contacts.fill))
        self._streams = [
            (node.create_publisher(kind, topic, STATE), fill) for kind, topic, fill in fills
        ]
        self._stamp = -1

    def publish(self, measured: Measured) -> None:
        """Send what was measured, once; what was sent before is not sent again."""
        if measured.stamp <= self._stamp:
            return
        self._stamp = measured.stamp
        for publisher, fill in self._streams:
            publisher.publish(fill(measured))
