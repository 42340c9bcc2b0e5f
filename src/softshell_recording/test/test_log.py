"""What a bag tells of one robot."""

from pathlib import Path

import numpy as np
import pytest
from bag_rig import STORE, Header, Recorded, Time
from scipy.spatial.transform import Rotation

from softshell_kinematics.errors import SoftshellError
from softshell_recording.report.log import read_log
from softshell_recording.report.write import write_report

pytest.importorskip('softshell_interfaces.msg', reason='needs the built workspace')


@pytest.fixture
def recorded(tmp_path: Path):
    recorded = Recorded(tmp_path / 'bag')
    yield recorded
    recorded.bag.close()


def read(recorded, **arguments):
    recorded.bag.close()
    return read_log(recorded.bag.path, **arguments)


def test_joints_and_commands_are_at_the_same_times(recorded):
    for time in np.arange(0.0, 1.0, 0.02).tolist():
        recorded.joints('/joint_states', time, time)
        recorded.joints('/joint_commands', time, time + 0.5)
    log = read(recorded)
    assert log.recording.times == pytest.approx(np.arange(0.0, 1.0, 0.02))
    assert log.recording.errors[:, 0] == pytest.approx(-0.5)
    assert log.efforts[:, 1] == pytest.approx(-log.recording.times)
    assert log.wall == pytest.approx(0.49)
    assert (log.touch, log.health, log.recording.base) == (None, None, None)


def test_what_emulated_servos_know_counts(recorded):
    """More than what their bridge has read."""
    for time in (0.0, 0.1):
        recorded.joints('/joint_states', time, 1.0)
        recorded.joints('/ground_truth/joint_states', time, 2.0)
    assert read(recorded).recording.joints[:, 0].tolist() == [2.0, 2.0]


def test_what_has_no_stamp_is_put_on_the_clock_of_the_joints(recorded):
    """By when it came: a velocity of the middle is one of the middle."""
    for time in (0.0, 2.0):
        recorded.joints('/joint_states', time, 0.0)
    Vector3 = STORE.types['geometry_msgs/msg/Vector3']
    recorded.add(
        '/cmd_vel', 'geometry_msgs/msg/Twist', 1.0,
        linear=Vector3(0.1, 0.2, 0.0), angular=Vector3(0.0, 0.0, 0.3),
    )  # fmt: skip
    assert read(recorded).driven == pytest.approx(np.array([[1.0, 0.1, 0.2, 0.3]]))


def test_stops_are_told_with_their_reasons_and_their_ends(recorded):
    """Each once, however often the bridge repeats it."""
    status = 'softshell_interfaces/msg/BridgeStatus'
    recorded.joints('/joint_states', 0.0, 0.0)
    for time, mode, reasons in (
        (0.0, 2, []), (1.0, 4, ['too hot']), (1.5, 4, ['too hot']), (2.0, 1, []), (3.0, 2, []),
    ):  # fmt: skip
        recorded.add(
            '/bridge_status', status, time, mode=mode, reasons=reasons, bridge='mock',
            codes=np.zeros(len(reasons), np.uint16),
        )  # fmt: skip
    log = read(recorded)
    assert log.bridge == 'mock'
    assert [(event.time, event.text) for event in log.events] == [
        (1.0, 'fault: too hot'),
        (2.0, 'inactive'),
    ]


def test_a_mode_of_a_newer_version_is_told_by_its_number(recorded):
    status = 'softshell_interfaces/msg/BridgeStatus'
    recorded.joints('/joint_states', 0.0, 0.0)
    for time, mode in ((0.0, 9), (1.0, 4), (2.0, 9)):
        recorded.add('/bridge_status', status, time, mode=mode, codes=np.zeros(0, np.uint16))
    events = [(event.time, event.kind, event.text) for event in read(recorded).events]
    assert events == [(1.0, 'fault', 'fault'), (2.0, 'recovery', 'mode 9')]


def test_a_foot_that_a_message_does_not_name_is_as_it_was(recorded):
    """As if several nodes published some feet each; a message without feet changes nothing."""
    Vector3 = STORE.types['geometry_msgs/msg/Vector3']
    recorded.definitions.of('softshell_interfaces/msg/FootContacts')
    for time, feet in (
        (0.0, {}), (1.0, {'a': 1.0}), (2.0, {'a': 2.0, 'b': 3.0}), (3.0, {'b': 0.0}),
    ):  # fmt: skip
        recorded.joints('/joint_states', time, 0.0)
        contacts = [
            recorded.message(
                'softshell_interfaces/msg/FootContact', foot=foot, touching=force > 0.0,
                force=Vector3(0.0, 0.0, force),
            )
            for foot, force in feet.items()
        ]  # fmt: skip
        recorded.add(
            '/foot_contacts', 'softshell_interfaces/msg/FootContacts', time, feet=contacts
        )
    touch = read(recorded).touch
    assert touch.feet == ('a', 'b')
    assert touch.force[..., 2].tolist() == [[0, 0], [1, 0], [2, 3], [2, 0]]
    assert touch.touching.tolist() == [[0, 0], [1, 0], [1, 1], [1, 0]]


