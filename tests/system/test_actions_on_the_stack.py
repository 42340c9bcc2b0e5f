"""The action manager on the whole stack: real nodes, the mock bridge, real messages."""

import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest
import rclpy
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import PoseStamped
from rcl_interfaces.srv import SetParameters
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from sensor_msgs.msg import Imu
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from waiting import PATIENCE, until

from softshell_actions.robot import body_of
from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack
from softshell_client import ActionFailedError, Shell, Status
from softshell_common.ros import qos
from softshell_description.load import load_robot
from softshell_interfaces.msg import BridgeStatus, TrajectoryState
from softshell_recording.ros.recorder import Recorder


@pytest.fixture(scope='module')
def stack() -> Iterator[Stack]:
    with Stack({'bridge': 'mock', 'real_time_factor': '4'}, domain=free_domain()) as stack:
        stack.wait_ready()
        yield stack


@pytest.fixture
def context(stack: Stack) -> Iterator[Context]:
    context = Context()
    rclpy.init(context=context, domain_id=stack.domain)
    yield context
    context.try_shutdown()


@pytest.fixture
def shell(context: Context) -> Iterator[Shell]:
    with Shell(context=context) as shell:
        shell.wait_for_joints()
        shell.perform('stand')
        yield shell


def recording_of(context: Context) -> Recorder:
    recorder = Recorder(context)
    recorder.wait_for_messages()
    return recorder


@contextmanager
def walking(shell: Shell, distance: float) -> Iterator[list[ActionFailedError | float]]:
    """While a walk is under way; afterwards the list has how long it took, or why it failed."""
    ended: list[ActionFailedError | float] = []
    walk = shell.begin_action('walk', distance=distance)
    until(lambda: walk.sub_action or walk.done(), 'under way')
    yield ended
    until(walk.done, 'over')
    try:
        ended.append(walk.result())
    except ActionFailedError as error:
        ended.append(error)


def set_pace(shell: Shell, factor: float) -> None:
    """Have the bridge's clock run so many times as fast as the wall's."""
    client = shell.node.create_client(SetParameters, 'bridge/set_parameters')
    assert client.wait_for_service(PATIENCE)
    wanted = [Parameter('real_time_factor', value=factor).to_parameter_msg()]
    future = client.call_async(SetParameters.Request(parameters=wanted))
    until(future.done, 'an answer')
    assert future.result().results[0].successful


def latest(shell: Shell, kind: type, topic: str) -> Callable[[], object]:
    """The newest message of a latched topic, None before the first."""
    kept: list[object] = [None]
    shell.node.create_subscription(
        kind, topic, lambda message: kept.__setitem__(0, message), qos.LATCHED
    )
    return lambda: kept[0]


def test_the_posture_is_known_from_the_start(stack, context):
    """Whoever drives by keyboard can raise the base before anything else was asked for."""
    node = rclpy.create_node('first', context=context)
    kept: list[PoseStamped] = []
    node.create_subscription(PoseStamped, 'posture', kept.append, qos.LATCHED)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    end = time.monotonic() + PATIENCE
    while not kept:
        assert time.monotonic() < end
        executor.spin_once(timeout_sec=0.1)
    robot = load_robot()
    lying = robot.rest_heights['idle'] - robot.rest_heights['stand']
    assert kept[0].pose.position.z == pytest.approx(
        body_of(robot).stance.stand_height + lying, abs=0.002
    )


def test_every_shipped_action_succeeds_with_its_defaults(shell):
    """Each action the manager lists can be performed as it is, from standing; `open` as a ball.

    Only `roll` cannot, for the mock measures no IMU.
    """
    for action in shell.actions():
        if action.name in ('open', 'roll'):
            continue  # `open` comes after `close`
        shell.perform(action.name)
        if action.name in ('close', 'tuck'):
            shell.perform('open')
        shell.perform('stand')


@pytest.mark.long
def test_walking_takes_the_time_its_strides_take(shell):
    """n strides and one to halt, each queued behind the last, lose a tick or so at each end."""
    set_pace(shell, 0.25)  # a busy machine plans each in time, and answers soon by its clock
    try:
        duration = shell.perform('walk', distance=0.4, step=0.08, period=0.5)
    finally:
        set_pace(shell, 4.0)
    assert 3.0 <= duration < 3.0 + 0.5


