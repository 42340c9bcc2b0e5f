"""Six legs that one motor folds: their feet are solved as one mechanism, without ROS.

Run: .venv/bin/python examples/36_shared_motor.py
"""

import numpy as np

from softshell_description.load import load_robot
from softshell_kinematics import ParallelMechanism, chain_from_urdf

FREE = np.nan  # a coordinate that does not matter
robot = load_robot('shell')
legs = [chain_from_urdf(robot.urdf_text, 'base_link', f'foot_{k}') for k in range(6)]
shell = ParallelMechanism(legs)
shared = [name for name in shell.variables if all(name in leg.variables for leg in legs)]
print(f'{len(shell)} variables, of which all legs have {shared}')

# Each foot at a place of its own, from a guess that is off by 0.1 rad: the fold is found as well.
stand = np.array([robot.poses['stand'][name] for name in shell.variables])
random = np.random.default_rng(1)
wanted = np.clip(stand + random.uniform(-0.2, 0.2, len(shell)), shell.lower, shell.upper)
goals = np.full((1, 6, 6), FREE)
goals[0, :, :3] = shell.forward(wanted)[:, :3, 3]
seed = np.clip(wanted + random.uniform(-0.1, 0.1, len(shell)), shell.lower, shell.upper)
found = shell.solve(goals, seed)
off = np.linalg.norm(shell.forward(found.q[0])[:, :3, 3] - goals[0, :, :3], axis=1)
print(f'all reached: {found.all_converged}, feet off by at most {off.max():.1e} m')
for k in (0, 3):
    angles = dict(zip(legs[k].variables, shell.limb(found.q[0], k), strict=True))
    print(f'foot_{k}:', ', '.join(f'{name} {angle:.3f}' for name, angle in angles.items()))
