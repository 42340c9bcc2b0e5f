"""Inverse kinematics of many limbs at many points, in one compiled call."""

import math

import numpy as np

from softshell_kinematics.kernels.compiled import compiled
from softshell_kinematics.kernels.forward import forward
from softshell_kinematics.kernels.levenberg_marquardt import CONVERGED, solve_point
from softshell_kinematics.kernels.residual import prepare, residual

#: Square roots of primes: strides of a low-discrepancy (Kronecker) sequence, one per variable.
STRIDES = np.sqrt(np.array([2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0, 23.0, 29.0, 31.0, 37.0]))


@compiled
def spread(index, variable):
    """Number `index` of a deterministic sequence spread evenly over [0, 1), for one variable."""
    value = 0.5 + index * STRIDES[variable % STRIDES.size]
    return value - math.floor(value)


@compiled
def solve_batch(
    numbers, codes, chains, tools, lower, upper, step_limit,
    goals, seeds, locked,
    weight_position, weight_rotation, tolerance, most_iterations, restarts, warm_start,
    first_limb, last_limb,
    q_out, status_out, residual_out, errors_out, iterations_out,
):  # fmt: skip
    """Solve limbs first_limb … last_limb-1, each at all its points.

    Args:
        numbers, codes: joint tables of all chains.
        chains: (limbs, 3): first joint, one past the last joint, number of variables.
        tools: (limbs, 12)
        lower, upper, step_limit: (limbs, most variables): bounds, and how far a variable may go
            from one point to the next when warm-started.
        goals: (limbs, points, 6), NaN where free.
        seeds: (limbs, 1 or points, most variables); NaN: middle of the range.
        locked: (limbs, most variables), not 0 where a variable keeps its seed.
        restarts: how many further seeds to try where a search fails; on a warm-started path only
            at its first point, so that a path does not jump.
        the rest: written; the arrays of `IkResult`.
    """
    most_joints = 1
    most_variables = lower.shape[1]
    for limb in range(first_limb, last_limb):
        most_joints = max(most_joints, chains[limb, 1] - chains[limb, 0])
    size = max(most_variables, 6) + 1
    axes = np.empty((most_joints, 3))
    origins = np.empty((most_joints, 3))
    vectors = np.empty((12, size))
    matrix = np.empty((size, size))
    jacobian_all = np.empty((6, size))
    pose, target = np.empty(12), np.empty(12)
    rows = np.empty(6, np.int64)
    free = np.empty(size, np.int64)
    for limb in range(first_limb, last_limb):
        first, last, n = chains[limb, 0], chains[limb, 1], chains[limb, 2]
        tool = tools[limb]
        lows, highs, step = vectors[0, :n], vectors[1, :n], vectors[2, :n]
        q, q_next, best = vectors[3, :n], vectors[4, :n], vectors[5, :n]
        error, error_next, right = vectors[6], vectors[7], vectors[8]
        scale, gradient, solution = vectors[9], vectors[10], vectors[11]
        held = locked[limb]
        for p in range(goals.shape[1]):
            goal = goals[limb, p]
            count, whole = prepare(goal, rows, target)
            follows = warm_start and p > 0
            for i in range(n):
                lows[i], highs[i] = lower[limb, i], upper[limb, i]
                if follows:
                    value = q_out[limb, p - 1, i]
                    lows[i] = max(lows[i], value - step_limit[limb, i])
                    highs[i] = min(highs[i], value + step_limit[limb, i])
                else:
                    value = seeds[limb, p if seeds.shape[1] > 1 else 0, i]
                if math.isnan(value):
                    value = 0.0
                    if lows[i] > -np.inf and highs[i] < np.inf:
                        value = 0.5 * (lows[i] + highs[i])
                q[i] = min(max(value, lows[i]), highs[i])
            status, cost, iterations = solve_point(
                numbers, codes, first, last, tool, goal, target, rows, count, whole,
                weight_position, weight_rotation, tolerance, most_iterations,
                held, lows, highs, q,
                q_next, axes, origins, pose, error, error_next, jacobian_all, scale, gradient,
                free, right, matrix, solution, step,
            )  # fmt: skip
            if status != CONVERGED and restarts > 0 and not follows:
                for i in range(n):
                    best[i] = q[i]
                for restart in range(1, restarts + 1):
                    for i in range(n):
                        if held[i] == 0:
                            low = lows[i] if lows[i] > -np.inf else -math.pi
                            high = highs[i] if highs[i] < np.inf else math.pi
                            q[i] = low + (high - low) * spread(restart, i)
                    again, found, more = solve_point(
                        numbers, codes, first, last, tool, goal, target, rows, count, whole,
                        weight_position, weight_rotation, tolerance, most_iterations,
                        held, lows, highs, q,
                        q_next, axes, origins, pose, error, error_next, jacobian_all, scale,
                        gradient, free, right, matrix, solution, step,
                    )  # fmt: skip
                    iterations += more
                    if found < cost:
                        status, cost = again, found
                        for i in range(n):
                            best[i] = q[i]
                    if status == CONVERGED:
                        break
                for i in range(n):
                    q[i] = best[i]
            for i in range(n):
                q_out[limb, p, i] = q[i]
            status_out[limb, p] = status
            residual_out[limb, p] = math.sqrt(cost)
            iterations_out[limb, p] = min(iterations, 65535)
            forward(numbers, codes, first, last, tool, q, axes, origins, pose)
            residual(pose, goal, target, rows, count, whole, 1.0, 1.0, error)
            for k in range(count):
                errors_out[limb, p, rows[k]] = error[k]
