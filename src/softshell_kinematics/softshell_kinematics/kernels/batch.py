"""Inverse kinematics of many limbs at many points, in one compiled call."""

import math

import numpy as np

from softshell_kinematics.kernels.compiled import compiled, entry
from softshell_kinematics.kernels.forward import forward
from softshell_kinematics.kernels.levenberg_marquardt import (
    CONVERGED,
    ITERATION_LIMIT,
    solve_point,
)
from softshell_kinematics.kernels.path import farthest, follow
from softshell_kinematics.kernels.posture import take_posture
from softshell_kinematics.kernels.residual import prepare, residual
from softshell_kinematics.kernels.work import (
    BEST,
    ERROR,
    GOAL,
    GOAL_BEFORE,
    LOCKED,
    LOWER,
    LOWER_KEPT,
    PERIOD,
    POSTURE,
    Q_BEFORE,
    ROWS,
    UPPER,
    UPPER_KEPT,
    WEIGHT,
    Q,
    allocate,
)

#: Square roots of primes: strides of a low-discrepancy (Kronecker) sequence, one per variable.
STRIDES = np.sqrt(np.array([2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0, 23.0, 29.0, 31.0, 37.0]))


@compiled
def spread(number, variable):
    """One of a deterministic sequence spread evenly over [0, 1), for one variable."""
    value = 0.5 + number * STRIDES[variable % STRIDES.size]
    return value - math.floor(value)


@compiled
def into_bounds(n, work):
    """Move Q within bounds; NaN becomes the middle of the range."""
    for i in range(n):
        value, low, high = work[Q, i], work[LOWER, i], work[UPPER, i]
        if math.isnan(value):
            value = 0.5 * (low + high) if low > -np.inf and high < np.inf else 0.0
        work[Q, i] = min(max(value, low), high)


@compiled
def find_periods(numbers, codes, first, last, n, work):
    """Write to PERIOD after which change of a variable the tip is back: 2π if only joints turn."""
    for i in range(n):
        work[PERIOD, i] = 2.0 * math.pi
    for row in range(first, last):
        multiplier = numbers[row, 12]
        if codes[row, 0] != 0 or multiplier != math.floor(multiplier):
            work[PERIOD, codes[row, 1]] = 0.0


@compiled
def turn_into_bounds(n, work):
    """Add whole periods to what is out of bounds; returns whether all is within them then."""
    within = True
    for i in range(n):
        value, period = work[Q, i], work[PERIOD, i]
        if period > 0.0 and work[LOCKED, i] == 0.0:
            if value < work[LOWER, i]:
                value += period * math.ceil((work[LOWER, i] - value) / period)
            elif value > work[UPPER, i]:
                value -= period * math.ceil((value - work[UPPER, i]) / period)
            work[Q, i] = value
        within = within and work[LOWER, i] <= value <= work[UPPER, i]
    return within


@compiled
def search(
    numbers, codes, first, last, n, count, positions, whole, tolerance, most_iterations,
    restarts, work, matrix, hessian, frames, index,
):  # fmt: skip
    """Search from Q and then from further seeds until one converges; Q ends at the best of all.

    Limits make many seeds end at one of them, far from the goal. So from each seed the search is
    first without limits: what that finds counts if it is within them, by whole turns if need be;
    if not, it is where a search within limits starts. Where solutions are separate branches, the
    first half of the seeds only looks for one within limits.

    Returns:
        status, ‖e‖², iterations.
    """
    iterations, status, cost = 0, ITERATION_LIMIT, np.inf
    open_variables = n
    find_periods(numbers, codes, first, last, n, work)
    for i in range(n):
        work[LOWER_KEPT, i], work[UPPER_KEPT, i] = work[LOWER, i], work[UPPER, i]
        open_variables -= work[LOCKED, i] != 0.0
    branches = open_variables <= count
    for restart in range(restarts + 1):
        for i in range(n):
            if work[LOCKED, i] == 0.0:
                low, high = work[LOWER, i], work[UPPER, i]
                low = low if low > -np.inf else -math.pi
                high = high if high < np.inf else math.pi
                if restart > 0:
                    work[Q, i] = low + (high - low) * spread(restart, i)
                if work[PERIOD, i] > 0.0:
                    work[LOWER, i], work[UPPER, i] = -np.inf, np.inf
        again, found, more = solve_point(
            numbers, codes, first, last, n, count, positions, whole, tolerance, most_iterations,
            False, work, matrix, hessian, frames, index,
        )  # fmt: skip
        iterations += more
        for i in range(n):
            work[LOWER, i], work[UPPER, i] = work[LOWER_KEPT, i], work[UPPER_KEPT, i]
        if not turn_into_bounds(n, work):
            into_bounds(n, work)
            if again == CONVERGED and branches and 2 * restart < restarts:
                if cost == np.inf:
                    for i in range(n):
                        work[BEST, i] = work[Q, i]
                continue
            again, found, more = solve_point(
                numbers, codes, first, last, n, count, positions, whole, tolerance,
                most_iterations, False, work, matrix, hessian, frames, index,
            )  # fmt: skip
            iterations += more
        if found < cost:
            status, cost = again, found
            for i in range(n):
                work[BEST, i] = work[Q, i]
        if status == CONVERGED:
            return status, cost, iterations
    for i in range(n):
        work[Q, i] = work[BEST, i]
    status, cost, more = solve_point(
        numbers, codes, first, last, n, count, positions, whole, tolerance, most_iterations,
        True, work, matrix, hessian, frames, index,
    )  # fmt: skip
    return status, cost, iterations + more


