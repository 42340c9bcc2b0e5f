"""The bridges' own nodes in processes of their own, for the same contract over ROS."""

import os
import signal
import subprocess
import sys

from action_msgs.msg import GoalStatus
from bridge_process import MOCK, PATIENCE, Bridge
from contract_bridges import wiring_file
from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionClient

from softshell_description.load import load_robot
from softshell_hardware.bus.families import FAMILIES
from softshell_sim.physics.engines import ENGINES

ARM = load_robot('arm')
MAIN = 'import sys; from {} import main; sys.exit(main())'
SIM = MAIN.format('softshell_sim.ros.sim_bridge')
HARDWARE = MAIN.format('softshell_hardware.ros.hardware_bridge')
EMULATOR = MAIN.format('softshell_hardware.ros.servo_emulator')
#: Code and parameters of each kind of bridge; for servos, also their family.
NODES = {
    'mock': (MOCK, ('real_time_factor:=2.0',), ''),
    **{f'sim-{name}': (SIM, ('real_time_factor:=2.0', f'engine:={name}'), '') for name in ENGINES},
    **{f'hardware-{name}': (HARDWARE, (), name) for name in FAMILIES},
}


class Stack:
    """A bridge of the arm, and emulated servos where it moves such.

    Args:
        kind: one of NODES.
        domain: of ROS.
        folder: for files.
    """

    def __init__(self, kind, domain, folder):
        self.code, self.parameters, family = NODES[kind]
        self.kind, self.domain, self.lives_on = kind, domain, bool(family)
        self.emulator, self.bridges = None, []
        if family:
            wiring = ('robot:=arm', f'wiring:={wiring_file(ARM, family, folder)}')
            ports = folder / 'ports'
            self.parameters = (*wiring, f'emulated_ports:={ports}', 'use_sim_time:=true')
            self._emulate(*wiring, f'folder:={ports}', 'publish_clock:=true')
        else:
            self.parameters = ('robot:=arm', *self.parameters)
        self.start()

    def _emulate(self, *parameters):
        words = [word for each in parameters for word in ('-p', each)]
        self.emulator = subprocess.Popen(
            [sys.executable, '-c', EMULATOR, '--ros-args', *words],
            env={
                **os.environ,
                'ROS_DOMAIN_ID': str(self.domain),
                'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
            },
        )

    def start(self, *more):
        """A bridge, and a client beside it."""
        bridge = Bridge(*self.parameters, *more, code=self.code, domain=self.domain)
        self.bridges.append(bridge)
        self.client = bridge.client
        self.action = ActionClient(
            self.client.node, FollowJointTrajectory, 'follow_joint_trajectory'
        )

    def kill(self):
        """End the bridge's process without a warning."""
        self.bridges[-1].close(signal.SIGKILL)

    def close(self):
        """End all; the exit status of each process that was asked to end."""
        ends = [bridge.close() for bridge in self.bridges if not bridge.closed]
        if self.emulator is not None:
            self.emulator.send_signal(signal.SIGTERM)
            try:
                ends.append(self.emulator.wait(timeout=PATIENCE))
            finally:
                self.emulator.kill()
        return ends

    def follow(self, goals, duration):
        """Send a goal of the action; returns its handle, once it is taken."""
        self.client.wait(self.action.server_is_ready, 'the action')
        goal = FollowJointTrajectory.Goal(
            trajectory=self.client.trajectory(list(goals), list(goals.values()), duration)
        )
        return self.client.answer(lambda: self.action.send_goal_async(goal), 'acceptance')

    def end_of(self, handle):
        """Whether a goal has succeeded, and its result."""
        response = self.client.answer(handle.get_result_async, 'the end of a goal')
        return response.status == GoalStatus.STATUS_SUCCEEDED, response.result