def test_joints_end_where_they_began(shell, context):
    """After walking and turning, the feet are at rest: every joint is where it was before."""
    recorder = recording_of(context)
    shell.perform('walk', distance=0.24)
    shell.perform('turn', angle=0.5)

    def at_rest():
        # What it has received may be old where much runs on the machine.
        joints = recorder.recording().joints
        return np.ptp(joints, axis=0).max() > 0.1 and np.ptp(joints[-50:], axis=0).max() < 1e-6

    until(at_rest, 'at rest')
    recording = recorder.stop()
    assert recording.joints[-1] == pytest.approx(recording.joints[0], abs=1e-3)


def test_commands_are_tracked_and_continuous(shell, context):
    """On the mock, joints are where the trajectories say, but for a tick of delay."""
    recorder = recording_of(context)
    shell.perform('walk', distance=0.24)
    recording = recorder.stop()
    errors = recording.joints - recording.commands
    assert np.isfinite(errors).any()
    # One tick is 4 ms and no joint turns faster than 6.2 rad/s.
    assert np.nanmax(np.abs(errors)) < 0.03


@pytest.mark.parametrize(
    ('name', 'parameters', 'status', 'text'),
    [
        ('fly', {}, Status.UNKNOWN_ACTION, "unknown action 'fly'; known: close, gather, idle"),
        ('walk', {'distance': 99.0}, Status.BAD_PARAMETER, 'distance is 99; expected -20 to 20 m'),
        ('walk', {'far': 1.0}, Status.BAD_PARAMETER, "unknown parameter 'far'; known: direction"),
        ('walk', {'distance': math.nan}, Status.BAD_PARAMETER, 'distance is nan'),
        ('raise', {'amount': 0.1}, Status.UNREACHABLE, 'lower_0 misses point'),
    ],
)
def test_what_cannot_be_done_is_refused_by_name_and_nothing_moves(
    shell, context, name, parameters, status, text
):
    """The result says what is wrong; no joint moves."""
    recorder = recording_of(context)
    with pytest.raises(ActionFailedError) as caught:
        shell.perform(name, **parameters)
    recorder.wait_for_messages(recorder.received('joint_states') + 20)
    recording = recorder.stop()
    assert caught.value.status is status
    assert text in str(caught.value)
    assert np.ptp(recording.joints, axis=0).max() < 1e-6
    shell.perform('stand')


def test_a_newer_action_takes_over_at_the_end_of_a_sub_action(shell):
    """The older is preempted, the robot comes to rest in between, and the newer succeeds."""
    with walking(shell, 3.0) as ended:
        shell.perform('turn', angle=0.2)
    assert [error.status for error in ended] == [Status.PREEMPTED]


def test_cancelling_stops_in_a_stance(shell):
    """A cancelled walk ends well before its distance, and the robot can go on from there."""
    with pytest.raises(ActionFailedError) as caught:
        shell.perform('walk', _interrupt_at(0.2), distance=3.0)
    assert caught.value.status is Status.CANCELED
    assert shell.perform('walk', distance=0.08) > 0


def _interrupt_at(progress: float) -> Callable[[str, float], None]:
    sent = threading.Event()

    def feedback(sub_action: str, at: float) -> None:
        if at >= progress and not sent.is_set():
            sent.set()
            os.kill(os.getpid(), signal.SIGINT)

    return feedback


def test_velocity_commands_walk_and_silence_halts(shell):
    """`cmd_vel` makes the bridge execute strides; half a second of silence ends them."""
    status = latest(shell, BridgeStatus, 'bridge_status')
    until(lambda: status() is not None, 'a status')

    def driving() -> bool:
        shell.drive(x=0.1, yaw=0.2)
        return status().mode == BridgeStatus.EXECUTING

    until(driving, 'walking')
    until(lambda: status().mode == BridgeStatus.HOLDING, 'halted')
    assert status().trajectory.state == TrajectoryState.REACHED
    assert shell.perform('walk', distance=0.0) >= 0  # everything at rest: nothing to gather


def hears(node, publisher, name):
    """Whether a node of this name hears a publisher, whoever else listens."""
    topic = publisher.topic_name
    names = {one.node_name for one in node.get_subscriptions_info_by_topic(topic)}
    return name in names and publisher.get_subscription_count() == node.count_subscribers(topic)


