"""Error of a pose against a goal with free coordinates, and its Jacobian.

A goal is (x, y, z, yaw, pitch, roll), NaN where free. Constrained coordinates become rows: of
position always as differences in the base frame; of orientation as the rotation vector
log(R_goal Rᵀ) if all three angles are constrained, else as differences of angles in [-π, π]. Where
pitch alone is free, yaw and roll may both be turned by π, as of a pitch beyond a quarter turn.

Rows are weighted in one of two ways. *As asked for*, by the weights of the settings: the norm of
these is minimised where a goal is out of reach. *Balanced*, by a length of the chain: with these a
search for a goal within reach is fastest, whatever the unit of length.
"""

import math

from softshell_kinematics.kernels.bundles import Chain, Floats, Integers, Rows, Settings
from softshell_kinematics.kernels.compiled import compiled, inlined
from softshell_kinematics.kernels.forward import forward
from softshell_kinematics.kernels.so3 import (
    angles_from_rotation,
    rotation_error,
    rotation_from_angles,
    wrapped,
)
from softshell_kinematics.kernels.work import GOAL, POSE, ROTATION, ROWS, WEIGHT

#: Error of position, in reaches, that counts as much as 1 rad during a search. Of 1, 0.5, 0.3, 0.2
#: and 0.1, this value takes arms of 6 to 24 joints the fewest iterations to random poses.
BALANCE = 0.2


@compiled
def prepare(settings: Settings, length: float, work: Floats, index: Integers) -> Rows:
    """Find the rows of the goal in `work`, and weight them balanced.

    Args:
        settings: only its weights and its tolerance are used.
        length: error of position that counts as much as 1 rad [m].
        work, index: see `work`.
    """
    count, positions = 0, 0
    for c in range(6):
        if not math.isnan(work[GOAL, c]):
            index[ROWS, count] = c
            work[WEIGHT, count] = 1.0 / length if c < 3 else 1.0
            count += 1
            if c < 3:
                positions += 1
    whole = count - positions == 3
    if whole:
        rotation_from_angles(work[GOAL, 3], work[GOAL, 4], work[GOAL, 5], work, ROTATION)
    # A balanced norm of this is at most the tolerance when weighted as asked for.
    enough = math.inf
    if positions > 0:
        enough = settings.tolerance / (settings.position_weight * length)
    if count > positions:
        enough = min(enough, settings.tolerance / settings.rotation_weight)
    return Rows(count, positions, whole, enough * enough)


@compiled
def as_asked_for(rows: Rows, settings: Settings, work: Floats) -> Rows:
    """The same rows, weighted as asked for."""
    for k in range(rows.count):
        position = k < rows.positions
        work[WEIGHT, k] = settings.position_weight if position else settings.rotation_weight
    enough = settings.tolerance * settings.tolerance
    return Rows(rows.count, rows.positions, rows.whole, enough)


@compiled
def half_turn(yaw: float, roll: float) -> float:
    """π if errors of yaw and roll are smaller when both are turned by it, else 0."""
    y, r = wrapped(yaw), wrapped(roll)
    other_y, other_r = wrapped(yaw + math.pi), wrapped(roll + math.pi)
    return math.pi if other_y * other_y + other_r * other_r < y * y + r * r else 0.0


@compiled
def residual(rows: Rows, row_error: int, work: Floats, index: Integers) -> float:
    """Write the weighted error, goal minus pose, to a row of `work`; returns its square sum."""
    count, positions, whole, _ = rows
    total = 0.0
    for k in range(positions):
        c = index[ROWS, k]
        difference = work[WEIGHT, k] * (work[GOAL, c] - work[POSE, 9 + c])
        work[row_error, k] = difference
        total += difference * difference
    if whole:
        x, y, z = rotation_error(work, ROTATION, POSE)
        weight = work[WEIGHT, positions]
        work[row_error, positions] = weight * x
        work[row_error, positions + 1] = weight * y
        work[row_error, positions + 2] = weight * z
        total += weight * weight * (x * x + y * y + z * z)
    elif positions < count:
        angles = angles_from_rotation(work, POSE)
        turn = 0.0
        if count - positions == 2 and index[ROWS, positions] == 3 and index[ROWS, count - 1] == 5:
            turn = half_turn(work[GOAL, 3] - angles[0], work[GOAL, 5] - angles[2])
        for k in range(positions, count):
            c = index[ROWS, k]
            difference = work[WEIGHT, k] * wrapped(work[GOAL, c] - angles[c - 3] + turn)
            work[row_error, k] = difference
            total += difference * difference
    return total


@inlined
def error_at(
    chain: Chain,
    row_q: int,
    rows: Rows,
    row_error: int,
    work: Floats,
    frames: Floats,
    index: Integers,
) -> float:
    """Forward kinematics at a row of `work`; write the error there to another, return ‖e‖²."""
    forward(chain, row_q, work, frames)
    return residual(rows, row_error, work, index)


@compiled
def jacobian_rows(
    chain: Chain, rows: Rows, row_jacobian: int, work: Floats, frames: Floats, index: Integers
) -> None:
    """Write the weighted Jacobian (count, n) of the rows to `work`, from `row_jacobian` on.

    At a rotation error e the exact rows would be J_right⁻¹(e) times those written. Both lead to
    the same gradient, since J_right(e)ᵀ e = e, and agree where e is 0.
    """
    numbers, codes, first, last, n = chain
    count, positions, whole, _ = rows
    for k in range(count):
        for v in range(n):
            work[row_jacobian + k, v] = 0.0
    angles = not whole and positions < count
    cy, sy, cp, sp = 1.0, 0.0, 1.0, 0.0
    if angles:
        yaw, pitch, _ = angles_from_rotation(work, POSE)
        cy, sy = math.cos(yaw), math.sin(yaw)
        cp = max(math.cos(pitch), 1e-9)
        sp = math.sin(pitch)
    px, py, pz = work[POSE, 9], work[POSE, 10], work[POSE, 11]
    for row in range(first, last):
        j = row - first
        v = codes[row, 1]
        multiplier = numbers[row, 12]
        ax, ay, az = (
            multiplier * frames[j, 0],
            multiplier * frames[j, 1],
            multiplier * frames[j, 2],
        )
        lx, ly, lz = ax, ay, az
        turns = codes[row, 0] == 0
        if turns:
            x, y, z = px - frames[j, 3], py - frames[j, 4], pz - frames[j, 5]
            lx, ly, lz = ay * z - az * y, az * x - ax * z, ax * y - ay * x
        for k in range(positions):
            c = index[ROWS, k]
            along = lx if c == 0 else (ly if c == 1 else lz)
            work[row_jacobian + k, v] += work[WEIGHT, k] * along
        if not turns:
            continue
        if whole:
            weight = work[WEIGHT, positions]
            work[row_jacobian + positions, v] += weight * ax
            work[row_jacobian + positions + 1, v] += weight * ay
            work[row_jacobian + positions + 2, v] += weight * az
        elif angles:
            roll = (cy * ax + sy * ay) / cp
            for k in range(positions, count):
                c = index[ROWS, k]
                rate = roll
                if c == 3:
                    rate = az + sp * roll
                elif c == 4:
                    rate = cy * ay - sy * ax
                work[row_jacobian + k, v] += work[WEIGHT, k] * rate
