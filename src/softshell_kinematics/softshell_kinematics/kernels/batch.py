"""Inverse kinematics of many limbs at many points, in one compiled call."""

import math

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.kernels.bundles import (
    ERRORS,
    ITERATIONS,
    JUMPED,
    RESIDUAL,
    STATUS,
    VALUES,
    Answers,
    Chain,
    Floats,
    Form,
    Integers,
    Memory,
    Outcome,
    Problem,
    Rows,
    Settings,
    Tables,
)
from softshell_kinematics.kernels.checks import first_wrong
from softshell_kinematics.kernels.compiled import compiled, entry, inlined, maker
from softshell_kinematics.kernels.layout import chain_at, read_settings, unpack
from softshell_kinematics.kernels.levenberg_marquardt import (
    CONVERGED,
    solve_point,
)
from softshell_kinematics.kernels.path import farthest, follow
from softshell_kinematics.kernels.posture import take_posture
from softshell_kinematics.kernels.residual import error_at, prepare
from softshell_kinematics.kernels.search import (
    copy_row,
    find_in_closed_form,
    has_closed_form,
    search,
    solve_once,
)
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
    SEED,
    SEED_LOWER,
    SEED_UPPER,
    UPPER,
    WEIGHT,
    Q,
    allocate,
)


@inlined
def start_at(
    chain: Chain,
    form: Form,
    rows: Rows,
    settings: Settings,
    seed: Floats,
    guessed: bool,
    memory: Memory,
) -> Outcome:
    """Solve a point from a seed (most variables,) and, if that fails, from further ones.

    Returns:
        status, ‖e‖², iterations.
    """
    for i in range(chain.n):
        memory.work[Q, i] = seed[i]
    into_bounds(chain.n, memory.work)
    if settings.restarts > 0:
        return search(chain, form, rows, settings, guessed, memory)
    if guessed and has_closed_form(chain, form, rows, memory.work):
        copy_row(chain.n, memory.work, Q, SEED)
        found, iterations = find_in_closed_form(chain, form, rows, settings, memory)
        if found:
            work, frames, index = memory.work, memory.frames, memory.index
            return CONVERGED, error_at(chain, Q, rows, ERROR, work, frames, index), iterations
        copy_row(chain.n, memory.work, SEED, Q)
    return solve_once(chain, rows, settings, memory)


@compiled
def go_on(
    chain: Chain, form: Form, rows: Rows, settings: Settings, length: float, memory: Memory
) -> tuple[int, float, int, bool]:
    """Solve a point of a path from the one before, whose solution is in Q and Q_BEFORE.

    Returns:
        status, ‖e‖², iterations, whether it jumped.
    """
    n, work = chain.n, memory.work
    status, cost, iterations = solve_point(chain, rows, settings, True, memory)
    if status == CONVERGED and not farthest(chain, length, work, Q_BEFORE) > settings.jump:
        return status, cost, iterations, False
    copy_row(n, work, Q, BEST)
    again, found, more, largest = follow(chain, settings, length, memory)
    iterations += more
    if again == CONVERGED or found < cost:
        status, cost = again, found
    else:
        copy_row(n, work, BEST, Q)
        largest = farthest(chain, length, work, Q_BEFORE)
        error_at(chain, Q, rows, ERROR, work, memory.frames, memory.index)
    if status != CONVERGED:
        if settings.allow_jumps:
            status, cost, more = search(chain, form, rows, settings, False, memory)
        else:
            status, cost, more = solve_once(chain, rows, settings, memory)
        iterations += more
        largest = max(largest, farthest(chain, length, work, Q_BEFORE))
    return status, cost, iterations, largest > 0.5 * settings.jump


@inlined
def take_bounds(tables: Tables, problem: Problem, limb: int, follows: bool, work: Floats) -> None:
    """Load the bounds of a limb's variables, on a path narrowed by how far each may go at once."""
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
    tables: Tables, problem: Problem, answers: Answers, limb: int, point: int, work: Floats
) -> None:
    """Load what holds for all points of a limb and, if its path goes on, the point before."""
    for i in range(tables.chains[limb, 2]):
        work[SEED_LOWER, i] = tables.seed_lower[limb, i]
        work[SEED_UPPER, i] = tables.seed_upper[limb, i]
        if point > 0:
            work[Q, i] = answers.numbers[limb, point - 1, VALUES + i]
    if point > 0:
        for c in range(6):
            work[GOAL_BEFORE, c] = problem.goals[limb, point - 1, c]


