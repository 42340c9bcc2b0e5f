"""The mock and the simulation as ROS nodes, each in a process of its own."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
import uuid

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')

import rclpy
from builtin_interfaces.msg import Duration
from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectoryPoint
from unique_identifier_msgs.msg import UUID

from softshell_common.ros.qos import COMMAND, LATCHED
from softshell_description.load import load_robot
from softshell_interfaces.msg import (
    BridgeStatus,
    FootContacts,
    TrajectoryCommand,
    TrajectoryState,
)

MODULES = {'mock': 'softshell_control.ros.mock_bridge', 'sim': 'softshell_sim.ros.sim_bridge'}
DRIVEN = (BridgeStatus.HOLDING, BridgeStatus.EXECUTING)
PATIENCE = 40.0  # [s] of wall time before a test gives up; nothing is measured by it
DOMAIN = 1 + os.getpid() % 50
OTHER_DOMAIN = 50 + DOMAIN  # for a bridge beside the one that most tests share
EVERYTHING = QoSProfile(depth=5000, reliability=ReliabilityPolicy.RELIABLE)
STATUS = QoSProfile(
    depth=100,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)


def start(kind, *parameters, domain=DOMAIN):
    """A bridge's process; parameters as 'name:=value'."""
    code = f'import sys; from {MODULES[kind]} import main; sys.exit(main())'
    arguments = [word for each in parameters for word in ('-p', each)]
    return subprocess.Popen(
        [sys.executable, '-c', code, '--ros-args', *arguments],
        env={
            **os.environ,
            'ROS_DOMAIN_ID': str(domain),
            'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
        },
        stderr=subprocess.PIPE,
        text=True,
    )


def nanoseconds(stamp):
    return stamp.sec * 10**9 + stamp.nanosec


