"""The mock as a ROS node, in a process of its own: what holds of any bridge on the wire."""

import signal
import time

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')

from softshell_description.load import load_robot
from softshell_interfaces.msg import BridgeStatus, TrajectoryState

ARM = load_robot('arm')
NAMES = ARM.joint_names
HOME, REACH = ARM.pose('home'), ARM.pose('reach')

#: A mock that can be broken by parameter, and tells what parameters it was given.
FRAGILE = """
import sys
from dataclasses import dataclass
from softshell_common.ros.parameters import parameter
from softshell_common.ros.run import run
from softshell_control.mock import MockBackend
from softshell_control.ros.bridge_node import BridgeNode, BridgeParameters
from softshell_kinematics.errors import SoftshellError

@dataclass(frozen=True)
class Parameters(BridgeParameters):
    gain: float = parameter(1.0, 'of nothing', 0.0, 1000.0, live=True)
    bias: float = parameter(0.0, 'of nothing', 0.0, 1000.0, live=True)
    broken: bool = parameter(False, 'whether steps fail', live=True)
    locked: bool = parameter(False, 'whether activation is refused', live=True)

class Fragile(MockBackend):
    def __init__(self, robot, parameters):
        super().__init__(robot)
        self.parameters, self.seen = parameters, []

    def apply(self, parameters):
        self.parameters = parameters
        self.seen.append((parameters.gain, parameters.bias))

    def diagnostics(self):
        return {'seen': repr(self.seen)}

    def activate(self):
        if self.parameters.locked:
            raise SoftshellError('the key is missing')
        return super().activate()

    def step(self, now, command):
        if self.parameters.broken:
            raise OSError('port is gone')
        return super().step(now, command)

sys.exit(run(lambda: BridgeNode(Fragile, lambda robot: Parameters)))
"""


def nanoseconds(stamp):
    return stamp.sec * 10**9 + stamp.nanosec


@pytest.fixture(scope='module')
def arm(start):
    """A bridge of the arm that is driven from the start."""
    return start('robot:=arm', 'real_time_factor:=2.0')


@pytest.fixture
def client(arm):
    """The same, holding."""
    arm.call('reset')
    arm.call('activate')
    arm.wait_mode(BridgeStatus.HOLDING)
    return arm


@pytest.fixture(scope='module')
def fragile(start):
    parameters = ('robot:=arm', 'real_time_factor:=2.0', 'control_period:=0.01')
    return start(*parameters, 'activate:=false', code=FRAGILE)


def test_it_is_the_robot_of_the_parameter(arm):
    """`robot:=arm` has the arm's URDF, its three joints, and starts where the arm starts."""
    arm.wait(lambda: arm.description and arm.joints, 'the robot')
    assert arm.description[-1].data == ARM.urdf_text
    first = arm.joints[0]
    assert tuple(first.name) == NAMES
    assert list(first.position) == HOME.tolist()
    assert len(first.velocity) == len(first.effort) == 3


def test_it_is_driven_from_the_start(arm):
    """Without being asked it comes from INACTIVE to HOLDING, as the mock, with its period."""
    arm.wait(lambda: arm.statuses, 'the status')
    arm.wait_mode(BridgeStatus.HOLDING)
    assert arm.statuses[-1].bridge == 'mock'
    assert arm.statuses[-1].control_period == 0.004
    assert arm.statuses[0].mode in (BridgeStatus.INACTIVE, BridgeStatus.HOLDING)


def test_a_command_is_reported_under_its_id_and_sender(client):
    """Active, then reached at its end, with the error of the worst channel."""
    number = client.send(NAMES, REACH, 1.0, sender='a planner')
    active = client.wait_for(number, TrajectoryState.ACTIVE)
    reached = client.wait_for(number, TrajectoryState.REACHED)
    assert client.states(number) == [TrajectoryState.ACTIVE, TrajectoryState.REACHED]
    assert {status.trajectory.sender for status in client.told(number)} == {'a planner'}
    assert active.mode == BridgeStatus.EXECUTING
    assert reached.trajectory.error == pytest.approx(0.0, abs=1e-9)
    assert reached.trajectory.channel in NAMES
    assert nanoseconds(reached.header.stamp) - nanoseconds(active.header.stamp) == 10**9
    after = nanoseconds(reached.header.stamp)
    client.wait(lambda: nanoseconds(client.joints[-1].header.stamp) > after, 'joint states')
    assert list(client.joints[-1].position) == pytest.approx(REACH.tolist())


