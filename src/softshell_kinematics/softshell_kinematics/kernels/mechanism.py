"""Levenberg–Marquardt for several chains that share variables, as one problem."""

import math
from typing import NamedTuple

import numpy as np

from softshell_kinematics.kernels.bundles import (
    Chain,
    Floats,
    MechanismTables,
    Memory,
    Outcome,
    Problem,
    Results,
    Settings,
)
from softshell_kinematics.kernels.compiled import entry, maker
from softshell_kinematics.kernels.layout import read_settings
from softshell_kinematics.kernels.levenberg_marquardt import (
    CONVERGED,
    ITERATION_LIMIT,
    LIMIT_BOUND,
    UNREACHABLE,
)
from softshell_kinematics.kernels.linear_model import (
    DAMPING,
    MOST_DAMPING,
    RAISED_DAMPING,
    advance,
    choose_free,
)
from softshell_kinematics.kernels.newton import bounded_newton_step
from softshell_kinematics.kernels.residual import (
    as_asked_for,
    error_at,
    jacobian_rows,
    prepare,
)
from softshell_kinematics.kernels.seeds import take_seed
from softshell_kinematics.kernels.work import (
    BEST,
    ERROR,
    GOAL,
    GRADIENT,
    JACOBIAN,
    LOCKED,
    LOWER,
    ROWS,
    SCALE,
    SEED,
    SEED_LOWER,
    SEED_UPPER,
    TRIAL,
    UPPER,
    WEIGHT,
    Q,
    allocate,
)

#: Least damping: without it JᵀJ, which is factored itself, may be singular.
LEAST_DAMPING = 1e-9
#: Every second further seed is moved towards the caller's, to this share of the distance.
NEAR = 0.25


class Point(NamedTuple):
    """One point of all limbs.

    Attributes:
        goals: (limbs, 6) NaN where free.
        errors: (limbs, 6) of which those of constrained coordinates are written.
    """

    goals: Floats
    errors: Floats


@maker
def assemble(
    tables: MechanismTables,
    point: Point,
    settings: Settings,
    row_q: int,
    memory: Memory,
    limb_memory: Memory,
) -> float:
    """Cost of all limbs at a row of `work`; at Q also write JᵀJ and Jᵀe of all.

    Args:
        tables, settings: as of `solve_mechanism`.
        point: the goals; their errors are written.
        row_q: Q, or TRIAL for the cost alone.
        memory, limb_memory: of the whole, and for one limb after the other.
    """
    n, cost = tables.lower.shape[0], 0.0
    work, hessian = memory.work, memory.hessian
    limb_work, _, _, frames, limb_index = limb_memory
    members = tables.members
    if row_q == Q:
        for i in range(n):
            work[GRADIENT, i] = 0.0
            for j in range(n):
                hessian[i, j] = 0.0
    for limb in range(tables.chains.shape[0]):
        first, last, n = tables.chains[limb, 0], tables.chains[limb, 1], tables.chains[limb, 2]
        chain = Chain(tables.numbers, tables.codes, first, last, n)
        for c in range(6):
            limb_work[GOAL, c] = point.goals[limb, c]
        rows = prepare(settings, 1.0, limb_work, limb_index)
        rows = as_asked_for(rows, settings, limb_work)
        if rows.count == 0:
            continue
        for v in range(n):
            limb_work[Q, v] = work[row_q, members[limb, v]]
        cost += error_at(chain, Q, rows, ERROR, limb_work, frames, limb_index)
        for k in range(rows.count):
            error = limb_work[ERROR, k] / limb_work[WEIGHT, k]
            point.errors[limb, limb_index[ROWS, k]] = error
        if row_q != Q:
            continue
        jacobian_rows(chain, rows, JACOBIAN, limb_work, frames, limb_index)
        for v in range(n):
            i = members[limb, v]
            for k in range(rows.count):
                slope = limb_work[JACOBIAN + k, v]
                work[GRADIENT, i] += slope * limb_work[ERROR, k]
                for u in range(n):
                    hessian[i, members[limb, u]] += slope * limb_work[JACOBIAN + k, u]
    return cost