def test_forces_on_the_feet_are_in_odom_whatever_frame_they_are_told_in(recorded):
    """What is told in the frame of a base that has turned is turned with it."""
    Vector3 = STORE.types['geometry_msgs/msg/Vector3']
    recorded.definitions.of('softshell_interfaces/msg/FootContacts')
    turned = Rotation.from_euler('zyx', (0.4, 1.2, -0.3))
    Pose, Quaternion = (STORE.types[f'geometry_msgs/msg/{one}'] for one in ('Pose', 'Quaternion'))
    pose = Pose(STORE.types['geometry_msgs/msg/Point'](0, 0, 0), Quaternion(*turned.as_quat()))
    Covariance = STORE.types['geometry_msgs/msg/PoseWithCovariance']
    force = np.array([1.0, 2.0, 3.0])
    for time, frame in ((0.0, 'odom'), (1.0, 'base_link')):
        recorded.joints('/joint_states', time, 0.0)
        recorded.add('/odom', 'nav_msgs/msg/Odometry', time, pose=Covariance(pose, np.zeros(36)))
        told = force if frame == 'odom' else turned.inv().apply(force)
        foot = recorded.message(
            'softshell_interfaces/msg/FootContact', foot='a', touching=True, force=Vector3(*told)
        )
        recorded.add(
            '/foot_contacts', 'softshell_interfaces/msg/FootContacts', time, feet=[foot],
            header=Header(Time(int(time), 0), frame),
        )  # fmt: skip
    assert read(recorded).touch.force[:, 0] == pytest.approx(np.array([force, force]))


def test_what_was_over_before_the_recording_is_no_event_of_it(recorded):
    """A latched status tells of stops long ago; one that lasts is told."""
    status = 'softshell_interfaces/msg/BridgeStatus'
    for time, mode in ((1.0, 5), (2.0, 1), (3.0, 2), (3.5, 5)):
        recorded.add('/bridge_status', status, time, mode=mode, codes=np.zeros(0, np.uint16))
    recorded.joints('/joint_states', 10.0, 0.0)
    recorded.joints('/joint_states', 11.0, 0.0)
    recorded.add('/bridge_status', status, 12.0, mode=1, codes=np.zeros(0, np.uint16))
    log = read(recorded)
    assert [(event.time, event.kind, event.text) for event in log.events] == [
        (3.5, 'fault', 'emergency stop'), (12.0, 'recovery', 'inactive'),
    ]  # fmt: skip


def test_stops_after_the_clock_has_begun_anew_are_told(recorded):
    """Whatever their times then are: they came after the recording began."""
    status = 'softshell_interfaces/msg/BridgeStatus'
    recorded.joints('/joint_states', 10.0, 0.0)
    for came, time, mode in ((11, 11, 2), (12, 12, 4), (13, 1, 1), (14, 2, 5)):
        recorded.add(
            '/bridge_status', status, float(came), mode=mode, codes=np.zeros(0, np.uint16),
            header=Header(Time(time, 0), ''),
        )  # fmt: skip
    assert [(event.time, event.text) for event in read(recorded).events] == [
        (1.0, 'inactive'), (2.0, 'emergency stop'), (12.0, 'fault'),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ('namespace', 'own'),
    [('', ['bridge', 'onesie.bridge']), ('one', ['one.bridge']), ('one/two', ['one.two.bridge'])],
)
def test_warnings_are_of_the_stack_that_is_reported(recorded, namespace, own):
    """All stacks share the log, also those in namespaces within that of another."""
    for name in ('', 'one', 'one/two'):
        recorded.joints(f'/{name}/joint_states'.replace('//', '/'), 0.0, 0.0)
    for name in ('bridge', 'one.bridge', 'one.two.bridge', 'onesie.bridge'):
        recorded.add('/rosout', 'rcl_interfaces/msg/Log', 0.0, level=30, name=name, msg='hot')
    assert [event.text for event in read(recorded, namespace=namespace).events] == [
        f'{name}: hot' for name in own
    ]


def test_a_topic_of_another_type_is_left_out_and_told(recorded):
    recorded.joints('/joint_states', 0.0, 1.0)
    recorded.add('/odom', 'std_msgs/msg/String', 0.0, data='no odometry')
    recorded.bag.close()
    told = []
    assert read_log(recorded.bag.path, tell=told.append).recording.base is None
    assert told == [
        '/odom is left out: it is of std_msgs/msg/String, expected nav_msgs/msg/Odometry'
    ]


