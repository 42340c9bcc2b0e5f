"""The fastest motion along a path within the limits of the joints, without ROS: a line of an arm.

Run: .venv/bin/python examples/39_fastest.py

Writes out/fastest.png.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from softshell_actions.trajectories.fastest import fastest
from softshell_actions.trajectories.pacing import joint_limits_of
from softshell_actions.trajectories.timing import shortest
from softshell_description.load import load_robot
from softshell_kinematics import IkOptions, chain_from_urdf, solve_ik

robot = load_robot('arm')
arm = chain_from_urdf(robot.urdf_text, 'base_link', 'tip')
limits = joint_limits_of(robot, acceleration=40.0).of(arm.variables)  # [rad/s²]

seed = [robot.poses['reach'][name] for name in arm.variables]
line = np.full((60, 6), np.nan)  # of the tip: x, z [m] and pitch [rad] are given, the rest is free
line[:, 0], line[:, 2], line[:, 4] = np.linspace(0.40, 0.24, 60), 0.24, 0.4
path = solve_ik(arm, line, seed, IkOptions(warm_start=True))
print(f'a line of 0.16 m, all of it in reach: {path.all_converged}')

figure, axes = plt.subplots(2, 1, sharex=True)
for axis, name, found in zip(
    axes, ('quintic', 'fastest'), (shortest(path.q, limits), fastest(path.q, limits)), strict=True
):
    print(f'{name}: {found.motion.duration:.4f} s, {found.peak.joint} at its limit')
    axis.plot(found.motion.times, found.motion.velocities, label=limits.joints)
    axis.set_ylabel(f'{name} [rad/s]')
axes[0].legend()
axes[1].set_xlabel('time [s]')
Path('out').mkdir(exist_ok=True)
figure.savefig('out/fastest.png')
print('written to out/fastest.png')
