"""The nodes of a robot on emulated servos, each on its own, so that one may die alone."""

import os
import subprocess
import threading
import time

import numpy as np
import rclpy
from nav_msgs.msg import Odometry
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState

from softshell_bringup.arguments import EMULATED, parse_arguments
from softshell_bringup.domain import free_domain
from softshell_bringup.nodes import node_starts
from softshell_bringup.runner import command
from softshell_client import Shell
from softshell_common.bridge_mode import BridgeMode
from softshell_common.ros.qos import LATCHED, RECORDED
from softshell_interfaces.msg import BridgeStatus
from softshell_kinematics.errors import SoftshellError

PATIENCE = 60.0  # [s] a safety net, no measure of anything
#: A joint that moves less is at rest [rad/s].
AT_REST = 0.05


def wait_until(holds, what, patience=PATIENCE):
    """Return once something holds."""
    end = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.02)


class LooseStack:
    """The nodes of a robot, nothing that watches over them, and one that listens."""

    def __init__(self, robot='shell'):
        self.domain = free_domain()
        self._values = parse_arguments(
            {'robot': robot, 'bridge': 'hardware', 'wiring': EMULATED, 'log_level': 'warn'}
        )
        self._starts = {node.name: node for node in node_starts(self._values)}
        self.processes = {}
        self.context = Context()
        rclpy.init(context=self.context, domain_id=self.domain)
        self.node = Node('listener', context=self.context)
        self.status = self.odom = self.joints = None
        self.node.create_subscription(BridgeStatus, 'bridge_status', self._on_status, LATCHED)
        for name, kind, topic in (
            ('odom', Odometry, 'ground_truth/odom'),
            ('joints', JointState, 'ground_truth/joint_states'),
        ):
            take = lambda message, name=name: setattr(self, name, message)  # noqa: E731
            self.node.create_subscription(kind, topic, take, RECORDED)
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()
        for name in self._starts:
            self.start(name)
        self.wait_mode(BridgeMode.HOLDING)

    def start(self, name):
        """Start a node."""
        environment = {**os.environ, 'ROS_DOMAIN_ID': str(self.domain)}
        self.processes[name] = subprocess.Popen(command(self._starts[name]), env=environment)

    def client(self):
        """Whoever moves the robot."""
        return Shell(context=self.context)

    def walk(self):
        """Begin to walk in a thread of its own, and return in the middle of a stride."""
        walk = Walk(self)
        wait_until(lambda: self.fastest > 0.5, 'the robot does not walk')
        return walk

    def wait_mode(self, *modes):
        """Wait until the bridge is in one of some modes."""
        wait_until(
            lambda: self.status is not None and BridgeMode(self.status.mode) in modes,
            f'{self.status} is none of {modes}',
        )

    def wait_rest(self):
        """Wait until no joint moves any more, and hold the robot against what it was."""
        rest = [0.0]

        def rests():
            rest[0] = time.monotonic() if self.fastest > AT_REST else rest[0]
            return time.monotonic() - rest[0] > 0.3

        rest[0] = time.monotonic()
        wait_until(rests, f'still moves with {self.fastest} rad/s')
        assert self.tilt < 0.5

    @property
    def fastest(self):
        """Speed of the joint that moves fastest, as the world shows it [rad/s]."""
        return 0.0 if self.joints is None else float(np.abs(self.joints.velocity).max())

    @property
    def tilt(self):
        """Angle between the base and the vertical [rad]."""
        q = self.odom.pose.pose.orientation
        return float(np.arccos(np.clip(1.0 - 2.0 * (q.x**2 + q.y**2), -1.0, 1.0)))

    def close(self):
        """End all nodes."""
        for process in self.processes.values():
            process.kill()
            process.wait()
        self.context.try_shutdown()
        self._thread.join(5.0)

    def _spin(self):
        try:
            self._executor.spin()
        except ExternalShutdownException:
            return

    def _on_status(self, message):
        self.status = message


class Walk:
    """A walk in a thread, and how it ended."""

    def __init__(self, stack):
        self._stack, self.error = stack, None
        self._thread = threading.Thread(target=self._walk, daemon=True)
        self._thread.start()

    def _walk(self):
        with self._stack.client() as robot:
            try:
                robot.perform('walk', distance=3.0)
            except SoftshellError as error:
                self.error = error

    def end(self):
        """The error that the walk ended with."""
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        return self.error
