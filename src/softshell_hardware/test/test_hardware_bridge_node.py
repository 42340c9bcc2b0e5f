"""The bridge to servos as a node: IMU of any driver, odometry, restart of a servo, live speed."""

import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from hardware_rig import wiring_text
from nav_msgs.msg import Odometry
from rcl_interfaces.srv import SetParameters
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import Imu
from std_srvs.srv import Trigger

from softshell_common.bridge_mode import BridgeMode
from softshell_common.ros.qos import LATCHED, STATE
from softshell_description.load import load_robot
from softshell_hardware.emulator.robot import EmulatedRobot
from softshell_hardware.wiring.config import load_hardware
from softshell_interfaces.msg import BridgeStatus
from softshell_interfaces.srv import InjectFault, RebootServo
from softshell_kinematics.transforms import rotation_about, transform

PATIENCE = 60.0  # [s] a safety net, no measure of anything
PROGRAM = 'import sys; from softshell_hardware.main import {0}; sys.exit({0}())'


class Nodes:
    """The bridge and the emulator of a robot as processes, and a node that talks to them."""

    def __init__(self, folder, domain, robot='quadruped'):
        self._processes = []
        environment_folder = folder / 'ports'
        for name, parameters in (
            ('servo_emulator', {'folder': environment_folder, 'publish_clock': True,
                                'physics': True}),
            ('hardware_bridge', {'emulated_ports': environment_folder, 'use_sim_time': True}),
        ):  # fmt: skip
            words = ['--ros-args', '-p', f'robot:={robot}']
            for key, value in parameters.items():
                text = str(value).lower() if isinstance(value, bool) else str(value)
                words += ['-p', f'{key}:={text}']
            self._processes.append(
                subprocess.Popen([sys.executable, '-c', PROGRAM.format(name), *words])
            )
        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = Node('tester', context=self.context)
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)
        self.status = self.odom = self.first = None
        self.node.create_subscription(BridgeStatus, 'bridge_status', self._on_status, LATCHED)
        self.node.create_subscription(Odometry, 'odom', self._on_odom, STATE)

    def until(self, holds, what):
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, what
            self._executor.spin_once(timeout_sec=0.05)

    def wait_mode(self, mode):
        self.until(lambda: self.status and self.status.mode == mode.value, f'{mode} never came')

    def ask(self, kind, name, **fields):
        client = self.node.create_client(kind, name)
        self.until(client.service_is_ready, name)
        answer = client.call_async(kind.Request(**fields))
        self.until(answer.done, f'no answer of {name}')
        return answer.result()

    def close(self):
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            assert process.wait(PATIENCE) == 0
        self.context.try_shutdown()

    def _on_status(self, message):
        self.first, self.status = self.first or message, message

    def _on_odom(self, message):
        self.odom = message


@pytest.fixture
def nodes(tmp_path, family, domains, monkeypatch):
    domain = domains()
    monkeypatch.setenv('ROS_DOMAIN_ID', str(domain))
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    made = Nodes(tmp_path, domain)
    made.wait_mode(BridgeMode.HOLDING)
    yield made
    made.close()


def test_a_robot_on_emulated_servos(nodes):
    """Odometry comes from its IMU; a servo that let go is restarted; its speed is set live."""
    nodes.until(lambda: nodes.odom is not None, 'no odometry')
    assert np.isfinite(nodes.odom.pose.pose.position.z)
    assert nodes.odom.pose.covariance[0] > 0.0
    answer = nodes.ask(
        SetParameters, '/bridge/set_parameters',
        parameters=[Parameter('speed', value=0.2).to_parameter_msg(),
                    Parameter('speed', value=2.0).to_parameter_msg()],
    )  # fmt: skip
    assert [result.successful for result in answer.results] == [True, False]
    answer = nodes.ask(
        InjectFault, '/servo_emulator/inject', where='front_left_hip', fault='overload', value=''
    )
    assert answer.success, answer.message
    nodes.wait_mode(BridgeMode.FAULT)
    assert 'front_left_hip' in nodes.status.reasons[0]
    answer = nodes.ask(RebootServo, '/bridge/reboot_servo', joint='front_left_hips')
    assert not answer.success
    assert 'front_left_hip' in answer.message
    answer = nodes.ask(RebootServo, '/bridge/reboot_servo', joint='front_left_hip')
    assert answer.success, answer.message
    assert nodes.ask(Trigger, '/bridge/clear_fault').success
    nodes.until(lambda: nodes.ask(Trigger, '/bridge/activate').success, 'not activated')
    nodes.wait_mode(BridgeMode.HOLDING)
    answer = nodes.ask(
        InjectFault, '/servo_emulator/inject', where='front_left_hip', fault='hot', value='1'
    )
    assert not answer.success
    assert 'heating' in answer.message


def test_who_waits_for_a_status_finds_the_joints_driven(nodes):
    """The bridge is not ready while it switches the servos on, which takes a while."""
    assert nodes.first.mode == BridgeMode.HOLDING.value


@pytest.mark.long
def test_a_slow_computer_reads_emulated_servos_as_often(nodes):
    """Answers are so late that few come in a period by the wall: time waits for the others."""
    seen = []

    def note(message):
        values = {each.key: each.value for each in message.status[0].values}
        if 'body: readings' in values:
            seen.append((int(values['body: readings']), int(values['steps']), values))

    nodes.node.create_subscription(DiagnosticArray, 'diagnostics', note, STATE)
    answer = nodes.ask(
        InjectFault, '/servo_emulator/inject', where='body', fault='late', value='0.006'
    )
    assert answer.success, answer.message
    seen.clear()
    nodes.until(lambda: len(seen) > 4, 'no diagnostics')
    (first, _, _), *later = seen
    last, _, values = seen[-1]
    periods = float(values['body: read cycle'].removesuffix(' ms')) / 20.0
    stated = len(load_robot('quadruped').joints) / periods
    assert (last - first) / sum(steps for _, steps, _ in later) > 0.9 * stated
    assert nodes.status.mode == BridgeMode.HOLDING.value