def test_bare_trajectories_are_unnamed(client):
    """Each has the sender 'unnamed' and an id of its own, and is followed like any other."""
    client.wait(client.bare.get_subscription_count, 'the bridge')
    seen = {bytes(status.trajectory.id.uuid) for status in client.statuses}
    numbers = []
    for goal in (REACH, HOME):
        mark = len(client.statuses)
        client.bare.publish(client.trajectory(NAMES, goal, 0.8))

        def reached(mark=mark):
            return any(
                status.trajectory.state == TrajectoryState.REACHED
                and bytes(status.trajectory.id.uuid) not in seen
                for status in client.statuses[mark:]
            )

        client.wait(reached, 'the end of a bare trajectory')
        status = client.statuses[-1]
        assert status.trajectory.sender == 'unnamed'
        numbers.append(bytes(status.trajectory.id.uuid))
        seen.add(numbers[-1])
    assert len({*numbers, bytes(16)}) == 3


def test_a_queued_command_waits_and_starts_at_the_end(client):
    """It is WAITING until the one before is reached, and begins in that very tick."""
    first = client.send(NAMES, REACH, 1.0)
    client.wait_for(first, TrajectoryState.ACTIVE)
    second = client.send(NAMES, HOME, 1.0, queue=True)
    begun = client.wait_for(second, TrajectoryState.ACTIVE)
    reached = client.wait_for(first, TrajectoryState.REACHED)
    assert nanoseconds(begun.header.stamp) == nanoseconds(reached.header.stamp)
    client.wait_for(second, TrajectoryState.REACHED)
    assert client.states(second) == [
        TrajectoryState.WAITING,
        TrajectoryState.ACTIVE,
        TrajectoryState.REACHED,
    ]


def test_who_is_replaced_learns_by_whom(client):
    """The reason on the wire names the other sender."""
    first = client.send(NAMES, REACH, 60.0, sender='first')
    client.wait_for(first, TrajectoryState.ACTIVE)
    second = client.send(NAMES, HOME, 0.5, sender='second')
    replaced = client.wait_for(first, TrajectoryState.REPLACED)
    assert list(replaced.trajectory.reasons) == ['replaced by a trajectory of second']
    client.wait_for(second, TrajectoryState.REACHED)


def test_what_is_wrong_is_rejected_with_the_reason(client):
    """A joint that the arm does not have, by name; nothing moves."""
    before = client.position()
    number = client.send(['fold'], [0.1])
    rejected = client.wait_for(number, TrajectoryState.REJECTED)
    assert list(rejected.trajectory.reasons) == [
        "unknown joints: 'fold'; known: shoulder, elbow, wrist"
    ]
    assert rejected.mode == BridgeStatus.HOLDING
    assert client.position() == before


def test_what_cannot_be_reached_is_missed_by_name(client):
    """A command beyond a joint's limit ends at the limit: missed, by how much, and limited."""
    elbow = ARM.joints[ARM.index('elbow')]
    number = client.send(['elbow'], [elbow.upper + 0.5], 1.0)
    missed = client.wait_for(number, TrajectoryState.MISSED).trajectory
    assert (missed.channel, missed.error) == ('elbow', pytest.approx(0.5))
    assert 'elbow is off its goal by 0.5 rad' in missed.reasons[0]
    assert client.position()['elbow'] == pytest.approx(elbow.upper)


def test_a_late_joiner_has_the_status_at_once(client):
    """Whoever comes later is told what was said before it came."""
    from rclpy.qos import DurabilityPolicy, QoSProfile

    number = client.send(NAMES, REACH, 0.5)
    client.wait_for(number, TrajectoryState.REACHED)
    now = nanoseconds(client.clock[-1].clock)
    late = []
    quality = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    subscription = client.node.create_subscription(
        BridgeStatus, 'bridge_status', late.append, quality
    )
    client.wait(lambda: late, 'the latched status')
    client.node.destroy_subscription(subscription)
    assert nanoseconds(late[0].header.stamp) <= now


