"""A way walked by four gaits, without ROS: how long it takes, and how long a foot stands.

Run: .venv/bin/python examples/19_gaits.py

Writes out/gaits.png.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from softshell_sim.settings import WorldSettings
from softshell_studies.commanded_robot import CommandedRobot

GAITS = ('tripod', 'tetrapod', 'ripple', 'wave')


def walk(robot, gait):
    """Walk 0.4 m; returns the way [m], the time [s], and (periods, feet) which feet stood."""
    stood = []
    robot.perform('stand')
    begin, start = robot.time, robot.pose()[0]
    robot.watch = lambda: stood.append(robot.core.measured.contacts.touching.copy())
    robot.perform('walk', gait, distance=0.4)
    robot.watch = lambda: None
    return robot.pose()[0] - start, robot.time - begin, np.array(stood)


robot = CommandedRobot(WorldSettings(engine='mujoco'), 'shell')
figure, axes = plt.subplots(len(GAITS), 1, figsize=(8, 8), layout='constrained')
for gait, axis in zip(GAITS, axes, strict=True):
    way, seconds, stood = walk(robot, gait)
    middle = stood[len(stood) // 4 : -len(stood) // 4]  # without its beginning and its end
    stands = middle.mean()
    print(f'{gait}: {way:.3f} m in {seconds:.1f} s, a foot stands {stands:.3f} of the time')
    axis.imshow(stood.T, aspect='auto', cmap='Greys', interpolation='none',
                extent=(0.0, seconds, 5.5, -0.5))  # fmt: skip
    axis.set(title=gait, ylabel='foot')
axes[-1].set_xlabel('time [s]; black: the foot stands')
robot.close()
Path('out').mkdir(exist_ok=True)
figure.savefig('out/gaits.png')
print('written to out/gaits.png')
