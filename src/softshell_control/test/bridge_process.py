"""Bridges in processes of their own, and a client that keeps all that they send."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import rclpy
from builtin_interfaces.msg import Duration
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.srv import SetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from softshell_common.ros.qos import COMMAND, LATCHED
from softshell_interfaces.msg import BridgeStatus, TrajectoryCommand

PATIENCE = 120.0  # [s] of wall time before a test gives up; nothing is measured by it
EVERYTHING = QoSProfile(depth=5000, reliability=ReliabilityPolicy.RELIABLE)
ALL_LATCHED = QoSProfile(
    depth=1000,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
MOCK = 'import sys; from softshell_control.ros.mock_bridge import main; sys.exit(main())'
#: A mock that can be broken by parameter, and tells what parameters it was given.
FRAGILE = """
import sys
from dataclasses import dataclass
from softshell_common.ros.parameters import parameter
from softshell_common.ros.run import run
from softshell_control.mock import MockBackend
from softshell_control.ros.bridge_node import BridgeNode
from softshell_control.ros.bridge_parameters import BridgeParameters
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


class Bridge:
    """A bridge's process, and a client beside it that keeps all that the bridge sends.

    Args:
        parameters: as 'name:=value'.
        code: of the process.
        domain: ROS domain of its own.
        client: kind of the client.
    """

    def __init__(self, *parameters, code=MOCK, domain, client=None):
        self.domain = domain
        arguments = [word for each in parameters for word in ('-p', each)]
        self.process = subprocess.Popen(
            [sys.executable, '-c', code, '--ros-args', *arguments],
            env={
                **os.environ,
                'ROS_DOMAIN_ID': str(domain),
                'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
            },
            stderr=subprocess.PIPE,
            text=True,
        )
        self.errors = []
        self.closed = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.client = (client or Client)(domain, self)

    def _read(self):
        for line in self.process.stderr:
            self.errors.append(line)

    def living(self):
        return self.process.poll() is None

    def close(self, with_signal=signal.SIGTERM):
        """End client and process; returns the exit status."""
        self.closed = True
        self.client.close()
        try:
            if self.living():
                self.process.send_signal(with_signal)
            return self.process.wait(timeout=PATIENCE)
        finally:
            self.process.kill()
            self._reader.join(timeout=PATIENCE)
            self.process.stderr.close()


