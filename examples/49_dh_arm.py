"""An arm from its Denavit–Hartenberg table, and from its screws: forward, Jacobian and inverse.

Run: .venv/bin/python examples/49_dh_arm.py
"""

import numpy as np

from softshell_kinematics import (
    DhRow,
    IkStatus,
    Screw,
    chain_from_dh,
    chain_from_screws,
    solve_ik,
)
from softshell_kinematics.transforms import shift

# The Puma 560, its tip where the axes of its wrist meet: alpha [rad], d [m], theta [rad], r [m].
TURN = np.pi / 2.0
TABLE = [
    (TURN, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 0.4318),
    (-TURN, 0.15005, 0.0, 0.0203),
    (TURN, 0.4318, 0.0, 0.0),
    (-TURN, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 0.0),
]
names = [f'joint_{k}' for k in range(1, 7)]
arm = chain_from_dh('puma', [DhRow(*row, name) for row, name in zip(TABLE, names, strict=True)])

# The same arm with all joints at 0: the axis of each, and a point on it [m].
WRIST = (0.4521, -0.15005, 0.4318)
UP, RIGHT = (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)
axes = [(UP, (0, 0, 0)), (RIGHT, (0, 0, 0)), (RIGHT, (0.4318, 0, 0)),
        (UP, WRIST), (RIGHT, WRIST), (UP, WRIST)]  # fmt: skip
screws = [Screw(name, axis, -np.cross(axis, point))
          for name, (axis, point) in zip(names, axes, strict=True)]  # fmt: skip
same = chain_from_screws('puma', screws, shift(*WRIST))

q = np.array([0.3, 0.5, -0.9, 0.4, 0.8, -0.2])
pose, jacobian = arm.forward_and_jacobian(q)
off = np.abs(pose - same.forward(q)).max()
print(f'tip at {np.round(pose[:3, 3], 5)} m, by screws {off:.0e} off')

rates, step = np.array([0.5, -0.2, 0.3, 1.0, -0.6, 0.8]), 1e-6  # [rad/s], [s]
ahead, behind = (same.forward(q + sign * step * rates)[:3, 3] for sign in (0.5, -0.5))
moved = (ahead - behind) / step
print(f'speed {np.round(jacobian[:3] @ rates, 5)} m/s, by differences {np.round(moved, 5)} m/s')
for wrist in (0.8, 0.0):  # stretched, its first and last axis are one: a direction is lost
    lines = arm.forward_and_jacobian([*q[:4], wrist, q[5]])[1]
    print(f'joint_5 at {wrist} rad: rank {np.linalg.matrix_rank(lines, tol=1e-9)}')

found = solve_ik(arm, pose, np.zeros(6))
print(f'inverse: {IkStatus(found.status).name}, {np.round(found.q, 4)} rad,', end=' ')
print(f'tip {np.linalg.norm(arm.forward(found.q) - pose):.0e} off')
