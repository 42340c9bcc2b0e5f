"""The topics of what a bridge measures: messages that are filled in place."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='no ROS here')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')

from rclpy.serialization import deserialize_message, serialize_message

from softshell_control.backend import BaseState, FootContacts, ImuSample, Measured
from softshell_control.ros.streams import JointStateMessage, Streams
from softshell_description.load import load_robot


def over_the_wire(message):
    return deserialize_message(serialize_message(message), type(message))


def test_filled_joint_states_reach_the_wire():
    """What is measured is what a subscriber reads, and a second filling replaces the first."""
    message = JointStateMessage(('a', 'b', 'c'))
    measured = Measured.zero(3, 3)
    for base in (1.0, 10.0):
        measured.position[:] = base + np.arange(3)
        measured.velocity[:] = base - np.arange(3)
        measured.effort[:] = base * np.arange(3)
        measured.stamp = 5 + int(base)
        read = over_the_wire(message.fill(measured))
        assert list(read.name) == ['a', 'b', 'c']
        assert list(read.position) == measured.position.tolist()
        assert list(read.velocity) == measured.velocity.tolist()
        assert list(read.effort) == measured.effort.tolist()
        assert read.header.stamp.nanosec == 5 + int(base)


def test_joints_that_were_not_measured_are_nan():
    """Whatever the backend left in their places; once measured again they have their values."""
    message = JointStateMessage(('a', 'b', 'c'))
    measured = Measured.zero(3, 3)
    measured.position[:] = (1.0, 2.0, np.nan)
    measured.valid[:] = (True, False, False)
    read = over_the_wire(message.fill(measured))
    for values in (read.position, read.velocity, read.effort):
        assert np.isnan(values).tolist() == [False, True, True]
    assert measured.position[1] == 2.0
    measured.valid[1] = True
    read = over_the_wire(message.fill(measured))
    assert np.isnan(read.position).tolist() == [False, False, True]
    assert read.position[1] == 2.0


class Listener:
    """In place of a node: keeps what would be sent, by topic."""

    def __init__(self):
        self.sent, self.listens = {}, True

    def create_publisher(self, kind, topic, quality):
        sent, node = self.sent.setdefault(topic, []), self

        class Publisher:
            @staticmethod
            def publish(message):
                assert isinstance(message, kind)
                sent.append(over_the_wire(message))

            @staticmethod
            def get_subscription_count():
                return int(node.listens)

        return Publisher()


@pytest.fixture(scope='module')
def shell():
    return load_robot()


NAMES, ALWAYS = ('a', 'b'), {'joint_states', 'joint_commands'}


def test_what_is_not_measured_has_no_topic(shell):
    """Only joint states of a backend without base, IMU and contacts; each part adds its own."""
    measured = Measured.zero(2, 2)
    listener = Listener()
    Streams(listener, shell, NAMES, measured)
    assert set(listener.sent) == ALWAYS
    measured.base = BaseState()
    Streams(listener, shell, NAMES, measured)
    assert set(listener.sent) == {*ALWAYS, 'odom'}
    measured.imu, measured.contacts = ImuSample(), FootContacts.none(6)
    Streams(listener, shell, NAMES, measured)
    assert set(listener.sent) == {*ALWAYS, 'odom', 'imu', 'foot_contacts'}


def test_a_part_is_published_while_it_is_measured(shell):
    """Lost it is not sent, neither empty nor old; measured for the first time it gets a topic."""
    measured = Measured.zero(2, 2)
    measured.imu = ImuSample()
    listener = Listener()
    streams = Streams(listener, shell, NAMES, measured)
    parts = (
        {'imu': ImuSample()},
        {},
        {'base': BaseState(), 'contacts': FootContacts.none(6)},
        {'imu': ImuSample(), 'base': BaseState()},
    )
    for stamp, present in enumerate(parts):
        measured.stamp = stamp
        for part in ('imu', 'base', 'contacts'):
            setattr(measured, part, present.get(part))
        streams.publish(measured)
    stamps = {
        topic: [message.header.stamp.nanosec for message in sent]
        for topic, sent in listener.sent.items()
    }
    assert stamps == {
        'joint_states': [0, 1, 2, 3],
        'joint_commands': [],
        'imu': [0, 3],
        'odom': [2, 3],
        'foot_contacts': [2],
    }


def test_nothing_is_sent_while_nobody_listens(shell):
    """Who comes later gets all that is measured from then on."""
    measured, listener = Measured.zero(2, 2), Listener()
    measured.base = BaseState()
    streams = Streams(listener, shell, NAMES, measured)
    for stamp, listens in enumerate((False, True, False, True)):
        measured.stamp, listener.listens = stamp, listens
        streams.publish(measured, measured.base)
    for topic in ('joint_states', 'odom'):
        assert [message.header.stamp.nanosec for message in listener.sent[topic]] == [1, 3]


def test_a_robot_without_legs_has_no_foot_contacts():
    """Even if its backend measured some."""
    measured = Measured.zero(3, 3)
    measured.contacts = FootContacts.none(0)
    listener = Listener()
    Streams(listener, load_robot('arm'), ('a', 'b', 'c'), measured)
    assert set(listener.sent) == ALWAYS


def test_nothing_old_is_sent_again(shell):
    """After a failed step the stamp stands still: nothing goes out until it moves on."""
    measured = Measured.zero(2, 2)
    listener = Listener()
    streams = Streams(listener, shell, NAMES, measured)
    for stamp in (0, 4, 4, 4, 8, 8, 7, 9):
        measured.stamp = stamp
        streams.publish(measured)
    sent = [message.header.stamp.nanosec for message in listener.sent['joint_states']]
    assert sent == [0, 4, 8, 9]


def test_after_the_clock_went_back_all_is_sent_again(shell):
    """By an hour, say: what is measured from then on goes out, rather than in an hour."""
    measured = Measured.zero(2, 2)
    listener = Listener()
    streams = Streams(listener, shell, NAMES, measured)
    for second in (4000, 400, 401):
        measured.stamp = second * 1_000_000_000
        streams.publish(measured)
    sent = [message.header.stamp.sec for message in listener.sent['joint_states']]
    assert sent == [4000, 400, 401]


def test_every_part_reaches_the_wire(shell):
    """Odometry, IMU and contacts carry what was measured, with the stamp and frames they need."""
    generator = np.random.default_rng(3)
    measured = Measured.zero(2, 2)
    measured.base = BaseState(*(generator.normal(size=n) for n in (3, 4, 3, 3)))
    measured.imu = ImuSample(*(generator.normal(size=n) for n in (4, 3, 3)))
    touching = np.array([True, False, True, False, False, True])
    measured.contacts = FootContacts(touching, generator.normal(size=(6, 3)))
    measured.stamp = 3_000_000_007
    listener = Listener()
    Streams(listener, shell, NAMES, measured).publish(measured)
    (odom,), (imu,), (contacts,) = (
        listener.sent[topic] for topic in ('odom', 'imu', 'foot_contacts')
    )

    def numbers(part):
        return [getattr(part, name) for name in 'xyzw' if hasattr(part, name)]

    for message, frame in ((odom, 'odom'), (imu, 'base_link'), (contacts, 'odom')):
        assert (message.header.stamp.sec, message.header.stamp.nanosec) == (3, 7)
        assert message.header.frame_id == frame
    assert odom.child_frame_id == 'base_link'
    assert numbers(odom.pose.pose.position) == measured.base.position.tolist()
    assert numbers(odom.pose.pose.orientation) == measured.base.orientation.tolist()
    assert numbers(odom.twist.twist.linear) == measured.base.linear_velocity.tolist()
    assert numbers(odom.twist.twist.angular) == measured.base.angular_velocity.tolist()
    assert numbers(imu.orientation) == measured.imu.orientation.tolist()
    assert numbers(imu.angular_velocity) == measured.imu.angular_velocity.tolist()
    assert numbers(imu.linear_acceleration) == measured.imu.linear_acceleration.tolist()
    assert [foot.foot for foot in contacts.feet] == list(shell.legs.feet)
    assert [foot.touching for foot in contacts.feet] == touching.tolist()
    assert [numbers(foot.force) for foot in contacts.feet] == measured.contacts.force.tolist()


def test_what_an_imu_does_not_measure_is_stated_as_ros_does(shell):
    """By a covariance that begins with -1, and only as long as it is not measured."""
    measured = Measured.zero(2, 2)
    rates, accelerations = np.array([0.1, 0.2, 0.3]), np.array([0.0, 0.0, 9.8])
    unknown, deviations = np.full(3, np.nan), (0.1, 0.2, 0.3)
    listener = Listener()
    measured.imu = ImuSample(deviations=deviations)
    streams = Streams(listener, shell, NAMES, measured)
    for shown, first, second in (
        ((rates, unknown), [0.04, 0.04], [-1.0, 0.0]),
        ((unknown, accelerations), [-1.0, 0.0], [0.09, 0.09]),
        ((rates, accelerations), [0.04, 0.04], [0.09, 0.09]),
    ):
        measured.imu = ImuSample(angular_velocity=shown[0], linear_acceleration=shown[1])
        measured.imu.deviations = deviations
        measured.stamp += 1_000_000_000
        streams.publish(measured)
        message = listener.sent['imu'][-1]
        assert message.angular_velocity_covariance[:5:4] == pytest.approx(first)
        assert message.linear_acceleration_covariance[:5:4] == pytest.approx(second)
        assert message.orientation_covariance[0] == pytest.approx(0.01)
        assert message.angular_velocity.x == (0.1 if shown[0] is rates else 0.0)
        assert message.linear_acceleration.z == (9.8 if shown[1] is accelerations else 0.0)


def test_an_estimate_has_a_topic_of_its_own_and_a_covariance(shell):
    """Beside ground truth, whose covariance stays 0; the diagonal is the deviations squared."""
    measured = Measured.zero(2, 2)
    measured.base = BaseState()
    estimate = BaseState(position=np.array([1.0, 2.0, 3.0]))
    estimate.pose_deviation[:] = np.arange(1.0, 7.0)
    estimate.twist_deviation[:] = np.arange(7.0, 13.0)
    listener = Listener()
    Streams(listener, shell, NAMES, measured).publish(measured, estimate)
    (truth,), (found,) = listener.sent['odom'], listener.sent['odom_estimated']
    assert (found.header.frame_id, found.child_frame_id) == ('odom', 'base_link')
    assert found.pose.pose.position.y == 2.0
    pose = np.array(found.pose.covariance).reshape(6, 6)
    assert pose.tolist() == np.diag(np.arange(1.0, 7.0) ** 2).tolist()
    twist = np.array(found.twist.covariance).reshape(6, 6)
    assert twist.tolist() == np.diag(np.arange(7.0, 13.0) ** 2).tolist()
    assert not np.any(truth.pose.covariance)


def test_an_estimate_in_place_of_a_base_is_odom(shell):
    """Where the backend measures none: the same topic as ground truth, with its covariance."""
    measured = Measured.zero(2, 2)
    measured.base = BaseState(pose_deviation=np.full(6, 0.5))
    listener = Listener()
    Streams(listener, shell, NAMES, measured).publish(measured)
    assert set(listener.sent) == {*ALWAYS, 'odom'}
    assert listener.sent['odom'][0].pose.covariance[35] == 0.25
