"""A bridge of your own: motors that lag behind their commands, driven by the whole stack.

Run: .venv/bin/python examples/08_bridge.py
"""

from dataclasses import replace
from threading import Thread

import numpy as np
import rclpy
from rclpy.parameter import Parameter

from softshell_bringup.nodes import NODES
from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_control.backend import Backend, Measured
from softshell_control.ros.bridge_node import BridgeNode


class LaggingMotors(Backend):
    """Joints that follow their commands with a time constant of 50 ms."""

    name = 'lagging'
    owns_time = True  # its steps are the clock of the stack

    def __init__(self, robot, parameters):
        self.part = 1.0 - np.exp(-parameters.control_period / 0.05)
        self.measured = Measured.zero(len(robot.joints), len(robot.joints))
        self.measured.position[:] = self.measured.channels[:] = robot.pose(robot.start)

    def reset(self):
        return self.measured

    activate = reset  # at rest where the joints are

    def step(self, now, command):
        if command is not None:  # goals of the joints, already limited by the safety gate
            self.measured.position += self.part * (command.value - self.measured.position)
            self.measured.channels[:] = self.measured.position
        self.measured.stamp = now
        return self.measured

    def stop(self, policy):
        """Nothing to do: the joints move only when there is a command."""


rows = tuple(replace(row, external=row.name == 'bridge') for row in NODES)  # started below
with Stack({'robot': 'arm', 'bridge': 'mock'}, rows=rows) as stack:
    rclpy.init()
    bridge = BridgeNode(LaggingMotors, parameter_overrides=[Parameter('robot', value='arm')])
    thread = Thread(target=rclpy.spin, args=(bridge,), daemon=True)
    thread.start()
    stack.wait_ready()
    with Shell() as arm:
        took = arm.perform('draw')
        print(f'{arm.bridge().bridge} motors drew a rectangle in {took:.1f} s')
bridge.close()
rclpy.shutdown()
thread.join()
