"""Levenberg–Marquardt for several chains that share variables, as one problem."""

import math

import numpy as np

from softshell_kinematics.kernels.compiled import compiled, entry
from softshell_kinematics.kernels.forward import forward
from softshell_kinematics.kernels.levenberg_marquardt import (
    CONVERGED,
    DAMPING,
    ITERATION_LIMIT,
    LIMIT_BOUND,
    MOST_DAMPING,
    RAISED_DAMPING,
    UNREACHABLE,
    advance,
    choose_free,
)
from softshell_kinematics.kernels.newton import bounded_newton_step
from softshell_kinematics.kernels.residual import jacobian_rows, prepare, residual
from softshell_kinematics.kernels.work import (
    ERROR,
    GOAL,
    GRADIENT,
    JACOBIAN,
    LOCKED,
    LOWER,
    ROWS,
    SCALE,
    TRIAL,
    UPPER,
    WEIGHT,
    Q,
    allocate,
)

#: JᵀJ is solved as it is: less damping than this would let its rank decide.
LEAST_DAMPING = 1e-9


@compiled
def assemble(
    numbers, codes, chains, members, n, goals, position_weight, rotation_weight,
    work, row_q, hessian, limb_work, frames, limb_index, errors, derivatives,
):  # fmt: skip
    """Cost of all limbs at a row of `work`, and if wanted JᵀJ, Jᵀe and diag(JᵀJ) of all."""
    cost = 0.0
    if derivatives:
        for i in range(n):
            work[GRADIENT, i] = 0.0
            for j in range(n):
                hessian[i, j] = 0.0
    for limb in range(chains.shape[0]):
        first, last, variables = chains[limb, 0], chains[limb, 1], chains[limb, 2]
        for c in range(6):
            limb_work[GOAL, c] = goals[limb, c]
        count, positions, whole = prepare(position_weight, rotation_weight, limb_work, limb_index)
        if count == 0:
            continue
        for v in range(variables):
            limb_work[Q, v] = work[row_q, members[limb, v]]
        forward(numbers, codes, first, last, limb_work, Q, frames)
        cost += residual(count, positions, whole, limb_work, limb_index, ERROR)
        for k in range(count):
            errors[limb, limb_index[ROWS, k]] = limb_work[ERROR, k] / limb_work[WEIGHT, k]
        if not derivatives:
            continue
        jacobian_rows(
            numbers, codes, first, last, variables, count, positions, whole,
            limb_work, frames, limb_index, JACOBIAN,
        )  # fmt: skip
        for v in range(variables):
            i = members[limb, v]
            for k in range(count):
                slope = limb_work[JACOBIAN + k, v]
                work[GRADIENT, i] += slope * limb_work[ERROR, k]
                for u in range(variables):
                    hessian[i, members[limb, u]] += slope * limb_work[JACOBIAN + k, u]
    return cost


@entry
def solve_mechanism(
    numbers, codes, chains, members, lower, upper, step_limit, goals, seeds, locked,
    position_weight, rotation_weight, tolerance, most_iterations, warm_start,
    q_out, status_out, residual_out, errors_out, iterations_out,
):  # fmt: skip
    """Solve all limbs together at each point.

    Args:
        numbers, codes, chains: as in `batch.solve_batch`.
        members: (limbs, most variables) the places of a limb's variables among those of all.
        lower, upper, step_limit, locked: (variables,)
        goals: (points, limbs, 6), NaN where free.
        seeds: (1 or points, variables), within bounds.
        the rest: as in `batch.solve_batch`, and written.
    """
    n = lower.shape[0]
    joints = 1
    for limb in range(chains.shape[0]):
        joints = max(joints, chains[limb, 1] - chains[limb, 0])
    work, matrix, hessian, _, index = allocate(1, n)
    limb_work, _, _, frames, limb_index = allocate(joints, members.shape[1])
    enough = tolerance * tolerance
    for i in range(n):
        work[LOCKED, i] = locked[i]
        work[LOWER, i], work[UPPER, i] = lower[i], upper[i]
    for p in range(goals.shape[0]):
        follows = warm_start and p > 0
        for i in range(n):
            if follows:
                work[LOWER, i] = max(lower[i], work[Q, i] - step_limit[i])
                work[UPPER, i] = min(upper[i], work[Q, i] + step_limit[i])
            else:
                work[Q, i] = seeds[p if seeds.shape[0] > 1 else 0, i]
        damping, iterations, status = LEAST_DAMPING, 0, CONVERGED
        cost = assemble(
            numbers, codes, chains, members, n, goals[p], position_weight, rotation_weight,
            work, Q, hessian, limb_work, frames, limb_index, errors_out[p], True,
        )  # fmt: skip
        while cost > enough:
            largest = 1e-300
            for i in range(n):
                work[SCALE, i] = hessian[i, i] + 1e-12
                largest = max(largest, hessian[i, i])
            damping = max(damping, DAMPING * cost / largest)
            size, moving, held = choose_free(n, cost, work, index)
            found = cost
            while moving and damping <= MOST_DAMPING and iterations < most_iterations:
                iterations += 1
                if bounded_newton_step(n, size, damping, work, matrix, hessian, index):
                    if advance(n, work) < 1e-15:
                        break
                    found = assemble(
                        numbers, codes, chains, members, n, goals[p], position_weight,
                        rotation_weight, work, TRIAL, hessian, limb_work, frames, limb_index,
                        errors_out[p], False,
                    )  # fmt: skip
                    if found < cost:
                        break
                damping = max(10.0 * damping, RAISED_DAMPING)
                size, moving, held = choose_free(n, cost, work, index)
            if not found < cost:
                status = LIMIT_BOUND if held else UNREACHABLE
                if iterations >= most_iterations:
                    status = ITERATION_LIMIT
                break
            for i in range(n):
                work[Q, i] = work[TRIAL, i]
            damping = max(0.1 * damping, LEAST_DAMPING)
            cost = assemble(
                numbers, codes, chains, members, n, goals[p], position_weight, rotation_weight,
                work, Q, hessian, limb_work, frames, limb_index, errors_out[p], True,
            )  # fmt: skip
        for i in range(n):
            q_out[p, i] = work[Q, i]
        if status != CONVERGED:
            # A rejected trial may have left its own errors behind.
            assemble(
                numbers, codes, chains, members, n, goals[p], position_weight, rotation_weight,
                work, Q, hessian, limb_work, frames, limb_index, errors_out[p], False,
            )  # fmt: skip
        status_out[p] = status
        residual_out[p] = math.sqrt(cost)
        iterations_out[p] = np.uint16(min(iterations, 65535))