@maker
def solve_together(
    tables: MechanismTables, point: Point, settings: Settings, memory: Memory, limb_memory: Memory
) -> Outcome:
    """Bring all limbs to their goals from Q, or as close as they get.

    Returns:
        status, ‖e‖², iterations. An error that is not finite never counts as converged.
    """
    n = tables.lower.shape[0]
    work, matrix, hessian, _, index = memory
    enough = settings.tolerance * settings.tolerance
    damping, iterations, status = LEAST_DAMPING, 0, CONVERGED
    cost = assemble(tables, point, settings, Q, memory, limb_memory)
    while not cost <= enough:
        if not cost < math.inf:
            return ITERATION_LIMIT, cost, iterations
        largest = 1e-300
        for i in range(n):
            work[SCALE, i] = hessian[i, i] + 1e-12
            largest = max(largest, hessian[i, i])
        damping = max(damping, DAMPING * cost / largest)
        size, moving, held = choose_free(n, cost, work, index)
        found = cost
        while moving and damping <= MOST_DAMPING and iterations < settings.max_iterations:
            iterations += 1
            if bounded_newton_step(n, size, damping, work, matrix, hessian, index):
                if advance(n, work) < 1e-15:
                    break
                found = assemble(tables, point, settings, TRIAL, memory, limb_memory)
                if found < cost:
                    break
            damping = max(10.0 * damping, RAISED_DAMPING)
            size, moving, held = choose_free(n, cost, work, index)
        if not found < cost:
            status = LIMIT_BOUND if held else UNREACHABLE
            if iterations >= settings.max_iterations:
                status = ITERATION_LIMIT
            # A rejected trial may have left its own errors behind.
            assemble(tables, point, settings, Q, memory, limb_memory)
            break
        for i in range(n):
            work[Q, i] = work[TRIAL, i]
        damping = max(0.1 * damping, LEAST_DAMPING)
        cost = assemble(tables, point, settings, Q, memory, limb_memory)
    return status, cost, iterations


@maker
def search_together(
    tables: MechanismTables, point: Point, settings: Settings, memory: Memory, limb_memory: Memory
) -> Outcome:
    """Bring all limbs to their goals from Q and, while that fails, from further seeds.

    Every second further seed is near Q: solutions are more often near the caller's seed than far.

    Returns:
        status, ‖e‖², iterations; Q is the best of all.
    """
    n, work = tables.lower.shape[0], memory.work
    for i in range(n):
        work[SEED, i] = work[Q, i]
    status, cost, iterations = solve_together(tables, point, settings, memory, limb_memory)
    restart = 0
    while status != CONVERGED and restart < settings.restarts:
        restart += 1
        for i in range(n):
            work[BEST, i] = work[Q, i]
        take_seed(n, restart, work)
        if restart % 2 == 1:
            for i in range(n):
                value = work[SEED, i] + NEAR * (work[Q, i] - work[SEED, i])
                work[Q, i] = min(max(value, work[LOWER, i]), work[UPPER, i])
        again, found, more = solve_together(tables, point, settings, memory, limb_memory)
        iterations += more
        if found < cost:
            status, cost = again, found
        else:
            for i in range(n):
                work[Q, i] = work[BEST, i]
    if restart > 0:
        # A search that was worse may have left its own errors behind.
        assemble(tables, point, settings, Q, memory, limb_memory)
    return status, cost, iterations


@entry
def solve_mechanism(
    tables: MechanismTables,
    problem: Problem,
    options: Floats,
    part: tuple[int, int],
    results: Results,
) -> None:
    """Solve all limbs together at some points.

    Args:
        tables: of all limbs, with n variables together.
        problem: goals (points, limbs, 6), NaN where free; seeds (1 or points, n) within bounds;
            locked and step_limit (n,).
        options: how to search, in the order of `Settings`; on a warm-started path restarts count
            only at the first point, and there are no jumps.
        part: first point, last point; the last one is left out. A warm-started path goes on from
            the point before the first, whose result is there.
        results: written; q (points, n), error (points, limbs, 6), the others (points,).
    """
    settings = read_settings(options)
    n = tables.lower.shape[0]
    joints = 1
    for limb in range(tables.chains.shape[0]):
        joints = max(joints, tables.chains[limb, 1] - tables.chains[limb, 0])
    memory = allocate(1, n)
    limb_memory = allocate(joints, tables.members.shape[1])
    work, lower, upper, seeds = memory.work, tables.lower, tables.upper, problem.seeds
    for i in range(n):
        work[LOCKED, i] = problem.locked[i]
        work[LOWER, i], work[UPPER, i] = lower[i], upper[i]
        work[SEED_LOWER, i], work[SEED_UPPER, i] = tables.seed_lower[i], tables.seed_upper[i]
    first_point, last_point = part
    if first_point > 0:
        for i in range(n):
            work[Q, i] = results.q[first_point - 1, i]
    for p in range(first_point, last_point):
        follows = settings.warm_start and p > 0
        for i in range(n):
            if follows:
                work[LOWER, i] = max(lower[i], work[Q, i] - problem.step_limit[i])
                work[UPPER, i] = min(upper[i], work[Q, i] + problem.step_limit[i])
            else:
                work[Q, i] = seeds[p if seeds.shape[0] > 1 else 0, i]
        point = Point(problem.goals[p], results.error[p])
        if follows:
            outcome = solve_together(tables, point, settings, memory, limb_memory)
        else:
            outcome = search_together(tables, point, settings, memory, limb_memory)
        status, cost, iterations = outcome
        for i in range(n):
            results.q[p, i] = work[Q, i]
        results.status[p] = status
        results.residual[p] = math.sqrt(cost)
        results.iterations[p] = np.uint16(min(iterations, 65535))
