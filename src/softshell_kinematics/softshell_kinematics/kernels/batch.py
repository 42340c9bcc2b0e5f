"""Inverse kinematics of many limbs at many points, in one compiled call."""

import math

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.kernels.bundles import (
    Chain,
    Floats,
    Memory,
    Outcome,
    Problem,
    Results,
    Rows,
    Settings,
    Tables,
)
from softshell_kinematics.kernels.compiled import compiled, entry, inlined
from softshell_kinematics.kernels.levenberg_marquardt import (
    CONVERGED,
    solve_point,
)
from softshell_kinematics.kernels.path import farthest, follow
from softshell_kinematics.kernels.posture import take_posture
from softshell_kinematics.kernels.residual import error_at, prepare
from softshell_kinematics.kernels.search import copy_row, search, solve_once
from softshell_kinematics.kernels.seeds import (
    into_bounds,
)
from softshell_kinematics.kernels.work import (
    BEST,
    ERROR,
    GOAL,
    GOAL_BEFORE,
    LOCKED,
    LOWER,
    POSTURE,
    Q_BEFORE,
    ROWS,
    SEED_LOWER,
    SEED_UPPER,
    UPPER,
    WEIGHT,
    Q,
    allocate,
)


@inlined
def start_at(
    chain: Chain, rows: Rows, settings: Settings, seed: Floats, memory: Memory
) -> Outcome:
    """Solve a point from a seed (most variables,), and if need be from further ones.

    Returns:
        status, ‖e‖², iterations.
    """
    for i in range(chain.n):
        memory.work[Q, i] = seed[i]
    into_bounds(chain.n, memory.work)
    if settings.restarts > 0:
        return search(chain, rows, settings, memory)
    return solve_once(chain, rows, settings, memory)


@compiled
def go_on(
    chain: Chain, rows: Rows, settings: Settings, length: float, memory: Memory
) -> tuple[int, float, int, bool]:
    """Solve a point of a path from the one before, whose solution is Q and Q_BEFORE.

    Returns:
        status, ‖e‖², iterations, whether it jumped.
    """
    n, work = chain.n, memory.work
    status, cost, iterations = solve_point(chain, rows, settings, True, memory)
    if status == CONVERGED and not farthest(n, work) > settings.jump:
        return status, cost, iterations, False
    copy_row(n, work, Q, BEST)
    again, found, more, largest = follow(chain, settings, length, memory)
    iterations += more
    if again == CONVERGED or found < cost:
        status, cost = again, found
    else:
        copy_row(n, work, BEST, Q)
        largest = farthest(n, work)
        error_at(chain, Q, rows, ERROR, work, memory.frames, memory.index)
    if status != CONVERGED:
        if settings.allow_jumps:
            status, cost, more = search(chain, rows, settings, memory)
        else:
            status, cost, more = solve_once(chain, rows, settings, memory)
        iterations += more
        largest = max(largest, farthest(n, work))
    return status, cost, iterations, largest > 0.5 * settings.jump


@inlined
def take_bounds(tables: Tables, problem: Problem, limb: int, follows: bool, work: Floats) -> None:
    """Bounds of a limb's variables; along a path also how far each goes from point to point."""
    for i in range(tables.chains[limb, 2]):
        work[LOWER, i], work[UPPER, i] = tables.lower[limb, i], tables.upper[limb, i]
        work[LOCKED, i] = problem.locked[limb, i]
        if follows:
            # Q is still the point before.
            limit = problem.step_limit[limb, i]
            work[Q_BEFORE, i] = work[Q, i]
            work[LOWER, i] = max(tables.lower[limb, i], work[Q, i] - limit)
            work[UPPER, i] = min(tables.upper[limb, i], work[Q, i] + limit)


