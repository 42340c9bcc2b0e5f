"""A controller of your own, without ROS: it levels the base of a robot that stands on a slope.

Run: .venv/bin/python examples/30_controller.py
"""

import numpy as np

from softshell_control.controller import Controller, Reference
from softshell_kinematics import chain_from_urdf
from softshell_kinematics.transforms import rotation_from_quaternion
from softshell_sim.scenes.scene_file import read_scene
from softshell_sim.settings import WorldSettings
from softshell_studies.commanded_robot import CommandedRobot

LEVEL = 0.002  # [rad]


class Level(Controller):
    """Turns the base over its feet, until its tilt by the IMU is less than `LEVEL`."""

    done, problem = False, None

    def __init__(self, robot, limits, period):
        self.references = {'rate': Reference(2.0, 0.1, 20.0, '1/s', 'at which the tilt decays')}
        self.legs = [chain_from_urdf(robot.urdf, robot.base.link, f) for f in robot.legs.feet]
        self.columns = [[limits.names.index(name) for name in leg.variables] for leg in self.legs]

    def begin(self, now, measured, value):
        """Begin a run; `value` is (channels,) what is commanded until now [rad]."""
        self.done, self.told = False, {}

    def instruct(self, now, references):
        """Take references: all of them at first, later those that change."""
        self.told |= references

    def finish(self):
        """Come to rest, which it does at once."""
        self.done = True

    def watch(self, now, measured, value, rate):
        """Nothing to do: it need not know what was before its run."""

    def update(self, now, end, measured, value, rate):
        """Write what is wanted at the end of a control period, into `value` and `rate`."""
        up = rotation_from_quaternion(measured.imu.orientation)[2]  # the vertical, in the base
        self.done = np.hypot(*up[:2]) < LEVEL
        spin = self.told['rate'] * np.cross([0.0, 0.0, 1.0], up)  # of the base [rad/s]
        for leg, columns in zip(self.legs, self.columns, strict=True):
            foot, jacobian = leg.forward_and_jacobian(value[columns])  # (4, 4), (6, 3)
            rate[columns] = np.linalg.solve(jacobian[:3], np.cross(foot[:3, 3], spin))
        value += rate * (end - now) * 1e-9


robot = CommandedRobot(WorldSettings(scene=read_scene('examples/hill.yaml')), 'examples/leveller')
robot.perform('stand')
begin, before = robot.time, robot.tilt_now()
robot.perform('level', rate=2.0)
print(f'tilt {before:.4f} rad, {robot.tilt_now():.4f} rad after {robot.time - begin:.2f} s')
robot.close()
