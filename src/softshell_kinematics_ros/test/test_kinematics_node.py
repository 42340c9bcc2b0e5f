"""The node in a process of its own, with robots that it has never seen."""

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from itertools import count

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')
pytest.importorskip('softshell_interfaces.srv', reason='the workspace is not built')

import rclpy
from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.parameter import Parameter
from std_msgs.msg import String

from softshell_common.ros.qos import LATCHED
from softshell_interfaces.msg import JointPath, LimbPath
from softshell_interfaces.srv import SolveFK, SolveIK
from softshell_kinematics.examples import ARM7, GANTRY
from softshell_kinematics.solution import IkOptions

PATIENCE = 180.0  # [s] of wall time: solvers may have to be compiled; nothing is measured by it
NODE = 'import sys; from softshell_kinematics_ros.kinematics_node import main; sys.exit(main())'
#: Others count from 1 on by their process; no two nodes of this session share one.
DOMAINS = (1 + (os.getpid() + 7 * number + 5) % 100 for number in count())
ARM7_REST = {'j1': 0.2, 'j2': 0.3, 'j3': -0.4, 'j4': -1.5, 'j5': 0.1, 'j6': 1.6, 'j7': 0.3}


class Running:
    """A node's process, and a client beside it.

    Args:
        folder: where the file of parameters is written.
        parameters: of the node.
    """

    def __init__(self, folder, **parameters):
        domain = next(DOMAINS)
        path = folder / 'parameters.yaml'
        # JSON is YAML as well, and needs no care with the text of a URDF.
        path.write_text(json.dumps({'/**': {'ros__parameters': parameters}}))
        self.process = subprocess.Popen(
            [sys.executable, '-c', NODE, '--ros-args', '--params-file', str(path)],
            env={
                **os.environ,
                'ROS_DOMAIN_ID': str(domain),
                'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node('tester', context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.clients = {}
        self.descriptions = self.node.create_publisher(String, 'robot_description', LATCHED)

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line)

    @property
    def output(self):
        """All that the process has written so far."""
        return ''.join(self.lines)

    def wait(self, condition, what):
        """Until a condition holds; fails when patience or the process ends."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert self.process.poll() is None, f'ended waiting for {what}: {self.output}'
            assert time.monotonic() < deadline, f'waited in vain for {what}: {self.output}'
            self.executor.spin_once(timeout_sec=0.05)

    def says(self, text):
        """Wait until the process writes a text."""
        self.wait(lambda: text in self.output, repr(text))

    def call(self, kind, name, request):
        """Call a service once it is there."""
        if name not in self.clients:
            self.clients[name] = self.node.create_client(kind, name)
        client = self.clients[name]
        self.wait(client.service_is_ready, name)
        future = client.call_async(request)
        self.wait(future.done, f'an answer of {name}')
        return future.result()

    def fk(self, **positions):
        """The pose of each chain's tip, by chain, with joints not named at 0."""
        joints = [JointPath(name=name, position=[value]) for name, value in positions.items()]
        answer = self.call(SolveFK, 'solve_fk', SolveFK.Request(joints=joints))
        assert answer.status == SolveFK.Response.OK, answer.message
        return {limb.chain: limb for limb in answer.limbs}

    def ik(self, goal, frame='', **more):
        """Solve one chain's goal of a whole pose."""
        request = SolveIK.Request(limbs=[goal], **more)
        request.header.frame_id = frame
        return self.call(SolveIK, 'solve_ik', request)

    def set(self, **values):
        """Set live parameters; whether each was accepted."""
        wanted = [Parameter(name, value=value) for name, value in values.items()]
        request = SetParameters.Request(parameters=[each.to_parameter_msg() for each in wanted])
        answer = self.call(SetParameters, 'kinematics/set_parameters', request)
        return [result.successful for result in answer.results]

    def close(self):
        """End client and process; the exit status."""
        try:
            with contextlib.suppress(ExternalShutdownException):
                self.node.destroy_node()
            self.context.try_shutdown()
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGTERM)
            return self.process.wait(timeout=60.0)
        finally:
            self.process.kill()
            self.process.wait()
            self._reader.join(timeout=10.0)
            self.process.stdout.close()


@pytest.fixture
def start(tmp_path):
    """Starts nodes; all end with the test, cleanly if they still live."""
    started = []

    def make(**parameters):
        started.append(Running(tmp_path, **parameters))
        return started[-1]

    yield make
    living = [each for each in started if each.process.poll() is None]
    ends = [each.close() for each in started]
    assert all(each.process.returncode == 0 for each in living), ends
    assert not any('Traceback' in each.output for each in started)


