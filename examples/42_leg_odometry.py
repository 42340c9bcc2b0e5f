"""How far a robot has walked and turned by its joints, feet and IMU alone, without ROS.

Run: .venv/bin/python examples/42_leg_odometry.py
"""

from dataclasses import replace

import numpy as np

from softshell_control.estimates.leg_odometry import LegOdometry
from softshell_kinematics.transforms import angles_from_rotation, rotation_from_quaternion
from softshell_sim.settings import WorldSettings
from softshell_studies.commanded_robot import PERIOD, CommandedRobot

robot = CommandedRobot(WorldSettings(engine='mujoco'), 'shell')
missing = {'all': {}, 'no IMU': {'imu': None}, 'joints alone': {'imu': None, 'contacts': None}}
found = {name: LegOdometry(robot.robot) for name in missing}


def look():
    """Show each estimate what was measured, without the base, which only simulations know."""
    for name, odometry in found.items():
        odometry.update(replace(robot.core.measured, base=None, **missing[name]), PERIOD)


robot.watch = look
robot.perform('stand')
robot.perform('walk', distance=0.4)
robot.perform('turn', angle=1.0)
x, y, heading = robot.pose()
print(f'walked {np.hypot(x, y):.3f} m, turned {np.degrees(heading):.1f}°')
for name, odometry in found.items():
    base = odometry.base
    off = 1e3 * np.hypot(*base.position[:2] - [x, y])
    yaw = angles_from_rotation(rotation_from_quaternion(base.orientation))[0]
    told = 1e3 * base.pose_deviation[0], np.degrees(base.pose_deviation[5])
    print(f'{name}: off by {off:.1f} mm and {abs(np.degrees(yaw - heading)):.2f}°', end=', ')
    print(f'standard deviations as told {told[0]:.1f} mm and {told[1]:.2f}°')
robot.close()