def test_a_posture_is_taken_and_published(shell):
    """`body_pose` brings the base there, and `posture` says so; nonsense is ignored."""
    posture = latest(shell, PoseStamped, 'posture')
    commands = shell.node.create_publisher(PoseStamped, 'body_pose', qos.COMMAND)
    until(lambda: posture() is not None, 'posture')
    until(lambda: hears(shell.node, commands, 'action_manager'), 'connected')
    height = posture().pose.position.z

    def published() -> float:
        return posture().pose.position.z - height

    wanted = PoseStamped()
    wanted.header.frame_id = 'base_footprint'
    wanted.pose.position.z = height + 0.015
    wanted.pose.orientation.w = 1.0
    commands.publish(wanted)
    until(lambda: abs(published() - 0.015) < 1e-9, 'raised')
    for frame, z in (('map', height), ('base_footprint', math.nan), ('base_footprint', 1e12)):
        wanted.header.frame_id, wanted.pose.position.z = frame, z
        commands.publish(wanted)
        shell.perform('walk', distance=0.08)
        assert abs(published() - 0.015) < 1e-9


def test_a_posture_asked_for_is_answered(shell):
    """`set_body_pose` answers when the base is there, or with what was expected instead."""
    shell.set_body_pose(0.15)
    with pytest.raises(ActionFailedError) as caught:
        shell.set_body_pose(0.9)
    assert caught.value.status is Status.BAD_PARAMETER
    assert 'parameter z is 0.9; expected 0 to 0.3 m' in str(caught.value)
    with pytest.raises(ActionFailedError) as caught:
        shell.set_body_pose(0.29)
    assert caught.value.status is Status.UNREACHABLE


def test_a_stopped_bridge_ends_actions_and_comes_back(shell):
    """An emergency stop in mid-walk ends the walk by name; reset and activation lead out."""
    with walking(shell, 3.0) as ended:
        shell.emergency_stop()
    assert [error.status for error in ended] == [Status.STOPPED]
    assert 'emergency stop' in str(ended[0])
    with pytest.raises(ActionFailedError, match='the bridge is stopped') as caught:
        shell.perform('idle')
    assert caught.value.status is Status.NOT_READY
    shell.reset()
    shell.activate()
    shell.perform('stand')


def succeeds(shell, action):
    """Whether an action succeeds."""
    try:
        shell.perform(action)
    except ActionFailedError:
        return False
    return True


def test_a_robot_on_its_back_says_so(shell, context):
    """Whatever measures the tilt, what needs the legs below the base is refused as `fallen`."""
    imu = shell.node.create_publisher(Imu, 'imu', qos.STATE)
    over = Imu()
    over.orientation.x, over.orientation.w = 1.0, 0.0
    timer = shell.node.create_timer(0.02, lambda: imu.publish(over))
    try:
        # The action manager subscribes only while it measures the tilt: it has to be asked.
        until(lambda: not succeeds(shell, 'stand'), 'imu known to the action manager')
        for name in ('stand', 'walk', 'idle'):
            with pytest.raises(ActionFailedError, match=r'not fallen .*; true now: ') as caught:
                shell.perform(name)
            assert str(caught.value).endswith('fallen; open helps')
            assert caught.value.status is Status.NOT_READY
    finally:
        shell.node.destroy_timer(timer)
        shell.node.destroy_publisher(imu)
    until(lambda: not shell.node.count_publishers('imu'), 'gone')
    shell.perform('stand')


@pytest.mark.long
def test_a_manager_that_was_paused_does_not_blame_the_bridge(shell, stack):
    """SIGSTOP for longer than a bridge may be silent: the walk goes on where it was."""
    manager = stack.pids['action_manager']
    with walking(shell, 1.0) as ended:
        os.kill(manager, signal.SIGSTOP)
        try:
            time.sleep(6.0)
        finally:
            os.kill(manager, signal.SIGCONT)
    [result] = ended
    assert isinstance(result, float), result


def test_what_somebody_else_has_moved_is_measured_anew(shell):
    """A bare trajectory lays the robot down: `walk` stands up first, instead of jumping up."""
    idle = load_robot().poses['idle']
    bare = shell.node.create_publisher(JointTrajectory, 'joint_trajectory', qos.COMMAND)
    until(lambda: hears(shell.node, bare, 'bridge'), 'there')
    point = JointTrajectoryPoint(positions=list(idle.values()), time_from_start=Duration(sec=2))
    bare.publish(JointTrajectory(joint_names=list(idle), points=[point]))
    start = shell.time
    until(lambda: shell.time > start + 3.0, 'over')
    assert shell.perform('walk', distance=0.08) > 2.0


def test_a_requirement_is_met_first(shell):
    """From lying, `walk` stands up by itself, because it requires `standing`."""
    shell.perform('idle')
    assert shell.perform('walk', distance=0.08) > 2.0
