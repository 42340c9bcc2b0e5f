"""How far the quadruped's trunk moves over its feet, and where it would tip over on three of them.

Run: .venv/bin/python examples/35_stability.py

Writes out/stability.png.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from softshell_description.load import load_robot
from softshell_kinematics import Limbs, base_reach, chain_from_urdf, static_margin, support_polygon
from softshell_kinematics.transforms import shift

robot = load_robot('quadruped')
pose = robot.poses['stand']  # angles [rad] by joint
legs = ['front_left', 'front_right', 'rear_left', 'rear_right']
chains = [chain_from_urdf(robot.urdf_text, 'base_link', f'{leg}_foot') for leg in legs]
stance = [[pose[name] for name in chain.variables] for chain in chains]
start = shift(z=0.135)  # of the trunk above the ground [m]
feet = np.array(
    [(start @ chain.forward(q))[:3, 3] for chain, q in zip(chains, stance, strict=True)]
)

limbs = Limbs(chains)
edge = []
for turn in np.linspace(0.0, 2.0 * np.pi, 73):
    along = [np.cos(turn), np.sin(turn), 0.0, 0.0, 0.0, 0.0]  # x, y, z [m], yaw, pitch, roll [rad]
    edge.append(base_reach(limbs, stance, start, along, most=0.2).distance * np.array(along[:2]))
ahead = base_reach(limbs, stance, start, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], most=0.2)
held_by = 'no leg' if ahead.limb is None else f'{legs[ahead.limb]}, {ahead.variable}'
print(f'ahead {ahead.distance:.4f} m, until {held_by} is at its end')

margin = static_margin([0.0, 0.0], feet)
BACK = [-0.03, -0.03]  # where the trunk has to be before that leg is lifted [m]
lifted = static_margin(BACK, feet[1:])
print(f'margin on four feet {margin:.4f} m, moved back without front_left {lifted:.4f} m')

figure, axis = plt.subplots(layout='constrained')
polygon, three = support_polygon(feet), support_polygon(feet[1:])
axis.fill(*polygon.T, alpha=0.2, label='four feet')
axis.fill(*three.T, alpha=0.4, label='three feet')
axis.plot(*np.array(edge).T, label='reach of the trunk')
axis.plot(0.0, 0.0, 'k+', label='trunk')
axis.plot(*BACK, 'kx', label='moved back')
axis.set(xlabel='x [m]', ylabel='y [m]', aspect='equal')
axis.legend(loc='upper left', bbox_to_anchor=(1.0, 1.0))
Path('out').mkdir(exist_ok=True)
figure.savefig('out/stability.png')
print('written to out/stability.png')