def test_an_imu_of_any_driver_is_turned_into_the_bases_frame(family):
    """Fixed to the base by the URDF: rates turn with it; what is no orientation is left out.

    What it states of its noise is taken.
    """
    from softshell_hardware.ros.imu_input import ImuInput

    context = Context()
    rclpy.init(context=context)
    node = Node('listener', context=context)
    quarter = transform(rotation_about([0.0, 0.0, 1.0], np.pi / 2.0))
    robot = SimpleNamespace(
        base=SimpleNamespace(link='base'),
        urdf=SimpleNamespace(bodies={'base': ('base', np.eye(4)), 'imu': ('base', quarter)}),
    )
    now = [0]
    imu = ImuInput(node, robot, 'imu/data', lambda: now[0])
    assert imu.latest() is None
    message = Imu()
    message.header.frame_id = 'imu'
    # Mounted a quarter turn to the left of a base that looks along x.
    message.orientation.z = message.orientation.w = np.sqrt(0.5)
    message.angular_velocity.x = 0.5
    message.linear_acceleration.y = 2.0
    imu._take(message)
    sample = imu.latest()
    assert sample.orientation == pytest.approx([0.0, 0.0, 0.0, 1.0])
    assert sample.angular_velocity == pytest.approx([0.0, 0.5, 0.0])
    assert sample.linear_acceleration == pytest.approx([-2.0, 0.0, 0.0])
    assert sample.deviations == (0.0, 0.0, 0.0)  # covariances of zeros: not known
    message.orientation_covariance[[0, 4, 8]] = 0.01, 0.02, 0.03
    message.angular_velocity_covariance[[0, 4, 8]] = 4.0
    message.linear_acceleration_covariance[[0, 4, 8]] = np.nan
    imu._take(message)
    assert imu.latest().deviations == pytest.approx((np.sqrt(0.02), 2.0, 0.0))
    message.orientation.w = 0.1
    message.angular_velocity.x = 0.7
    imu._take(message)
    message.orientation.w = np.sqrt(0.5)
    message.orientation_covariance[0] = -1.0  # a driver that knows no orientation says so
    imu._take(message)
    assert imu.latest().angular_velocity[1] == pytest.approx(0.5)
    message.orientation_covariance[0] = 0.0
    message.linear_acceleration_covariance[0] = -1.0
    message.linear_acceleration.y = np.nan  # whatever it writes there
    imu._take(message)
    assert np.isnan(imu.latest().linear_acceleration).all()
    assert np.isfinite(imu.latest().angular_velocity).all()
    message.angular_velocity_covariance[0] = -1.0
    imu._take(message)
    assert np.isnan(imu.latest().angular_velocity).all()
    # A driver that has died: its last message ages until it counts as none.
    for now[0], age in ((300_000_000, 0.3), (500_000_000, 0.5), (500_000_001, None), (-1, None)):
        latest = imu.latest()
        assert latest is None if age is None else latest.age == pytest.approx(age)
    node.destroy_node()
    context.try_shutdown()


def test_a_port_that_is_not_there_ends_the_bridge_with_one_line(tmp_path, family):
    """What is missing, and what to look for; status 1."""
    path = tmp_path / 'wiring.yaml'
    text = wiring_text(load_robot('arm'), 'ax')
    path.write_text(text.replace('family: ax', f'family: ax, port: {tmp_path}/ttyUSB9'))
    run = subprocess.run(
        [sys.executable, '-c', PROGRAM.format('hardware_bridge'), '--ros-args', '-p', 'robot:=arm',
         '-p', f'wiring:={path}'],
        capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert run.returncode == 1
    assert f'port {tmp_path}/ttyUSB9: there is no such device; is the adapter plugged in?' in (
        run.stderr
    )
    assert 'Traceback' not in run.stderr


def test_a_wiring_with_a_calibration_drives_a_port_by_wall_time(tmp_path, family):
    """Without emulated ports and without /clock, as with real servos."""
    robot = load_robot('arm')
    path = tmp_path / 'wiring.yaml'
    path.write_text(wiring_text(robot, 'x'))
    with EmulatedRobot(robot, load_hardware(robot, path), physics=False, folder=tmp_path):
        path.write_text(
            path.read_text().replace('family: x', f'family: x, port: {tmp_path}/body, slack: 1.0')
        )
        process = subprocess.Popen(
            [sys.executable, '-c', PROGRAM.format('hardware_bridge'), '--ros-args', '-p',
             'robot:=arm', '-p', f'wiring:={path}'],
        )  # fmt: skip
        context = Context()
        rclpy.init(context=context)
        node = Node('tester', context=context)
        modes = []
        node.create_subscription(
            BridgeStatus, 'bridge_status', lambda status: modes.append(status.mode), LATCHED
        )
        end = time.monotonic() + PATIENCE
        while BridgeMode.HOLDING.value not in modes and time.monotonic() < end:
            _spin(node)
        process.terminate()
        assert process.wait(PATIENCE) == 0
        node.destroy_node()
        context.try_shutdown()
    assert BridgeMode.HOLDING.value in modes


def _spin(node):
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    executor.spin_once(timeout_sec=0.1)
    executor.remove_node(node)