@entry
def solve_batch(
    numbers, codes, chains, lower, upper, step_limit, goals, seeds, locked,
    postures, position_weight, rotation_weight, tolerance, most_iterations, restarts, warm_start,
    jump, allow_jumps, first_limb, last_limb, first_point, last_point,
    q_out, status_out, residual_out, errors_out, iterations_out, jumps_out,
):  # fmt: skip
    """Solve limbs first_limb … last_limb-1, each at points first_point … last_point-1.

    Args:
        numbers, codes: tables of all chains.
        chains: (limbs, 3): first joint, row of the tip, number of variables.
        lower, upper, step_limit: (limbs, most variables): bounds, and how far a variable may go
            from one point to the next when warm-started.
        goals: (limbs, points, 6), NaN where free.
        seeds: (limbs, 1 or points, most variables); NaN: middle of the range.
        locked: (limbs, most variables), not 0 where a variable keeps its seed.
        postures: (limbs or 0, most variables): see `take_posture`; NaN where it does not matter.
        restarts: how many further seeds to try where a search fails; on a warm-started path only
            at its first point, unless it may jump.
        jump, allow_jumps: as of `IkOptions`.
        the rest: written; the arrays of `IkResult`.
    """
    most_joints = 1
    for limb in range(first_limb, last_limb):
        most_joints = max(most_joints, chains[limb, 1] - chains[limb, 0])
    work, matrix, hessian, frames, index = allocate(most_joints, lower.shape[1])
    for limb in range(first_limb, last_limb):
        first, last, n = chains[limb, 0], chains[limb, 1], chains[limb, 2]
        for i in range(n):
            work[LOCKED, i] = locked[limb, i]
            work[LOWER, i], work[UPPER, i] = lower[limb, i], upper[limb, i]
        for p in range(first_point, last_point):
            for c in range(6):
                work[GOAL, c] = goals[limb, p, c]
            count, positions, whole = prepare(position_weight, rotation_weight, work, index)
            follows = warm_start and p > first_point
            if follows:
                # Q is still the point before.
                for i in range(n):
                    work[Q_BEFORE, i] = work[Q, i]
                    limit = step_limit[limb, i]
                    work[LOWER, i] = max(lower[limb, i], work[Q, i] - limit)
                    work[UPPER, i] = min(upper[limb, i], work[Q, i] + limit)
            else:
                for i in range(n):
                    work[Q, i] = seeds[limb, p if seeds.shape[1] > 1 else 0, i]
                into_bounds(n, work)
            if restarts > 0 and not follows:
                status, cost, iterations = search(
                    numbers, codes, first, last, n, count, positions, whole, tolerance,
                    most_iterations, restarts, work, matrix, hessian, frames, index,
                )  # fmt: skip
            else:
                status, cost, iterations = solve_point(
                    numbers, codes, first, last, n, count, positions, whole, tolerance,
                    most_iterations, True, work, matrix, hessian, frames, index,
                )  # fmt: skip
            if follows and (status != CONVERGED or farthest(n, work) > jump):
                for i in range(n):
                    work[BEST, i] = work[Q, i]
                again, found, more, largest = follow(
                    numbers, codes, first, last, n, position_weight, rotation_weight, tolerance,
                    most_iterations, work, matrix, hessian, frames, index,
                )  # fmt: skip
                iterations += more
                if again == CONVERGED or found < cost:
                    status, cost = again, found
                else:
                    for i in range(n):
                        work[Q, i] = work[BEST, i]
                    largest = farthest(n, work)
                    forward(numbers, codes, first, last, work, Q, frames)
                    residual(count, positions, whole, work, index, ERROR)
                if status != CONVERGED and allow_jumps:
                    status, cost, more = search(
                        numbers, codes, first, last, n, count, positions, whole, tolerance,
                        most_iterations, restarts, work, matrix, hessian, frames, index,
                    )  # fmt: skip
                    iterations += more
                    largest = max(largest, farthest(n, work))
                jumps_out[limb, p] = largest > 0.5 * jump
            if status == CONVERGED and postures.shape[0] > 0:
                for i in range(n):
                    work[POSTURE, i] = postures[limb, i]
                cost, more = take_posture(
                    numbers, codes, first, last, n, count, positions, whole, tolerance,
                    most_iterations, work, matrix, hessian, frames, index,
                )  # fmt: skip
                iterations += more
            for c in range(6):
                work[GOAL_BEFORE, c] = work[GOAL, c]
            for i in range(n):
                q_out[limb, p, i] = work[Q, i]
            status_out[limb, p] = status
            residual_out[limb, p] = math.sqrt(cost)
            iterations_out[limb, p] = min(iterations, 65535)
            for k in range(count):
                errors_out[limb, p, index[ROWS, k]] = work[ERROR, k] / work[WEIGHT, k]
