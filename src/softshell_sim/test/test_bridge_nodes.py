"""Shell's mock and simulation as ROS nodes, each in a process of its own."""

import signal
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')

from nav_msgs.msg import Odometry
from sensor_msgs.msg import Imu

from softshell_control.channel import limits_of
from softshell_description.load import load_robot
from softshell_interfaces.msg import BridgeStatus, FootContacts, TrajectoryState
from softshell_sim.physics.engines import default_engine

sys.path.insert(0, str(Path(__file__).parents[2] / 'softshell_control/test'))
from bridge_process import EVERYTHING, MOCK, PATIENCE, Bridge, Client, nanoseconds, starter

SIM = 'import sys; from softshell_sim.ros.sim_bridge import main; sys.exit(main())'
CODES = {'mock': MOCK, 'sim': SIM}
SHELL = load_robot()
NAMES = SHELL.joint_names
TOLERANCES = limits_of(SHELL).tolerance


class SimClient(Client):
    """Keeps what only a simulation measures, too."""

    def topics(self):
        self.odometry, self.imu, self.contacts, self.estimates = [], [], [], []
        return [
            *super().topics(),
            (Odometry, 'odom', self.odometry, EVERYTHING),
            (Odometry, 'odom_estimated', self.estimates, EVERYTHING),
            (Imu, 'imu', self.imu, EVERYTHING),
            (FootContacts, 'foot_contacts', self.contacts, EVERYTHING),
        ]

    def further(self, count, *kinds):
        """Wait for so many further messages of each of these lists."""
        marks = [(kept, len(kept) + count) for kept in kinds or (self.joints,)]
        self.wait(lambda: all(len(kept) > mark for kept, mark in marks), 'further messages')

    def joints_after(self, message):
        """Wait for the joints as they are after a message of another topic."""
        after = nanoseconds(message.header.stamp)
        self.wait(lambda: nanoseconds(self.joints[-1].header.stamp) > after, 'joint states')

    def joint_errors(self, goal):
        """Distances of the newest positions of the commanded joints from a goal [rad]."""
        return np.abs(np.array(self.joints[-1].position[:31]) - goal)


@pytest.mark.long
def test_an_interrupt_ends_it_cleanly(domains):
    """SIGINT ends the simulation with status 0 and no traceback, as SIGTERM ends all others."""
    bridge = Bridge('real_time_factor:=0.0', code=SIM, domain=domains())
    bridge.client.wait(lambda: bridge.client.clock, 'the clock')
    assert bridge.close(signal.SIGINT) == 0
    assert 'Traceback' not in ''.join(bridge.errors)


def test_bad_start_says_why(domains):
    """A robot that there is not ends the start with those that there are."""
    bridge = Bridge('robot:=nobody', code=SIM, domain=domains())
    assert bridge.process.wait(timeout=PATIENCE) == 1
    bridge.close()
    errors = ''.join(bridge.errors)
    assert "unknown robot 'nobody'; known: arm, finger, hand, quadruped, shell" in errors


@pytest.fixture(scope='module', params=[pytest.param('mock', marks=pytest.mark.long), 'sim'])
def client(request, module_domains):
    """A bridge that is driven from the start; it ends, cleanly, before the next begins."""
    with contextmanager(starter)(module_domains) as start:
        client = start('real_time_factor:=2.0', code=CODES[request.param], client=SimClient)
        client.kind = request.param
        client.wait_mode(BridgeStatus.HOLDING)
        client.wait(lambda: client.joints, 'joint states')
        yield client


def test_trajectory_is_reached(client):
    """A trajectory is accepted, then reached at its end; the joints are where it ends."""
    goal = SHELL.pose('stand')
    name = client.send(NAMES, goal, 1.5)
    reached = client.wait_for(name, TrajectoryState.REACHED)
    accepted = client.wait_for(name, TrajectoryState.ACTIVE)
    states = [state for state in client.states(name) if state != TrajectoryState.WAITING]
    assert states == [TrajectoryState.ACTIVE, TrajectoryState.REACHED]
    assert accepted.mode == BridgeStatus.EXECUTING
    assert reached.bridge == client.kind
    assert reached.trajectory.error <= TOLERANCES.max()
    taken = nanoseconds(reached.header.stamp) - nanoseconds(accepted.header.stamp)
    assert taken + 8e6 >= 1.5e9
    client.joints_after(reached)
    assert (client.joint_errors(goal) < TOLERANCES).all()


def test_bad_trajectory_is_rejected_with_the_reason(client):
    """NaN is refused whole, by name; the joints stay where they are."""
    before = np.array(client.joints[-1].position)
    name = client.send(['lower_0_yaw', 'lower_0_knee'], [0.1, float('nan')])
    (reason,) = client.wait_for(name, TrajectoryState.REJECTED).trajectory.reasons
    assert "'lower_0_knee' is nan; expected a finite number" in reason
    client.further(50)
    assert np.abs(np.array(client.joints[-1].position) - before).max() < 0.02