@inlined
def write_point(
    chain: Chain,
    rows: Rows,
    settings: Settings,
    answers: Answers,
    place: tuple[int, int],
    outcome: tuple[int, int],
    memory: Memory,
) -> None:
    """Write the answer of one point of a limb; the residual has the weights of the settings.

    Args:
        chain: the chain; its solution is in Q and ERROR of the memory.
        rows: the goal.
        settings: only its weights are used.
        answers: written.
        place: limb, point.
        outcome: status, iterations.
        memory: of the search.
    """
    limb, p = place
    status, iterations = outcome
    work, total = memory.work, 0.0
    numbers, marks = answers.numbers[limb, p], answers.marks[limb, p]
    for i in range(chain.n):
        numbers[VALUES + i] = work[Q, i]
    for c in range(6):
        numbers[ERRORS + c] = np.nan
    for k in range(rows.count):
        error = work[ERROR, k] / work[WEIGHT, k]
        weight = settings.position_weight if k < rows.positions else settings.rotation_weight
        total += weight * weight * error * error
        numbers[ERRORS + memory.index[ROWS, k]] = error
    numbers[RESIDUAL] = math.sqrt(total)
    marks[STATUS] = status
    marks[ITERATIONS] = min(iterations, 65535)


@inlined
def take_wishes(n: int, posture: Floats, work: Floats) -> bool:
    """Load the posture (n,); returns whether any variable has one."""
    wished = False
    for i in range(n):
        work[POSTURE, i] = posture[i]
        wished = wished or not math.isnan(posture[i])
    return wished


@maker
def solve_limb(
    tables: Tables,
    settings: Settings,
    problem: Problem,
    postures: Floats,
    guessed: bool,
    answers: Answers,
    place: tuple[int, int, int],
    memory: Memory,
) -> None:
    """Solve some points of a limb.

    Args:
        tables, settings: of all limbs.
        problem, postures, guessed, answers: as `solve_batch` makes or has them.
        place: limb, first point, last point.
        memory: of the search.
    """
    limb, first_point, last_point = place
    chain, form = chain_at(tables, limb)
    length, work, seeds = tables.length[limb], memory.work, problem.seeds
    take_up(tables, problem, answers, limb, first_point, work)
    for p in range(first_point, last_point):
        for c in range(6):
            work[GOAL, c] = problem.goals[limb, p, c]
        rows = prepare(settings, length, work, memory.index)
        follows = settings.warm_start and p > 0
        take_bounds(tables, problem, limb, follows, work)
        jumped = False
        if follows:
            status, _, iterations, jumped = go_on(chain, form, rows, settings, length, memory)
        else:
            seed = seeds[limb, p if seeds.shape[1] > 1 else 0]
            status, _, iterations = start_at(chain, form, rows, settings, seed, guessed, memory)
        posture = postures[p if postures.shape[0] > 1 else 0, limb]
        if status == CONVERGED and take_wishes(chain.n, posture, work):
            # The search may have ended with other weights.
            rows = prepare(settings, length, work, memory.index)
            more = take_posture(chain, rows, settings, length, memory)
            iterations += more
        for c in range(6):
            work[GOAL_BEFORE, c] = work[GOAL, c]
        answers.marks[limb, p, JUMPED] = jumped
        outcome = (status, iterations)
        write_point(chain, rows, settings, answers, (limb, p), outcome, memory)


@entry
def solve_batch(
    first_limb: int,
    last_limb: int,
    first_point: int,
    last_point: int,
    floats: Floats,
    integers: Integers,
    options: Floats,
    goals: Floats,
    seeds: Floats,
    wishes: Floats,
    found: Floats,
    marks: NDArray[np.uint16],
    guessed: bool,
) -> bool:
    """Solve some limbs, each at some points; the last ones are left out.

    A warm-started path goes on from the point before the first, whose result is there.

    Args:
        first_limb, last_limb, first_point, last_point: the part.
        floats, integers: of all limbs, from `pack`.
        options: how to search, in the order of `Settings`; on a warm-started path restarts count
            only at the first point, unless it may jump.
        goals, seeds: of all limbs; see `Problem`.
        wishes: (2 + postures, limbs, most variables) for each variable: not 0 if it is locked; how
            far it may go from point to point; its posture, one for all points or one for each,
            NaN if it has none (see `take_posture`).
        found, marks: written, at these limbs and points; see `Answers`.
        guessed: whether the caller gave no seeds, and these are the middles of the ranges.

    Returns:
        Whether the part was solved; it is not if a goal or a seed in it cannot be used: see
        `find_wrong`.
    """
    tables, settings = unpack(floats, integers), read_settings(options)
    part = (first_limb, last_limb, first_point, last_point)
    if first_wrong(tables, goals, seeds, part) != (-1, -1):
        return False
    problem, answers = Problem(goals, seeds, wishes[0], wishes[1]), Answers(found, marks)
    memory = allocate(tables.numbers.shape[0], tables.lower.shape[1])
    for limb in range(first_limb, last_limb):
        place = (limb, first_point, last_point)
        solve_limb(tables, settings, problem, wishes[2:], guessed, answers, place, memory)
    return True
