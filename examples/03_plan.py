"""Plan an action without a robot, and draw the paths of its feet. Plain Python, without ROS.

Run: .venv/bin/python examples/03_plan.py

Writes out/feet.png.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from softshell_actions.rehearsal import Rehearsal, joined
from softshell_description.load import load_robot

rehearsal = Rehearsal(load_robot('shell'), 'stand')
begin, times, tips, motions = 0.0, [], [], []
for part in rehearsal.perform('walk', {'distance': 0.4}):
    times.append(begin + part.plan.times)
    tips.append(np.stack(list(part.plan.limbs.values()))[:, :, :3])
    motions.append(part.motion)
    begin += part.motion.duration
walk = joined(motions)
fastest = np.abs(walk.velocities).max()
print(f'{len(tips)} sub-actions, {walk.duration:.1f} s, fastest joint {fastest:.2f} rad/s')

time, feet = np.concatenate(times), np.concatenate(tips, axis=1)
figure, axes = plt.subplots(2, 1, sharex=True, figsize=(8, 5))
for coordinate, axis, name in ((0, axes[0], 'x'), (2, axes[1], 'z')):
    axis.plot(time, feet[:, :, coordinate].T, label=list(part.plan.limbs))
    axis.set_ylabel(f'{name} of the feet [m]')
axes[0].legend(ncol=6, loc='lower center', bbox_to_anchor=(0.5, 1.0))
axes[1].set_xlabel('time [s]')
Path('out').mkdir(exist_ok=True)
figure.savefig('out/feet.png')
print('written to out/feet.png')
