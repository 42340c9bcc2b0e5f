"""Shell closes into a ball and rolls, without ROS: its path, and how far it turns on the way.

Run: .venv/bin/python examples/21_roll.py

Writes out/roll.png.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from softshell_control.ball.cage import cage_of
from softshell_kinematics.transforms import rotation_from_quaternion
from softshell_sim.settings import WorldSettings
from softshell_studies.commanded_robot import PERIOD, CommandedRobot

DIRECTION = 0.5  # from forward to the left [rad]

robot = CommandedRobot(WorldSettings(engine='mujoco'), 'shell')
cage = cage_of(robot.robot)
centres, rates = [], []


def look():
    """Note the ball's centre [m] and its angular velocity [rad/s], both in the world."""
    base = robot.core.measured.base
    turn = rotation_from_quaternion(base.orientation)
    centres.append(base.position + turn @ cage.centre)
    rates.append(turn @ base.angular_velocity)


robot.perform('stand')
robot.perform('close')
begin = robot.time
robot.watch = look
robot.perform('roll', distance=2.0, direction=DIRECTION)
seconds = robot.time - begin
robot.close()

path = np.array(centres)[:, :2]
x, y = path[-1] - path[0]
way, heading = np.hypot(x, y), np.arctan2(y, x)
angle = PERIOD * np.sum(rates, axis=0) @ [-np.sin(heading), np.cos(heading), 0.0]
print(f'rolled {way:.2f} m at {heading:.2f} rad to the left in {seconds:.1f} s')
print(f'turned by {angle:.2f} rad: as a ball of radius {way / angle:.3f} m does without slip')
print(f'its radius is {cage.radius:.3f} m')

figure, axis = plt.subplots()
axis.plot(*(path - path[0]).T, label='path of its centre')
axis.plot([0.0, 2.0 * np.cos(DIRECTION)], [0.0, 2.0 * np.sin(DIRECTION)], '--', label='asked for')
axis.set(xlabel='x [m]', ylabel='y [m]', aspect='equal')
axis.legend()
Path('out').mkdir(exist_ok=True)
figure.savefig('out/roll.png')
print('written to out/roll.png')
