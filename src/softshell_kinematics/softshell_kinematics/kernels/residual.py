"""Error of a pose against a goal with free coordinates, and its Jacobian.

A goal is (x, y, z, yaw, pitch, roll), NaN where free. Constrained coordinates become rows: of
position always as differences in the base frame; of orientation as the rotation vector
log(R_goal Rᵀ) if all three angles are constrained, else as differences of angles in [-π, π].
"""

import math

from softshell_kinematics.kernels.compiled import compiled
from softshell_kinematics.kernels.so3 import (
    angles_from_rotation,
    rotation_error,
    rotation_from_angles,
    wrapped,
)


@compiled
def prepare(goal, rows, target):
    """Find the constrained coordinates and the goal's rotation.

    Args:
        goal: (6,)
        rows: (6,) written: the constrained coordinates in order.
        target: (12,) its first nine are written if the whole orientation is constrained.

    Returns:
        Number of constrained coordinates; whether the whole orientation is constrained.
    """
    count = 0
    for c in range(6):
        if not math.isnan(goal[c]):
            rows[count] = c
            count += 1
    whole = count >= 3 and rows[count - 3] == 3
    if whole:
        rotation_from_angles(goal[3], goal[4], goal[5], target)
    return count, whole


@compiled
def residual(pose, goal, target, rows, count, whole, weight_position, weight_rotation, error):
    """Write the weighted error, goal minus pose, to error[:count]; returns its square sum."""
    positions = 0
    for k in range(count):
        c = rows[k]
        if c > 2:
            break
        positions += 1
        error[k] = weight_position * (goal[c] - pose[9 + c])
    if whole:
        rotation_error(target, pose, error, positions, weight_rotation)
    elif positions < count:
        angles = angles_from_rotation(pose)
        for k in range(positions, count):
            c = rows[k]
            error[k] = weight_rotation * wrapped(goal[c] - angles[c - 3])
    total = 0.0
    for k in range(count):
        total += error[k] * error[k]
    return total


@compiled
def jacobian_rows(
    numbers, codes, first, last, variables, axes, origins, pose,
    rows, count, whole, weight_position, weight_rotation, jacobian,
):  # fmt: skip
    """Write the weighted Jacobian (count, variables) of the constrained coordinates.

    At a rotation error e the exact rows would be J_left⁻¹(e) times those written. Both lead to the
    same gradient, since J_left(e)ᵀ e = e, and agree where e is 0.
    """
    positions = 0
    while positions < count and rows[positions] < 3:
        positions += 1
    for k in range(count):
        for v in range(variables):
            jacobian[k, v] = 0.0
    angles = not whole and positions < count
    cy, sy, cp, tp = 1.0, 0.0, 1.0, 0.0
    if angles:
        yaw, pitch, _ = angles_from_rotation(pose)
        cy, sy = math.cos(yaw), math.sin(yaw)
        cp = max(math.cos(pitch), 1e-9)
        tp = math.sin(pitch) / cp
    for row in range(first, last):
        j = row - first
        v = codes[row, 1]
        k = numbers[row, 12] * weight_position
        ax, ay, az = axes[j, 0], axes[j, 1], axes[j, 2]
        lx, ly, lz = ax, ay, az
        turns = codes[row, 0] == 0
        if turns:
            x, y, z = pose[9] - origins[j, 0], pose[10] - origins[j, 1], pose[11] - origins[j, 2]
            lx, ly, lz = ay * z - az * y, az * x - ax * z, ax * y - ay * x
        if positions == 3:
            jacobian[0, v] += k * lx
            jacobian[1, v] += k * ly
            jacobian[2, v] += k * lz
        else:
            for i in range(positions):
                c = rows[i]
                jacobian[i, v] += k * (lx if c == 0 else (ly if c == 1 else lz))
        if not turns:
            continue
        k = numbers[row, 12] * weight_rotation
        if whole:
            jacobian[positions, v] += k * ax
            jacobian[positions + 1, v] += k * ay
            jacobian[positions + 2, v] += k * az
        elif angles:
            along = cy * ax + sy * ay
            for i in range(positions, count):
                c = rows[i]
                if c == 3:
                    jacobian[i, v] += k * (az + tp * along)
                elif c == 4:
                    jacobian[i, v] += k * (cy * ay - sy * ax)
                else:
                    jacobian[i, v] += k * along / cp