def test_a_bag_of_no_robot_is_named(recorded):
    recorded.add('/joint_states', 'std_msgs/msg/String', 0.0, data='none')
    recorded.bag.close()
    with pytest.raises(SoftshellError, match=r'bag: no joint_states \(sensor_msgs/msg/JointState'):
        read_log(recorded.bag.path)


def test_health_is_what_diagnostics_tell(recorded):
    KeyValue = STORE.types['diagnostic_msgs/msg/KeyValue']
    Status = STORE.types['diagnostic_msgs/msg/DiagnosticStatus']
    values = {'real_time_factor': '0.99', 'highest temperature': '43.5 °C, knee'}
    entries = [KeyValue(key, value) for key, value in values.items()]
    recorded.joints('/joint_states', 0.0, 0.0)
    recorded.add(
        '/diagnostics', 'diagnostic_msgs/msg/DiagnosticArray', 1.0,
        status=[Status(0, 'bridge: control loop', '', '', entries)],
    )  # fmt: skip
    health = read(recorded).health
    assert (health.times[0], health.factor[0], health.temperature[0]) == (1.0, 0.99, 43.5)
    assert np.isnan(health.voltage[0])


def test_temperatures_are_those_of_each_motor_that_tells_its_own(recorded):
    """Joints come and go, other interfaces are none of it, and the report shows them."""
    pytest.importorskip('control_msgs.msg', reason='control_msgs is not built')
    kind = 'control_msgs/msg/DynamicJointState'
    recorded.definitions.of(kind)
    Value = (
        STORE.types.get('control_msgs/msg/InterfaceValue')
        or recorded.store.types['control_msgs/msg/InterfaceValue']
    )
    for time, told in (
        (0.0, {'hip': {'temperature': 30.0}, 'knee': {'temperature': np.nan}}),
        (1.0, {'hip': {'temperature': 31.0, 'current': 0.5}, 'tail': {'current': 1.0}}),
        (2.0, {'knee': {'position': 0.1, 'temperature': 45.0}}),
    ):
        recorded.joints('/joint_states', time, 0.0)
        values = [Value([*one], np.array([*one.values()])) for one in told.values()]
        recorded.add(
            '/dynamic_joint_states', kind, time, joint_names=[*told], interface_values=values
        )
    found = read(recorded).temperatures
    assert found.joints == ('hip', 'knee')
    assert found.times.tolist() == [0.0, 1.0, 2.0]
    np.testing.assert_equal(found.values, [[30, np.nan], [31, np.nan], [np.nan, 45]])
    page = write_report(recorded.bag.path, recorded.bag.path / 'report.html')
    assert 'Temperatures of the motors' in page.read_text('utf-8')


def test_of_several_stacks_one_is_meant_by_its_namespace(recorded):
    recorded.joints('/joint_states', 0.0, 1.0)
    recorded.joints('/one/joint_states', 0.0, 2.0)
    recorded.bag.close()
    path = recorded.bag.path
    assert read_log(path, namespace='one').recording.joints[0, 0] == 2.0
    assert read_log(path, namespace='').recording.joints[0, 0] == 1.0
    with pytest.raises(SoftshellError, match="2 stacks, namespaces '', 'one'; expected one"):
        read_log(path)
    with pytest.raises(SoftshellError, match="no stack in namespace 'two'; recorded: '', 'one'"):
        read_log(path, namespace='two')


def test_a_page_that_is_there_stays_if_the_disk_is_full(recorded, monkeypatch):
    recorded.joints('/joint_states', 0.0, 1.0)
    recorded.bag.close()
    file = recorded.bag.path / 'report.html'
    file.write_text('old', 'utf-8')

    def full(handle):
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr('os.fsync', full)
    with pytest.raises(SoftshellError, match=r'report.html: No space left on device'):
        write_report(recorded.bag.path)
    assert file.read_text('utf-8') == 'old'
    assert {path.name for path in recorded.bag.path.iterdir()} == {
        'metadata.yaml', 'report.html', f'{recorded.bag.path.name}.mcap',
    }  # fmt: skip


def test_the_page_stands_alone_beside_the_bag(recorded):
    """Nothing on it comes from elsewhere; what a stack says cannot change it."""
    for time in np.arange(0.0, 1.0, 0.02).tolist():
        recorded.joints('/joint_states', time, time)
        recorded.joints('/joint_commands', time, time)
    recorded.add('/mode', 'std_msgs/msg/String', 0.5, data='<script>alert(1)</script>')
    recorded.bag.close()
    file = write_report(recorded.bag.path)
    assert file == recorded.bag.path / 'report.html'
    text = file.read_text()
    assert 'src="data:image/png;base64,' in text
    assert 'http' not in text
    assert '<script' not in text
    assert '&lt;script&gt;' in text
    with pytest.raises(SoftshellError, match=r'report\.html/x: '):
        write_report(recorded.bag.path, file / 'x')
