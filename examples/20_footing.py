"""Up a ramp of 8°, without ROS, with and without `footing`: how far the base leans.

Run: .venv/bin/python examples/20_footing.py

Writes out/footing.png.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from softshell_kinematics.transforms import shift
from softshell_sim.scenes.terrain import laid, ramp
from softshell_sim.settings import WorldSettings
from softshell_studies.commanded_robot import CommandedRobot

hill = laid(ramp(slope=np.radians(8.0), length=3.0, width=2.0), friction=0.8, pose=shift(0.4))
settings = WorldSettings(engine='mujoco', friction=0.8, scene=hill)


def climb(footing):
    """Walk up the ramp; returns positions (periods, 3) [m] and angles from the vertical [°]."""
    robot = CommandedRobot(settings, 'shell', footing=footing)
    places, tilts = [], []

    def look():
        places.append(robot.core.measured.base.position.copy())
        tilts.append(np.degrees(robot.tilt_now()))

    robot.perform('stand')
    robot.watch = look
    robot.perform('walk', distance=1.2, step=0.04, height=0.04)
    robot.rest(1.0)
    robot.close()
    return np.array(places), np.array(tilts)


figure, axis = plt.subplots()
for footing in (False, True):
    places, tilts = climb(footing)
    ahead, _, up = places[-1] - places[0]
    print(f'footing {footing}: {ahead:.2f} m ahead, {up:.3f} m up, leans by {tilts[-1]:.1f}°')
    axis.plot(places[:, 0], tilts, label=f'footing {footing}')
axis.set(xlabel='way along x [m]', ylabel='tilt of the base [°]')
axis.legend()
Path('out').mkdir(exist_ok=True)
figure.savefig('out/footing.png')
print('written to out/footing.png')