def test_the_services_lead_through_a_bridges_life(client):
    """Deactivated, stopped, reset, activated: each answers, and the status follows.

    A refused call says why, and what leads out.
    """
    number = client.send(NAMES, REACH, 60.0)
    client.wait_for(number, TrajectoryState.ACTIVE)
    assert client.call('activate').message == 'active already'
    assert client.call('deactivate').success
    client.wait_mode(BridgeStatus.INACTIVE)
    stopped = client.wait_for(number, TrajectoryState.STOPPED)
    assert list(stopped.trajectory.reasons) == ['the bridge was deactivated']
    refused = client.wait_for(client.send(NAMES, REACH), TrajectoryState.REJECTED)
    assert '~/activate' in refused.trajectory.reasons[0]

    assert client.call('activate').success
    client.wait_mode(BridgeStatus.HOLDING)
    cleared = client.call('clear_fault')
    assert (cleared.success, cleared.message) == (False, 'there is no fault to clear')

    number = client.send(NAMES, REACH, 60.0)
    client.wait_for(number, TrajectoryState.ACTIVE)
    assert client.call('emergency_stop').success
    client.wait_mode(BridgeStatus.EMERGENCY_STOP)
    assert 'emergency stop' in client.statuses[-1].reasons
    stopped = client.wait_for(number, TrajectoryState.STOPPED)
    assert list(stopped.trajectory.reasons) == ['emergency stop']
    for name in ('activate', 'clear_fault'):
        assert not client.call(name).success
    assert '~/reset' in client.call('activate').message
    refused = client.wait_for(client.send(NAMES, REACH), TrajectoryState.REJECTED)
    assert '~/reset' in refused.trajectory.reasons[0]

    assert client.call('reset').success
    client.wait_mode(BridgeStatus.INACTIVE)
    assert client.call('activate').success
    client.wait_for(client.send(NAMES, REACH), TrajectoryState.REACHED)


def test_the_mock_measures_joints_and_nothing_else(client):
    """No odometry, no IMU and no contacts come from a bridge that has none."""
    client.wait(lambda: client.joints and client.diagnostics, 'all topics')
    topics = {name for name, _ in client.node.get_topic_names_and_types()}
    assert '/joint_states' in topics
    assert topics.isdisjoint({'/odom', '/imu', '/foot_contacts'})


def test_clock_and_joint_states_are_regular(client):
    """The clock goes in steps of 4 ms, joint states in steps of 8 ms.

    A reader on a busy machine may lose one: then a step is a multiple.
    """
    client.wait(lambda: len(client.joints) > 200, 'joint states')
    for times, step in (
        ([nanoseconds(message.clock) for message in list(client.clock)], 4_000_000),
        ([nanoseconds(message.header.stamp) for message in list(client.joints)], 8_000_000),
    ):
        steps = np.diff(times)
        assert (steps > 0).all()
        assert (steps % step == 0).all()
        assert np.mean(steps == step) > 0.9


def test_diagnostics_count_missed_deadlines(client):
    """They come without being asked, with pace, jitter and the deadlines that were missed."""
    client.wait(lambda: client.diagnostics, 'diagnostics')
    entry = client.diagnostics[-1].status[0]
    values = {value.key: value.value for value in entry.values}
    assert float(values['real_time_factor']) > 0.0
    assert 0 <= int(values['missed_deadlines']) <= int(values['steps'])
    assert entry.hardware_id == 'mock'


def test_parameters_are_guarded(client):
    """What is live can be set, nonsense and what is fixed cannot, and the answer says why."""

    def set_one(**value):
        return client.result(client.ask_parameters(**value)).results[0]

    assert set_one(real_time_factor=2.5).successful
    assert not set_one(real_time_factor=-1.0).successful
    refused = set_one(control_period=0.01)
    assert not refused.successful
    assert 'control_period' in refused.reason


def test_a_sender_may_call_itself_anything(client):
    """Even by the name that the bridge's own action has."""
    number = client.send(['fold'], [0.1], sender='follow_joint_trajectory')
    client.wait_for(number, TrajectoryState.REJECTED)
    number = client.send(NAMES, HOME, 0.5, sender='follow_joint_trajectory')
    client.wait_for(number, TrajectoryState.REACHED)


def test_changes_of_parameters_are_all_seen(fragile):
    """Changes that come faster than the control loop takes them are all applied, in order."""
    fragile.wait(lambda: fragile.diagnostics, 'diagnostics')
    futures = []
    for step in range(1, 9):
        futures.append(fragile.ask_parameters(gain=float(step)))
        futures.append(fragile.ask_parameters(bias=10.0 * step))
    for future in futures:
        assert fragile.result(future).results[0].successful
    wanted = [(float(g), 10.0 * b) for b in range(9) for g in (b, b + 1)][1:-1]

    def seen():
        values = {value.key: value.value for value in fragile.diagnostics[-1].status[0].values}
        return values['seen']

    fragile.wait(lambda: seen() == repr(wanted), 'all changes')