class Client:
    """Keeps all that a bridge sends."""

    def __init__(self, kind, process, domain=DOMAIN):
        self.kind, self.process = kind, process
        self.robot = load_robot()
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node(f'client_{kind}', context=self.context)
        self.clock, self.joints, self.statuses = [], [], []
        self.odometry, self.imu, self.diagnostics, self.description = [], [], [], []
        self.contacts = []
        for type_, topic, kept, quality in (
            (Clock, '/clock', self.clock, EVERYTHING),
            (JointState, 'joint_states', self.joints, EVERYTHING),
            (Odometry, 'odom', self.odometry, EVERYTHING),
            (Imu, 'imu', self.imu, EVERYTHING),
            (FootContacts, 'foot_contacts', self.contacts, EVERYTHING),
            (DiagnosticArray, 'diagnostics', self.diagnostics, EVERYTHING),
            (BridgeStatus, 'bridge_status', self.statuses, STATUS),
            (String, 'robot_description', self.description, LATCHED),
        ):
            self.node.create_subscription(type_, topic, kept.append, quality)
        self.publisher = self.node.create_publisher(
            TrajectoryCommand, 'trajectory_command', COMMAND
        )
        self.set_parameters = self.node.create_client(SetParameters, 'bridge/set_parameters')
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.thread = threading.Thread(target=self._spin, daemon=True)
        self.thread.start()

    def _spin(self):
        with contextlib.suppress(ExternalShutdownException):
            while self.context.ok():
                self.executor.spin_once(timeout_sec=0.1)

    def close(self):
        self.context.try_shutdown()
        self.thread.join()
        self.node.destroy_node()

    def wait(self, condition, what):
        """Until a condition holds; fails when patience or the process ends."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert self.process.poll() is None, f'the bridge ended while waiting for {what}'
            assert time.monotonic() < deadline, f'waited in vain for {what}'
            time.sleep(0.01)

    def send(self, positions, duration=0.5, names=None, queued=False):
        """Send a trajectory of one point; returns its id."""
        self.wait(lambda: self.publisher.get_subscription_count() and self.clock, 'the bridge')
        self.wait(lambda: self.statuses and self.statuses[-1].mode in DRIVEN, 'activation')
        name = uuid.uuid4().bytes
        message = TrajectoryCommand(id=UUID(uuid=np.frombuffer(name, np.uint8)), sender='test')
        message.queue = queued
        message.trajectory.joint_names = list(names or self.robot.joint_names)
        message.trajectory.header.stamp = self.clock[-1].clock
        seconds, rest = divmod(round(duration * 1e9), 10**9)
        message.trajectory.points = [
            JointTrajectoryPoint(
                positions=list(map(float, positions)),
                time_from_start=Duration(sec=seconds, nanosec=rest),
            )
        ]
        self.publisher.publish(message)
        return name

    def reports_of(self, name):
        """What was reported of a trajectory, in order."""
        return [s for s in list(self.statuses) if bytes(s.trajectory.id.uuid) == name]

    def states_of(self, name):
        """States of a trajectory, in order, each once."""
        states = [status.trajectory.state for status in self.reports_of(name)]
        return [b for a, b in zip([None, *states], states, strict=False) if a != b]

    def wait_for(self, name, state):
        self.wait(lambda: state in self.states_of(name), f'trajectory state {state}')
        return next(s for s in self.reports_of(name) if s.trajectory.state == state)


def end(process, with_signal=signal.SIGTERM):
    process.send_signal(with_signal)
    try:
        return process.wait(timeout=PATIENCE)
    finally:
        process.kill()
        process.stderr.close()


@pytest.fixture(scope='module', params=['mock', 'sim'])
def client(request):
    process = start(request.param, 'real_time_factor:=2.0')
    client = Client(request.param, process)
    yield client
    client.close()
    assert end(process) == 0


def test_trajectory_is_reached(client):
    """A trajectory is accepted, then reached at its end; the joints are where it ends."""
    goal = client.robot.pose('stand')
    name = client.send(goal, 1.5)
    reached = client.wait_for(name, TrajectoryState.REACHED)
    accepted = client.wait_for(name, TrajectoryState.ACTIVE)
    states = [state for state in client.states_of(name) if state != TrajectoryState.WAITING]
    assert states == [TrajectoryState.ACTIVE, TrajectoryState.REACHED]
    assert accepted.mode == BridgeStatus.EXECUTING
    assert reached.bridge == client.kind
    assert reached.trajectory.error <= client.robot.goal_tolerances.max()
    taken = nanoseconds(reached.header.stamp) - nanoseconds(accepted.header.stamp)
    assert taken + 8e6 >= 1.5e9
    after = nanoseconds(reached.header.stamp)
    client.wait(lambda: nanoseconds(client.joints[-1].header.stamp) > after, 'joint states')
    errors = np.abs(np.array(client.joints[-1].position[:31]) - goal)
    assert (errors < client.robot.goal_tolerances).all()


def test_bad_trajectory_is_rejected_with_the_reason(client):
    """NaN is refused whole, by name; the joints stay where they are."""
    before = np.array(client.joints[-1].position)
    name = client.send([0.1, float('nan')], names=['lower_0_yaw', 'lower_0_knee'])
    (reason,) = client.wait_for(name, TrajectoryState.REJECTED).trajectory.reasons
    assert "'lower_0_knee' is nan; expected a finite number" in reason
    mark = len(client.joints)
    client.wait(lambda: len(client.joints) > mark + 50, 'joint states')
    assert np.abs(np.array(client.joints[-1].position) - before).max() < 0.02


def test_mimic_joint_cannot_be_commanded(client):
    """A joint that follows the fold is unknown to commands."""
    name = client.send([-0.1], names=['lower_0_fold'])
    (reason,) = client.wait_for(name, TrajectoryState.REJECTED).trajectory.reasons
    assert "'lower_0_fold'" in reason
    assert 'known: fold, lower_0_yaw' in reason


def test_queue_hands_over_in_one_tick(client):
    """The end of the first and the beginning of the queued one carry the same time."""
    stand = client.robot.pose('stand')
    first = client.send(stand, 1.0)
    client.wait_for(first, TrajectoryState.ACTIVE)
    second = client.send(stand, 0.5, queued=True)
    reached = client.wait_for(first, TrajectoryState.REACHED)
    begun = client.wait_for(second, TrajectoryState.ACTIVE)
    assert nanoseconds(begun.header.stamp) == nanoseconds(reached.header.stamp)
    client.wait_for(second, TrajectoryState.REACHED)
    client.wait(lambda: client.statuses[-1].mode == BridgeStatus.HOLDING, 'holding')


def test_clock_and_states_are_regular(client):
    """The clock goes in steps of 4 ms, joint states and odometry in steps of 8 ms.

    A reader on a busy machine may lose one: then a step is a multiple.
    """
    client.wait(lambda: len(client.joints) > 200, 'joint states')
    times = [nanoseconds(message.clock) for message in list(client.clock)]
    assert_regular(times, 4_000_000)
    for kept in (client.joints, *([client.odometry] if client.kind == 'sim' else [])):
        assert_regular([nanoseconds(m.header.stamp) for m in list(kept)], 8_000_000)


def assert_regular(times, step):
    steps = np.diff(times)
    assert (steps > 0).all()
    assert (steps % step == 0).all()
    assert np.mean(steps == step) > 0.9


def test_messages_are_complete(client):
    """37 joints by name and the URDF for all."""
    client.wait(lambda: client.joints and client.description, 'all topics')
    joints = client.joints[-1]
    assert tuple(joints.name[:31]) == client.robot.joint_names
    assert joints.name[31:] == [f'lower_{k}_fold' for k in range(6)]
    assert len(joints.position) == len(joints.velocity) == len(joints.effort) == 37
    assert '<robot' in client.description[-1].data


def test_simulation_measures_base_and_feet(client):
    """A level base at rest with gravity in the IMU, and feet that carry it; the mock has none."""
    if client.kind == 'mock':
        assert not client.odometry
        assert not client.imu
        assert not client.contacts
        return
    client.wait_for(client.send(client.robot.pose('stand'), 1.0), TrajectoryState.REACHED)
    mark = len(client.imu), len(client.contacts)
    client.wait(
        lambda: len(client.imu) > mark[0] + 50 and len(client.contacts) > mark[1] + 50, 'all'
    )
    odometry, imu, feet = client.odometry[-1], client.imu[-1], client.contacts[-1].feet
    assert (odometry.header.frame_id, odometry.child_frame_id) == ('odom', 'base_link')
    assert odometry.pose.pose.orientation.w == pytest.approx(1.0, abs=0.01)
    assert imu.linear_acceleration.z == pytest.approx(9.81, abs=0.5)
    assert [foot.foot for foot in feet] == list(client.robot.legs.feet)
    assert all(foot.touching for foot in feet)
    assert sum(foot.force.z for foot in feet) == pytest.approx(3.497 * 9.81, rel=0.05)


def test_reports_its_pace(client):
    """Diagnostics come without being asked, with the achieved real-time factor and jitter."""
    client.wait(lambda: client.diagnostics, 'diagnostics')
    values = {v.key: v.value for v in client.diagnostics[-1].status[0].values}
    assert float(values['real_time_factor']) > 0.0
    if client.kind == 'sim':
        assert values['engine'] == 'pybullet'
        assert 'limited to' in values['limited kd']
    assert set(values) >= {'jitter_rms_ms', 'jitter_max_ms', 'step_work_ms'}


def set_parameter(client, name, value):
    client.wait(client.set_parameters.service_is_ready, 'the parameter service')
    kind = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value)
    request = SetParameters.Request(parameters=[Parameter(name=name, value=kind)])
    return client.set_parameters.call(request, timeout_sec=PATIENCE).results[0]


def test_parameters_are_guarded(client):
    """What is live can be set, nonsense and what is fixed cannot, and the answer says why."""
    assert set_parameter(client, 'real_time_factor', 2.5).successful
    assert not set_parameter(client, 'real_time_factor', -1.0).successful
    refused = set_parameter(client, 'control_period', 0.01)
    assert not refused.successful
    assert 'control_period' in refused.reason
    if client.kind == 'sim':
        assert set_parameter(client, 'kp_lower', 45.0).successful
        assert not set_parameter(client, 'kd_lower', -1.0).successful


def test_emergency_stop_holds_until_reset(client):
    """After an emergency stop the joints stay, commands are refused, and reset leads out.

    Between reset and activation the joints give way, so they are not just where they started.
    """
    client.wait_for(client.send(client.robot.pose('stand'), 1.0), TrajectoryState.REACHED)

    def ask(name):
        service = client.node.create_client(Trigger, f'bridge/{name}')
        client.wait(service.service_is_ready, name)
        return service.call(Trigger.Request(), timeout_sec=PATIENCE)

    assert ask('emergency_stop').success
    client.wait(lambda: client.statuses[-1].mode == BridgeStatus.EMERGENCY_STOP, 'the stop')
    assert not ask('activate').success
    mark = len(client.joints)
    client.wait(lambda: len(client.joints) > mark + 50, 'joint states')
    stand = client.robot.pose('stand')
    assert np.abs(np.array(client.joints[-1].position[:31]) - stand).max() < 0.06
    assert ask('reset').success
    assert ask('activate').success
    client.wait(lambda: client.statuses[-1].mode == BridgeStatus.HOLDING, 'holding')
    start = client.robot.pose(client.robot.start)
    mark = len(client.joints)
    client.wait(lambda: len(client.joints) > mark + 50, 'joint states')
    assert np.abs(np.array(client.joints[-1].position[:31]) - start).max() < 0.3


@pytest.mark.parametrize('with_signal', [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it_cleanly(with_signal):
    """Either signal ends the process with status 0 and nothing on stderr."""
    process = start('sim', 'real_time_factor:=0.0', domain=OTHER_DOMAIN)
    client = Client('sim', process, OTHER_DOMAIN)
    client.wait(lambda: client.clock, 'the clock')
    client.close()
    process.send_signal(with_signal)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert 'Traceback' not in errors


def test_bad_start_says_why():
    """A control period that does not fit the physics step ends the start with both numbers."""
    process = start('sim', 'control_period:=0.0045', domain=OTHER_DOMAIN)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert 'control_period is 0.0045 s; expected a multiple of physics_step 0.001 s' in errors