def test_a_foreign_robot_is_served_by_its_description_alone(start):
    """Without `chains` each leaf is a chain; IK finds what FK shows, also from a fixed link."""
    # A plate on the base, turned and moved, and nothing that moves it.
    plate = (
        '<link name="plate"/><joint name="screws" type="fixed"><parent link="base"/>'
        '<child link="plate"/><origin xyz="0.1 -0.2 0.3" rpy="0 0 1.5707963267948966"/></joint>'
    )
    node = start(robot_description=ARM7.replace('</robot>', f'{plate}</robot>'))
    tips = node.fk(**ARM7_REST)
    assert list(tips) == ['hand']
    answer = node.ik(tips['hand'])
    assert answer.status == SolveIK.Response.OK, answer.message
    assert answer.all_converged
    found = {joint.name: joint.position[0] for joint in answer.solutions[0].joints}
    assert set(found) == set(ARM7_REST)
    reached = node.fk(**found)['hand']
    for axis in ('x', 'y', 'z'):
        np.testing.assert_allclose(getattr(reached, axis), getattr(tips['hand'], axis), atol=2e-8)

    # The same place, seen from the plate: p = Rz(90°)ᵀ (x - 0.1, y + 0.2, z - 0.3).
    x, y, z = (getattr(tips['hand'], axis)[0] for axis in ('x', 'y', 'z'))
    goal = LimbPath(
        chain='hand', x=[y + 0.2], y=[0.1 - x], z=[z - 0.3], free=[False] * 3 + [True] * 3
    )
    answer = node.ik(goal, 'plate')
    assert answer.all_converged
    found = {joint.name: joint.position[0] for joint in answer.solutions[0].joints}
    reached = node.fk(**found)['hand']
    np.testing.assert_allclose((reached.x[0], reached.y[0], reached.z[0]), (x, y, z), atol=2e-8)
    refused = node.ik(goal, 'l3')
    assert refused.status == SolveIK.Response.UNKNOWN_FRAME
    assert 'known: base, plate' in refused.message


def test_live_parameters_take_effect_and_the_node_lives_on(start):
    """One step from one seed is not enough, the default is; out of range is refused."""
    node = start(robot_description=ARM7)
    goal = node.fk(**ARM7_REST)['hand']
    assert node.ik(goal).all_converged
    assert node.set(max_iterations=1, restarts=0) == [True, True]
    answer = node.ik(goal)
    assert answer.status == SolveIK.Response.OK
    assert not answer.all_converged
    assert node.set(tolerance=-1.0, restarts=-1) == [False, False]
    assert node.set(max_iterations=IkOptions.max_iterations, restarts=IkOptions.restarts) == [
        True,
        True,
    ]
    assert node.ik(goal).all_converged


def test_the_parameters_defaults_are_those_of_the_library(start):
    """What stands in `IkOptions` is what the node answers."""
    node = start(robot_description=ARM7)
    names = ['tolerance', 'max_iterations', 'restarts', 'position_weight', 'rotation_weight']
    request = GetParameters.Request(names=names)
    answer = node.call(GetParameters, 'kinematics/get_parameters', request)
    double = ParameterType.PARAMETER_DOUBLE
    numbers = [
        value.double_value if value.type == double else value.integer_value
        for value in answer.values
    ]
    assert numbers == [getattr(IkOptions, name) for name in names]


def test_a_robot_comes_and_another_takes_its_place(start):
    """From the latched topic; a description that is none, or moves nothing, changes nothing."""
    node = start()
    node.says('solvers ready')
    node.descriptions.publish(String(data='<robot name="torn"'))
    node.says('robot_description is refused: URDF is not XML')
    node.descriptions.publish(String(data=ARM7))
    assert list(node.fk()) == ['hand']
    goal = node.fk(**ARM7_REST)['hand']
    node.descriptions.publish(String(data='<robot name="rock"><link name="rock"/></robot>'))
    node.says("robot_description is refused: robot 'rock' has no chain")
    assert node.ik(goal).all_converged

    node.descriptions.publish(String(data=GANTRY))
    node.says('gantry: ')
    tips = node.fk(rail=0.1, lift=0.2, turn=0.3, bend=0.4)
    assert list(tips) == ['tool', 'marker']
    tool = tips['tool']
    tool.free = [False] * 3 + [True] * 3
    tool.yaw, tool.pitch, tool.roll = [], [], []
    answer = node.ik(tool)
    assert answer.all_converged
    assert [joint.name for joint in answer.solutions[0].joints] == ['rail', 'lift', 'turn', 'bend']
    refused = node.ik(goal)
    assert refused.status == SolveIK.Response.UNKNOWN_CHAIN
    assert refused.message == "unknown chain 'hand'; known: marker, tool"
    assert all(math.isfinite(value) for value in (*answer.solutions[0].residual, tool.x[0]))


WRONG = 'arm base hand, arm base l3, base hand, x base foot'


@pytest.mark.parametrize('robot', [ARM7, ''], ids=['robot', 'no robot'])
def test_chains_that_are_none_are_refused_at_start_all_at_once(start, robot):
    """The process ends with every problem; without a robot at least the form is judged."""
    node = start(robot_description=robot, chains=WRONG)
    assert node.process.wait(timeout=PATIENCE) == 1
    node.close()
    assert 'error: parameter chains: ' in node.output
    assert "chain 'arm' is given twice" in node.output
    assert "'base hand' is no chain; expected NAME BASE TIP" in node.output
    assert ("chain 'x': unknown link 'foot'" in node.output) == bool(robot)