def test_activation_may_wait_for_a_service(fragile):
    """With activate:=false nothing is driven till ~/activate; an error there comes back."""
    fragile.call('reset')
    fragile.wait_mode(BridgeStatus.INACTIVE)
    rejected = fragile.wait_for(fragile.send(NAMES, REACH), TrajectoryState.REJECTED)
    assert '~/activate' in rejected.trajectory.reasons[0]
    assert fragile.result(fragile.ask_parameters(locked=True)).results[0].successful
    answer = fragile.call('activate')
    assert (answer.success, answer.message) == (False, 'the key is missing')
    assert fragile.statuses[-1].mode == BridgeStatus.INACTIVE
    fragile.result(fragile.ask_parameters(locked=False))
    assert fragile.call('activate').success
    fragile.wait_mode(BridgeStatus.HOLDING)


def test_a_fault_is_told_and_nothing_measured_is_sent_till_it_is_over(fragile):
    """While steps fail time goes on without joint states; cleared and activated, it follows."""
    fragile.call('reset')
    fragile.call('activate')
    number = fragile.send(NAMES, REACH, 60.0)
    fragile.wait_for(number, TrajectoryState.ACTIVE)
    fragile.result(fragile.ask_parameters(broken=True))
    fragile.wait_mode(BridgeStatus.FAULT)
    fault = fragile.statuses[-1]
    assert 'OSError: port is gone' in fault.reasons
    stopped = fragile.wait_for(number, TrajectoryState.STOPPED)
    assert list(stopped.trajectory.reasons) == ['OSError: port is gone']
    at = nanoseconds(stopped.header.stamp)
    fragile.wait(lambda: nanoseconds(fragile.clock[-1].clock) > at + 10**9, 'the clock')
    assert nanoseconds(fragile.joints[-1].header.stamp) < at
    assert not fragile.call('activate').success

    fragile.result(fragile.ask_parameters(broken=False))
    assert fragile.call('clear_fault').success
    fragile.wait_mode(BridgeStatus.INACTIVE)
    assert list(fragile.statuses[-1].reasons) == []
    assert fragile.call('activate').success
    fragile.wait_for(fragile.send(NAMES, HOME), TrajectoryState.REACHED)
    fragile.wait(lambda: nanoseconds(fragile.joints[-1].header.stamp) > at, 'joint states')
    assert fragile.position() == pytest.approx(dict(zip(NAMES, HOME, strict=True)))


def test_a_refused_start_says_why_and_lives(start_once):
    """A bridge that cannot drive its joints at the start stays inactive, and logs the reason."""
    client = start_once('robot:=arm', 'locked:=true', code=FRAGILE)
    client.wait(lambda: any('the key is missing' in e for e in client.bridge.errors), 'the log')
    assert client.call('deactivate').message == 'inactive already'


def test_an_unknown_robot_ends_the_start(start_once):
    """The process ends with status 1, naming what it was asked for and what there is."""
    client = start_once('robot:=spider')
    assert client.bridge.process.wait(timeout=40.0) == 1
    client.bridge.close()
    errors = ''.join(client.bridge.errors)
    assert 'spider' in errors
    assert 'arm' in errors
    assert 'Traceback' not in errors


def test_an_interrupt_ends_it_cleanly(start_once):
    """SIGINT ends the process with status 0 and no traceback, as SIGTERM ends all others here."""
    client = start_once('robot:=arm', 'real_time_factor:=0.0', 'publish_tf:=false')
    client.wait(lambda: client.clock, 'the clock')
    assert not {'/tf', '/tf_static'} & {n for n, _ in client.node.get_topic_names_and_types()}
    assert client.bridge.close(signal.SIGINT) == 0
    assert 'Traceback' not in ''.join(client.bridge.errors)


