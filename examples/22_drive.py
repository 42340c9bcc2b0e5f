"""Drive by velocities along a circle, and change the gait on the way.

Run: .venv/bin/python examples/22_drive.py

Writes out/circle.png.
"""

from pathlib import Path
from time import sleep

import matplotlib.pyplot as plt
import numpy as np

from softshell_bringup.runner import Stack
from softshell_client import Shell

FORWARD, TURN = 0.03, 0.15  # [m/s], [rad/s]: along a circle of 0.2 m


def drive(shell, seconds):
    """Command the velocity for a time [s]; returns times [s] and places x, y [m] as (n, 3)."""
    rows, end = [], shell.time + seconds
    while (now := shell.time) < end:
        shell.drive(x=FORWARD, yaw=TURN)  # holds for half a second
        rows.append([now, *shell.position[:2]])
        sleep(0.05)
    return np.array(rows)


ways = {}
with Stack({'engine': 'mujoco', 'real_time_factor': '2'}) as stack:
    stack.wait_ready()
    with Shell() as shell:
        shell.perform('stand')
        shell.wait_for_odometry()
        shell.wait_for_joints()
        for gait in ('tripod', 'tetrapod'):
            shell.set_gait(gait)
            rows = ways[gait] = drive(shell, 12.0)
            steps = np.diff(rows[len(rows) // 2 :], axis=0)  # of the second half
            speed = np.hypot(steps[:, 1], steps[:, 2]).sum() / steps[:, 0].sum()
            print(f'{shell.gaits()[0]}: {speed:.4f} m/s')  # the first is that of velocities

# Least squares for a circle of centre (a, b): x² + y² = 2 a x + 2 b y + c.
path = np.concatenate(list(ways.values()))[:, 1:]
columns = np.column_stack([2.0 * path, np.ones(len(path))])
a, b, c = np.linalg.lstsq(columns, np.sum(path**2, axis=1))[0]
radius = np.sqrt(c + a**2 + b**2)
off = np.abs(np.hypot(*(path - [a, b]).T) - radius).max()
print(f'circle of radius {radius:.3f} m, points at most {1e3 * off:.1f} mm off it')

figure, axis = plt.subplots()
for gait, rows in ways.items():
    axis.plot(*rows[:, 1:].T, label=gait)
axis.set(xlabel='x [m]', ylabel='y [m]', aspect='equal')
axis.legend()
Path('out').mkdir(exist_ok=True)
figure.savefig('out/circle.png')
print('written to out/circle.png')
