"""What is measured late, rarely or elsewhere: on the wire, and in the estimate of the base."""

from dataclasses import replace

import numpy as np
import pytest
from walking_feet import Walk

from softshell_control.backend import BaseState, FootContacts, ImuSample, LinkContacts, Measured
from softshell_control.estimates.base_estimate import BaseEstimate
from softshell_description.load import load_robot


@pytest.fixture(scope='module')
def shell():
    return load_robot('shell')


@pytest.fixture
def sent(shell):
    """Function: what is sent, by topic, of a series of measurements."""
    pytest.importorskip('rclpy', reason='no ROS here')
    pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')
    from softshell_control.ros.streams import Streams

    class Listener:
        def __init__(self):
            self.stamps, self.last = {}, {}

        def create_publisher(self, kind, topic, qos):
            self.stamps[topic] = []
            return Publisher(self, topic)

    class Publisher:
        def __init__(self, listener, topic):
            self._listener, self._topic = listener, topic

        def publish(self, message):
            stamp = message.header.stamp
            self._listener.stamps[self._topic].append(stamp.sec * 10**9 + stamp.nanosec)
            self._listener.last[self._topic] = message

        def get_subscription_count(self):
            return 1

    def send(series):
        listener = Listener()
        streams = None
        for measured in series:
            streams = streams or Streams(listener, shell, ('a', 'b'), measured)
            streams.publish(measured)
        return listener

    return send


def test_stamps_say_when_each_part_was_measured(sent):
    """The stamp of the whole less the age of the part."""
    measured = Measured.zero(2, 2)
    measured.stamp, measured.joints_age = 1_000_000_000, 0.004
    measured.base, measured.imu = BaseState(age=0.02), ImuSample(age=0.008)
    measured.contacts = replace(FootContacts.none(6), age=0.001)
    assert sent([measured]).stamps == {
        'joint_states': [996_000_000],
        'joint_commands': [],
        'odom': [980_000_000],
        'imu': [992_000_000],
        'foot_contacts': [999_000_000],
    }


def test_a_sample_is_sent_once(sent):
    """A sensor that samples every third period sends every third, the others every one."""
    series = []
    for tick in range(9):
        measured = Measured.zero(2, 2)
        measured.stamp = tick * 4_000_000
        measured.imu = ImuSample(age=tick % 3 * 0.004)
        series.append(measured)
    stamps = sent(series).stamps
    assert stamps['imu'] == [0, 12_000_000, 24_000_000]
    assert len(stamps['joint_states']) == 9


def test_further_links_have_a_topic_of_their_own(sent):
    """Its entries are named as the links are, in their order."""
    measured = Measured.zero(2, 2)
    measured.link_contacts = LinkContacts.of(('belly', 'back'))
    measured.link_contacts.touching[1] = True
    measured.link_contacts.force[1] = 1.0, 2.0, 3.0
    message = sent([measured]).last['link_contacts']
    assert [(each.foot, each.touching) for each in message.feet] == [
        ('belly', False),
        ('back', True),
    ]
    assert message.feet[1].force.z == 3.0


def test_the_frame_of_an_imu_is_its_link(sent, shell):
    """The base link where none is named."""
    for link, frame in (('', shell.base.link), ('panel', 'panel')):
        measured = Measured.zero(2, 2)
        measured.imu = ImuSample(link=link)
        assert sent([measured]).last['imu'].header.frame_id == frame


def test_covariances_of_an_imu_are_its_deviations_squared(sent):
    """On the diagonals, of orientation, angular velocity and acceleration; 0: not known."""
    measured = Measured.zero(2, 2)
    for deviations in ((0.1, 0.2, 3.0), (0.0, 0.0, 0.0)):
        measured.imu = ImuSample(deviations=deviations)
        message = sent([measured]).last['imu']
        covariances = (
            message.orientation_covariance,
            message.angular_velocity_covariance,
            message.linear_acceleration_covariance,
        )
        for covariance, deviation in zip(covariances, deviations, strict=True):
            wanted = deviation**2 * np.eye(3)
            assert covariance.reshape(3, 3) == pytest.approx(wanted)


def test_covariances_of_odom_are_the_deviations_squared(sent):
    """Three times each of position, orientation and both velocities; those of exact ground truth
    are 0, also after an estimate, which states its own."""
    exact = BaseState()
    noisy = BaseState(
        pose_deviation=np.repeat([0.1, 0.2], 3), twist_deviation=np.repeat([0.3, 0.4], 3)
    )
    estimated = BaseState(pose_deviation=np.full(6, 9.0), twist_deviation=np.full(6, 9.0))
    of_noise = np.repeat([0.01, 0.04, 0.09, 0.16], 3)
    for bases, wanted in (
        ([exact], np.zeros(12)),
        ([noisy], of_noise),
        ([noisy, estimated], np.full(12, 81.0)),
        ([noisy, estimated, noisy], of_noise),
        ([estimated, exact], np.zeros(12)),
        ([noisy, exact], np.zeros(12)),
    ):
        series = []
        for stamp, base in enumerate(bases):
            series.append(Measured.zero(2, 2))
            series[-1].base, series[-1].stamp = base, stamp
        message = sent(series).last['odom']
        for part, squares in ((message.pose, wanted[:6]), (message.twist, wanted[6:])):
            assert np.reshape(part.covariance, (6, 6)) == pytest.approx(np.diag(squares))


def test_the_estimate_understands_an_imu_on_another_link():
    """It is the same as with one at the base; one behind a joint is left aside."""
    walk = Walk('quadruped', samples=40)
    robot = walk.robot
    foot, root = robot.legs.feet[0], robot.urdf.root
    estimates = [BaseEstimate(robot) for _ in range(4)]
    for sample in range(40):
        measured = walk.measured(sample)
        imu = measured.imu
        series = (
            measured,
            replace(measured, imu=replace(imu, link=root)),
            replace(measured, imu=replace(imu, link=foot)),
            replace(measured, imu=None),
        )
        if sample == 0:  # an estimate begins with an IMU
            series = series[:3] + (measured,)
        found = [
            estimate.update(seen)[0].base for estimate, seen in zip(estimates, series, strict=True)
        ]
    assert found[1].position == pytest.approx(found[0].position, abs=1e-9)
    assert found[2].position == pytest.approx(found[3].position, abs=0.01)