@inlined
def take_up(
    tables: Tables, problem: Problem, results: Results, limb: int, point: int, work: Floats
) -> None:
    """Start on a limb: what holds for all points, and where its path goes on from, if it does."""
    for i in range(tables.chains[limb, 2]):
        work[SEED_LOWER, i] = tables.seed_lower[limb, i]
        work[SEED_UPPER, i] = tables.seed_upper[limb, i]
        if point > 0:
            work[Q, i] = results.q[limb, point - 1, i]
    if point > 0:
        for c in range(6):
            work[GOAL_BEFORE, c] = problem.goals[limb, point - 1, c]


@inlined
def write_point(
    chain: Chain,
    rows: Rows,
    settings: Settings,
    results: Results,
    place: tuple[int, int],
    outcome: tuple[int, int],
    memory: Memory,
) -> None:
    """Write what was found for a (limb, point); the residual is weighted as asked for.

    Args:
        chain: the chain; Q and ERROR in the memory are its solution.
        rows: the goal.
        settings: of which the weights count here.
        results: written.
        place: limb, point.
        outcome: status, iterations.
        memory: of the search.
    """
    limb, p = place
    status, iterations = outcome
    work, total = memory.work, 0.0
    for i in range(chain.n):
        results.q[limb, p, i] = work[Q, i]
    for k in range(rows.count):
        error = work[ERROR, k] / work[WEIGHT, k]
        weight = settings.position_weight if k < rows.positions else settings.rotation_weight
        total += weight * weight * error * error
        results.error[limb, p, memory.index[ROWS, k]] = error
    results.status[limb, p] = status
    results.residual[limb, p] = math.sqrt(total)
    results.iterations[limb, p] = min(iterations, 65535)


@entry
def solve_batch(
    tables: Tables,
    problem: Problem,
    postures: Floats,
    settings: Settings,
    part: tuple[int, int, int, int],
    results: Results,
    jumps: NDArray[np.uint8],
) -> None:
    """Solve some limbs, each at some points.

    Args:
        tables: of all limbs.
        problem: goals and seeds of all limbs.
        postures: (limbs or 0, most variables): see `take_posture`; NaN where it does not matter.
        settings: how to search; on a warm-started path restarts count only at the first point,
            unless it may jump.
        part: first limb, last limb, first point, last point; the last ones are left out. A
            warm-started path goes on from the point before the first, whose result is there.
        results: written, at these limbs and points; errors where constrained.
        jumps: (limbs, points), 1 is written where a path jumped.
    """
    first_limb, last_limb, first_point, last_point = part
    most_joints = 1
    for limb in range(first_limb, last_limb):
        most_joints = max(most_joints, tables.chains[limb, 1] - tables.chains[limb, 0])
    memory = allocate(most_joints, tables.lower.shape[1])
    work, goals, seeds = memory.work, problem.goals, problem.seeds
    for limb in range(first_limb, last_limb):
        first, last, n = tables.chains[limb, 0], tables.chains[limb, 1], tables.chains[limb, 2]
        chain, length = Chain(tables.numbers, tables.codes, first, last, n), tables.length[limb]
        take_up(tables, problem, results, limb, first_point, work)
        for p in range(first_point, last_point):
            for c in range(6):
                work[GOAL, c] = goals[limb, p, c]
            rows = prepare(settings, length, work, memory.index)
            follows = settings.warm_start and p > 0
            take_bounds(tables, problem, limb, follows, work)
            if follows:
                status, _, iterations, jumped = go_on(chain, rows, settings, length, memory)
                jumps[limb, p] = jumped
            else:
                seed = seeds[limb, p if seeds.shape[1] > 1 else 0]
                status, _, iterations = start_at(chain, rows, settings, seed, memory)
            if status == CONVERGED and postures.shape[0] > 0:
                for i in range(n):
                    work[POSTURE, i] = postures[limb, i]
                # The search may have ended with other weights.
                rows = prepare(settings, length, work, memory.index)
                more = take_posture(chain, rows, settings, memory)
                iterations += more
            for c in range(6):
                work[GOAL_BEFORE, c] = work[GOAL, c]
            outcome = (status, iterations)
            write_point(chain, rows, settings, results, (limb, p), outcome, memory)