def test_a_bridge_on_wall_time_is_no_clock(start_once):
    """Where the backend does not own time, every stamp is the wall's and there is no /clock."""
    code = FRAGILE.replace('(MockBackend):', '(MockBackend):\n    owns_time = False\n')
    before = time.time_ns()
    client = start_once('robot:=arm', 'real_time_factor:=0.5', code=code)
    client.wait_mode(BridgeStatus.HOLDING)
    number = client.send(NAMES, REACH, 0.5)
    reached = client.wait_for(number, TrajectoryState.REACHED)
    active = client.wait_for(number, TrajectoryState.ACTIVE)
    client.wait(lambda: len(client.joints) > 20 and client.diagnostics, 'joint states')
    now = time.time_ns()
    for message in [*client.statuses, *client.joints]:
        assert before < nanoseconds(message.header.stamp) < now
    assert nanoseconds(reached.header.stamp) > nanoseconds(active.header.stamp)
    assert client.node.count_publishers('/clock') == 0
    assert client.clock == []


def test_tensions_go_by_the_same_topics(start_once, tmp_path):
    """A robot of one's own with a tendon: a command that names it is followed and reported."""
    (tmp_path / 'robot.yaml').write_text(
        """
description: A joint and a tendon.
urdf: finger.urdf
base: {link: palm, fixed: true}
motors:
  servo: {effort: 1.0, velocity: 4.0}
groups:
  finger:
    gains: {kp: 5.0, kd: 0.05}
    goal_tolerance: 0.02
    joints: {knuckle: servo}
channels:
  flexor: {kind: tension, range: [0.0, 40.0], rate: 100.0, goal_tolerance: 0.5}
poses:
  open:
    joints: {knuckle: 0.1}
start: open
"""
    )
    (tmp_path / 'finger.urdf').write_text(
        """<robot name="finger"><link name="palm"/><link name="tip"/>
<joint name="knuckle" type="revolute"><parent link="palm"/><child link="tip"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="4"/></joint></robot>"""
    )
    client = start_once(f'robot:={tmp_path}', 'real_time_factor:=2.0')
    reached = client.wait_for(client.send(['flexor'], [20.0]), TrajectoryState.REACHED)
    assert reached.trajectory.channel == 'flexor'
    missed = client.wait_for(client.send(['flexor'], [45.0]), TrajectoryState.MISSED)
    assert (missed.trajectory.channel, missed.trajectory.error) == ('flexor', 5.0)
    assert 'by 5 N' in missed.trajectory.reasons[0]
    assert list(client.joints[-1].name) == ['knuckle']


def test_transforms_are_those_of_the_joint_states(client):
    """On /tf and /tf_static every link hangs together, where the kinematics of chains has it.

    Of joint states of the same stamp, to 1e-9, during a motion.
    """
    tf = pytest.importorskip('tf2_msgs.msg', reason='tf2_msgs is not built')
    from softshell_common.ros.qos import LATCHED, STATE
    from softshell_kinematics.from_urdf import chain_from_urdf
    from softshell_kinematics.transforms import rotation_from_quaternion, transform

    moving, fixed = [], []
    for topic, kept, quality in (('/tf', moving, STATE), ('/tf_static', fixed, LATCHED)):
        client.node.create_subscription(tf.TFMessage, topic, kept.append, quality)
    client.send(NAMES, REACH, 2.0)
    client.wait(lambda: fixed and len(moving) > 20, 'transforms')
    newest = nanoseconds(moving[-1].transforms[0].header.stamp)
    client.wait(lambda: nanoseconds(client.joints[-1].header.stamp) > newest, 'joint states')
    states = {nanoseconds(each.header.stamp): each for each in list(client.joints)}
    compared, seen = 0, []
    for message in moving[:20]:
        (stamp,) = {nanoseconds(each.header.stamp) for each in message.transforms}
        seen.append(stamp)
        if stamp not in states:
            continue
        values = dict(zip(states[stamp].name, states[stamp].position, strict=True))
        every = {each.child_frame_id: each for each in [*message.transforms, *fixed[0].transforms]}
        assert len(every) == len(message.transforms) + len(fixed[0].transforms)
        root = ARM.urdf.root
        assert set(every) == {link.name for link in ARM.urdf.links} - {root}
        pose, frame = np.eye(4), 'tip'
        while frame != root:
            t, q = every[frame].transform.translation, every[frame].transform.rotation
            rotation = rotation_from_quaternion(np.array([q.x, q.y, q.z, q.w]))
            pose = transform(rotation, [t.x, t.y, t.z]) @ pose
            frame = every[frame].header.frame_id
        chain = chain_from_urdf(ARM.urdf, root, 'tip')
        wanted = chain.forward([values[name] for name in chain.variables])
        assert pose == pytest.approx(wanted, abs=1e-9)
        compared += 1
    assert compared
    assert (np.diff(seen) >= 20_000_000).all()