def test_mimic_joint_cannot_be_commanded(client):
    """A joint that follows the fold is unknown to commands."""
    name = client.send(['lower_0_fold'], [-0.1])
    (reason,) = client.wait_for(name, TrajectoryState.REJECTED).trajectory.reasons
    assert "'lower_0_fold'" in reason
    assert 'known: fold, lower_0_yaw' in reason


def test_queue_hands_over_in_one_tick(client):
    """The end of the first and the beginning of the queued one carry the same time."""
    stand = SHELL.pose('stand')
    first = client.send(NAMES, stand, 6.0)  # however late the second one is
    client.wait_for(first, TrajectoryState.ACTIVE)
    second = client.send(NAMES, stand, 0.5, queue=True)
    reached = client.wait_for(first, TrajectoryState.REACHED)
    begun = client.wait_for(second, TrajectoryState.ACTIVE)
    assert nanoseconds(begun.header.stamp) == nanoseconds(reached.header.stamp)
    client.wait_for(second, TrajectoryState.REACHED)
    client.wait_mode(BridgeStatus.HOLDING)


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
    assert tuple(joints.name[:31]) == SHELL.joint_names
    assert joints.name[31:] == [f'lower_{k}_fold' for k in range(6)]
    assert len(joints.position) == len(joints.velocity) == len(joints.effort) == 37
    assert '<robot' in client.description[-1].data


def test_simulation_measures_base_and_feet(client):
    """A level base at rest with gravity in the IMU, and feet that carry it; the mock has none."""
    if client.kind == 'mock':
        assert not client.odometry
        assert not client.estimates
        assert not client.imu
        assert not client.contacts
        return
    client.wait_for(client.send(NAMES, SHELL.pose('stand'), 1.0), TrajectoryState.REACHED)
    client.further(50, client.imu, client.contacts, client.estimates)
    estimate = client.estimates[-1].pose
    for axis in 'xyz':
        truth = getattr(client.odometry[-1].pose.pose.position, axis)
        assert getattr(estimate.pose.position, axis) == pytest.approx(truth, abs=0.02)
    assert 0.0 < estimate.covariance[0] < 0.02**2
    odometry, imu, feet = client.odometry[-1], client.imu[-1], client.contacts[-1].feet
    assert (odometry.header.frame_id, odometry.child_frame_id) == ('odom', 'base_link')
    assert odometry.pose.pose.orientation.w == pytest.approx(1.0, abs=0.01)
    assert imu.linear_acceleration.z == pytest.approx(9.81, abs=0.5)
    assert [foot.foot for foot in feet] == list(SHELL.legs.feet)
    assert all(foot.touching for foot in feet)
    assert sum(foot.force.z for foot in feet) == pytest.approx(3.497 * 9.81, rel=0.05)


def test_reports_its_pace(client):
    """Diagnostics come without being asked, with the achieved real-time factor and jitter."""
    client.wait(lambda: client.diagnostics, 'diagnostics')
    values = {v.key: v.value for v in client.diagnostics[-1].status[0].values}
    assert float(values['real_time_factor']) > 0.0
    if client.kind == 'sim':
        assert values['engine'] == default_engine()
        assert 'limited to' in values['limited kd']
    assert set(values) >= {'jitter_rms_ms', 'jitter_max_ms', 'step_work_ms'}


def test_parameters_are_guarded(client):
    """What is live can be set, nonsense and what is fixed cannot, and the answer says why."""

    def set_one(**value):
        return client.result(client.ask_parameters(**value)).results[0]

    assert set_one(real_time_factor=2.5).successful
    assert not set_one(real_time_factor=-1.0).successful
    refused = set_one(control_period=0.01)
    assert not refused.successful
    assert 'control_period' in refused.reason
    if client.kind == 'sim':
        assert set_one(kp_lower=45.0).successful
        assert not set_one(kd_lower=-1.0).successful


def test_emergency_stop_holds_until_reset(client):
    """After an emergency stop the joints stay, commands are refused, and reset leads out.

    A reset begins at the start pose; until activation the joints give way, and then they hold.
    """
    client.wait_for(client.send(NAMES, SHELL.pose('stand'), 1.0), TrajectoryState.REACHED)
    assert client.call('emergency_stop').success
    client.wait_mode(BridgeStatus.EMERGENCY_STOP)
    assert not client.call('activate').success
    client.joints_after(client.statuses[-1])
    client.further(50)
    assert client.joint_errors(SHELL.pose('stand')).max() < 0.06
    assert client.call('reset').success
    client.wait_mode(BridgeStatus.INACTIVE)
    client.joints_after(client.statuses[-1])
    modes = [status.mode for status in client.statuses]
    last = len(modes) - 1 - modes[::-1].index(BridgeStatus.EMERGENCY_STOP)
    reset = nanoseconds(client.statuses[last + 1].header.stamp)
    first = next(each for each in client.joints if nanoseconds(each.header.stamp) > reset)
    assert np.abs(np.array(first.position[:31]) - SHELL.pose(SHELL.start)).max() < 0.3
    assert client.call('activate').success
    client.wait_mode(BridgeStatus.HOLDING)
    client.joints_after(client.statuses[-1])
    held = np.array(client.joints[-1].position[:31])
    client.further(50)
    assert client.joint_errors(held).max() < 0.06