class Client:
    """Keeps all that a bridge sends, and talks to it."""

    def __init__(self, domain, bridge):
        self.bridge = bridge
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node('tester', context=self.context)
        self.clock, self.joints, self.told_joints, self.statuses = [], [], [], []
        self.diagnostics, self.description = [], []
        self.commands = self.node.create_publisher(
            TrajectoryCommand, 'trajectory_command', COMMAND
        )
        self.bare = self.node.create_publisher(JointTrajectory, 'joint_trajectory', COMMAND)
        self.services = {
            name: self.node.create_client(Trigger, f'bridge/{name}')
            for name in ('activate', 'deactivate', 'clear_fault', 'emergency_stop', 'reset')
        }
        self.parameters = self.node.create_client(SetParameters, 'bridge/set_parameters')
        # Last: a bridge whose latched status has come knows all clients that were made before.
        for kind, topic, kept, quality in self.topics():
            self.node.create_subscription(kind, topic, kept.append, quality)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.closing = threading.Event()
        self.thread = threading.Thread(target=self._spin, daemon=True)
        self.thread.start()

    def topics(self):
        """Type, topic, where its messages are kept, and quality of service, of each."""
        return [
            (Clock, '/clock', self.clock, EVERYTHING),
            (JointState, 'joint_states', self.joints, EVERYTHING),
            (JointState, 'joint_commands', self.told_joints, EVERYTHING),
            (DiagnosticArray, 'diagnostics', self.diagnostics, EVERYTHING),
            (BridgeStatus, 'bridge_status', self.statuses, ALL_LATCHED),
            (String, 'robot_description', self.description, LATCHED),
        ]

    def _spin(self):
        while not self.closing.is_set():
            self.executor.spin_once(timeout_sec=0.1)

    def close(self):
        self.closing.set()
        self.thread.join()
        self.node.destroy_node()
        self.executor.shutdown()
        self.context.try_shutdown()

    def wait(self, condition, what):
        """Until a condition holds; fails when patience or the process ends."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert self.bridge.living(), f'ended waiting for {what}: {"".join(self.bridge.errors)}'
            assert self.thread.is_alive(), f'the client broke down waiting for {what}'
            if time.monotonic() > deadline:
                said = ''.join(self.bridge.errors[-20:])
                heard = [status.mode for status in self.statuses[-5:]]
                pytest.fail(f'waited in vain for {what}; modes were {heard}, it said: {said}')
            time.sleep(0.01)

    def result(self, future, what='an answer'):
        self.wait(future.done, what)
        return future.result()

    def answer(self, ask, what='an answer'):
        """What the future that `ask` returns ends with; for questions of an action's client.

        They are asked in the thread that spins: beside it, an answer may come before rclpy has
        noted what it is for, and is then ignored.
        """
        return self.result(self.result(self.executor.create_task(ask), what), what)

    def unsubscribe(self, subscription):
        """Destroy one in the thread that spins: beside it, rclpy may trip over what is gone."""
        task = self.executor.create_task(self.node.destroy_subscription, subscription)
        self.result(task, 'the end of a subscription')

    def call(self, name):
        """Call one of the Trigger services."""
        service = self.services[name]
        self.wait(lambda: self.statuses and service.service_is_ready(), name)
        return self.result(service.call_async(Trigger.Request()), name)

    def ask_parameters(self, **values):
        """Ask for live parameters; returns the future."""
        ready = self.parameters.service_is_ready
        self.wait(lambda: self.statuses and ready(), 'the parameter service')
        wanted = [Parameter(name, value=value) for name, value in values.items()]
        request = SetParameters.Request(parameters=[each.to_parameter_msg() for each in wanted])
        return self.parameters.call_async(request)

    @staticmethod
    def trajectory(names, values, duration):
        """A message of one point; duration in [s]."""
        seconds, rest = divmod(round(duration * 1e9), 10**9)
        point = JointTrajectoryPoint(
            positions=list(map(float, values)), time_from_start=Duration(sec=seconds, nanosec=rest)
        )
        return JointTrajectory(joint_names=list(names), points=[point])

    def send(self, names, values, duration=0.5, queue=False, sender='tester'):
        """Send a trajectory_command of one point; returns its id."""
        self.wait(self.commands.get_subscription_count, 'the bridge')
        message = TrajectoryCommand(sender=sender, queue=queue)
        message.id.uuid = list(os.urandom(16))
        message.trajectory = self.trajectory(names, values, duration)
        self.commands.publish(message)
        return bytes(message.id.uuid)

    def told(self, number):
        """The statuses that tell of a trajectory."""
        return [s for s in list(self.statuses) if bytes(s.trajectory.id.uuid) == number]

    def states(self, number):
        """States of a trajectory, in order, each once."""
        states = [status.trajectory.state for status in self.told(number)]
        return [b for a, b in zip([None, *states], states, strict=False) if a != b]

    def wait_for(self, number, state):
        """The first status that tells of this state of a trajectory."""
        self.wait(lambda: state in self.states(number), f'state {state} of a trajectory')
        return next(s for s in self.told(number) if s.trajectory.state == state)

    def wait_mode(self, mode):
        self.wait(lambda: self.statuses and self.statuses[-1].mode == mode, f'mode {mode}')

    def position(self):
        """The newest joint positions, by name."""
        self.wait(lambda: self.joints, 'joint states')
        message = self.joints[-1]
        return dict(zip(message.name, message.position, strict=True))


def starter(domains):
    """Generates a function that starts bridges, and ends them all by SIGTERM, cleanly.

    The function returns the client of the bridge it has started.
    """
    started = []

    def make(*parameters, **more):
        started.append(Bridge(*parameters, domain=domains(), **more))
        return started[-1].client

    yield make
    living = [bridge for bridge in started if not bridge.closed]
    ends = [bridge.close() for bridge in living]
    assert set(ends) <= {0}
    assert not any('Traceback' in line for bridge in living for line in bridge.errors)
