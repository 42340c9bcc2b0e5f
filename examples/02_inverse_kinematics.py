"""Inverse kinematics of any URDF, here of one leg of Shell: a point, a path, and out of reach.

Run: .venv/bin/python examples/02_inverse_kinematics.py
"""

import numpy as np

from softshell_description.load import load_robot
from softshell_kinematics import IkOptions, IkStatus, chain_from_urdf, solve_ik

FREE = np.nan  # a coordinate that does not matter
urdf = load_robot('shell').urdf_text  # or the text of your own
leg = chain_from_urdf(urdf, 'base_link', 'foot_0')
print('variables:', ', '.join(leg.variables))

# One point: x, y, z [m], yaw, pitch, roll [rad] of the foot in base_link. The joint that folds all
# legs at once is locked: it stays at its seed.
locked = ('fold',)
goal = [0.28, 0.03, -0.19, FREE, FREE, FREE]
seed = np.zeros(len(leg))
result = solve_ik(leg, goal, seed, locked=locked)
reached = leg.forward(result.q)[:3, 3]
print('angles:', np.round(result.q, 4), 'rad')
print(f'off by {np.linalg.norm(reached - goal[:3]):.1e} m, {result.iterations} iterations')

# A path: a circle of the foot. The search for each point starts from the point before it.
angle = np.linspace(0.0, 2.0 * np.pi, 200)
circle = np.tile(goal, (200, 1))
circle[:, 1] += 0.02 * np.cos(angle)
circle[:, 2] += 0.02 * np.sin(angle)
path = solve_ik(leg, circle, result.q, IkOptions(warm_start=True), locked)
largest = np.abs(np.diff(path.q, axis=0)).max()
print(f'circle: all reached: {path.all_converged}, largest step of a joint {largest:.4f} rad')

# Out of reach: the result is the closest position, with a status that says why.
far = solve_ik(leg, [1.0, 0.0, 0.0, FREE, FREE, FREE], seed, locked=locked)
print(f'too far: {IkStatus(far.status).name}, {far.residual:.3f} m short')
