"""The kinematics node in a process of its own, and a client beside it."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time

import rclpy
from rcl_interfaces.srv import SetParameters
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.parameter import Parameter
from std_msgs.msg import String

from softshell_common.ros.qos import LATCHED
from softshell_interfaces.msg import JointPath
from softshell_interfaces.srv import SolveFK, SolveIK

LOST = 'client will not receive response'
PATIENCE = 180.0  # [s] of wall time: solvers may have to be compiled; nothing is measured by it
NODE = (
    'import sys; from softshell_kinematics_ros.ros.kinematics_node import main; sys.exit(main())'
)


class Running:
    """A node's process, and a client beside it.

    Args:
        folder: where the file of parameters is written.
        domain: ROS domain of its own.
        parameters: of the node.
    """

    def __init__(self, folder, domain, **parameters):
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

    def begin(self, kind, name, request):
        """Call a service once it is there; the future of its answer."""
        if name not in self.clients:
            self.clients[name] = self.node.create_client(kind, name)
        client = self.clients[name]
        self.wait(client.service_is_ready, name)
        return client.call_async(request)

    def call(self, kind, name, request):
        """Call a service once it is there, and wait for its answer.

        A server that has not found the client yet after 0.1 s drops its answer, and ROS says so on
        the console (rclcpp issue 2760); then it is asked again.
        """
        future, lost = self.begin(kind, name, request), self.output.count(LOST)

        def answered():
            nonlocal future, lost
            if self.output.count(LOST) > lost:
                future, lost = self.begin(kind, name, request), self.output.count(LOST)
            return future.done()

        self.wait(answered, f'an answer of {name}')
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
