"""The mock as a ROS node, in a process of its own: what holds of any bridge on the wire."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')

from bridge_process import nanoseconds

from softshell_description.load import load_robot
from softshell_interfaces.msg import BridgeStatus, TrajectoryState

ARM = load_robot('arm')
NAMES = ARM.joint_names
HOME, REACH = ARM.pose('home'), ARM.pose('reach')


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


def test_it_says_what_it_commands(client):
    """Beyond a limit that is the limit, not what was asked; the mock's joints are where told."""
    lower = ARM.joints[ARM.index('elbow')].lower
    mark = len(client.told_joints)
    client.send(('elbow',), [lower - 0.5], 1.0)
    elbow = NAMES.index('elbow')
    client.wait(lambda: client.joints[-1].position[elbow] == pytest.approx(lower), 'the limit')
    told = client.told_joints[mark:]
    assert tuple(told[0].name) == NAMES
    assert min(message.position[elbow] for message in told) >= lower - 1e-9
    assert min(message.velocity[elbow] for message in told) < -0.1
    measured = {nanoseconds(one.header.stamp): one.position for one in client.joints}
    same = [one for one in told if nanoseconds(one.header.stamp) in measured]
    assert len(same) > 50
    for message in same:
        there = measured[nanoseconds(message.header.stamp)]
        assert list(message.position) == pytest.approx(list(there), abs=1e-9)


def test_joints_that_are_let_go_are_told_nothing(client):
    """Until they are driven again."""

    def stamps(messages):
        return [nanoseconds(one.header.stamp) for one in list(messages)]

    client.wait(lambda: client.told_joints, 'commands')
    client.call('deactivate')
    client.wait_mode(BridgeStatus.INACTIVE)
    (since,) = stamps(client.statuses[-1:])
    client.wait(lambda: stamps(client.joints[-1:]) > [since + 200_000_000], 'joint states')
    client.call('activate')
    client.wait_mode(BridgeStatus.HOLDING)
    driven = [one for one in client.statuses if one.mode == BridgeStatus.HOLDING]
    till = next(one for one in stamps(driven) if one > since)
    client.wait(lambda: stamps(client.told_joints[-1:]) > [till], 'commands')
    client.wait(lambda: stamps(client.joints[-1:]) > [till], 'joint states')
    between = [
        sum(since < one < till for one in stamps(kept))
        for kept in (client.joints, client.told_joints)
    ]
    assert between[0] > 10
    assert between[1] == 0


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
    first = client.send(NAMES, REACH, 6.0)  # however late the second one is
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
    client.unsubscribe(subscription)
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
    assert not cleared.success
    assert cleared.message.startswith('no fault to clear: mode is ')

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


def test_transforms_are_those_of_the_joint_states(client):
    """On /tf and /tf_static every link hangs together, where the kinematics of chains has it.

    Of joint states of the same stamp, to 1e-9, during a motion.
    """
    tf = pytest.importorskip('tf2_msgs.msg', reason='tf2_msgs is not built')
    from softshell_common.ros.qos import LATCHED, STATE
    from softshell_kinematics.model.from_urdf import chain_from_urdf
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
