"""One goal from several seeds: a solution within limits, or else the least-squares optimum."""

import numpy as np

from softshell_kinematics.kernels.bundles import (
    Chain,
    Floats,
    Form,
    Memory,
    Outcome,
    Rows,
    Settings,
)
from softshell_kinematics.kernels.closed_form import NO_FORM, solve_in_closed_form
from softshell_kinematics.kernels.compiled import compiled, inlined
from softshell_kinematics.kernels.levenberg_marquardt import (
    CONVERGED,
    ITERATION_LIMIT,
    UNREACHABLE,
    solve_point,
)
from softshell_kinematics.kernels.residual import as_asked_for, error_at
from softshell_kinematics.kernels.seeds import (
    find_periods,
    into_bounds,
    lift_bounds,
    take_seed,
    turn_into_bounds,
)
from softshell_kinematics.kernels.work import (
    BEST,
    ERROR,
    LOCKED,
    LOWER,
    LOWER_KEPT,
    SEED,
    TRIED,
    UPPER,
    UPPER_KEPT,
    Q,
)

#: A goal counts as out of reach if so many searches without limits in a row end at the least ‖e‖²,
#: up to this share of it.
ENOUGH_ALIKE, ALIKE = 4, 1e-6
#: For the optimum of a goal out of reach up to so many times `restarts` further seeds are tried.
OPTIMUM = 2
#: The search for it ends when so many seeds have led to the best ‖e‖², up to the share above.
HITS = 12
#: Most solutions in closed form that are tried, the nearest first, as rounding may spoil some.
#: Those whose squared distances to the seed differ by less than the second number are one [rad²].
CANDIDATES, CLOSE = 4, 1e-9
#: Most further values of the joint that is held in an arm of seven while the others are solved.
HELD_TRIALS = 16
#: How often the best search may be continued that ended by the number of its iterations.
MORE = 10


@inlined
def copy_row(n: int, work: Floats, source: int, target: int) -> None:
    """Copy one vector of `work` to another."""
    for i in range(n):
        work[target, i] = work[source, i]


@compiled
def solve_once(chain: Chain, rows: Rows, settings: Settings, memory: Memory) -> Outcome:
    """Bring Q to the goal or, if that fails, to the optimum with the weights as asked for.

    Returns:
        status, ‖e‖², iterations.
    """
    status, cost, iterations = solve_point(chain, rows, settings, True, memory)
    mixed = 0 < rows.positions < rows.count
    if status in (CONVERGED, ITERATION_LIMIT) or not mixed:
        return status, cost, iterations
    asked = as_asked_for(rows, settings, memory.work)
    status, cost, more = solve_point(chain, asked, settings, True, memory)
    return status, cost, iterations + more


@inlined
def free_search(
    chain: Chain, rows: Rows, settings: Settings, memory: Memory
) -> tuple[int, float, int, bool]:
    """Search from Q without limits; they are restored afterwards.

    Returns:
        status, ‖e‖², iterations, whether Q is within limits, by whole turns if need be.
    """
    n, work = chain.n, memory.work
    lift_bounds(n, work)
    status, cost, iterations = solve_point(chain, rows, settings, False, memory)
    for i in range(n):
        work[LOWER, i], work[UPPER, i] = work[LOWER_KEPT, i], work[UPPER_KEPT, i]
    return status, cost, iterations, turn_into_bounds(n, work)


@compiled
def find_within_reach(
    chain: Chain, rows: Rows, settings: Settings, memory: Memory
) -> tuple[bool, int]:
    """Search from Q and further seeds for a solution within limits, until there seems to be none.

    Within limits many searches end at one of them, far from the goal. So from each seed the first
    search is without limits. If it ends at a solution within them, that is the answer; otherwise a
    search within limits starts where it ended. If the chain is not redundant, its solutions are
    isolated; then the first half of the seeds skips this second search where the first one
    converged. Where several seeds lead to the same optimum without limits, the goal is out of
    reach.

    Returns:
        Whether Q is a solution; iterations.
    """
    n, work, restarts = chain.n, memory.work, settings.restarts
    iterations, open_variables = 0, n
    find_periods(chain, work)
    for i in range(n):
        work[LOWER_KEPT, i], work[UPPER_KEPT, i] = work[LOWER, i], work[UPPER, i]
        open_variables -= work[LOCKED, i] != 0.0
    branches = open_variables <= rows.count
    least, alike = np.inf, 0
    for restart in range(restarts + 1):
        if restart > 0:
            take_seed(n, restart, work)
        status, cost, more, within = free_search(chain, rows, settings, memory)
        iterations += more
        if status == CONVERGED and within:
            return True, iterations
        if status == UNREACHABLE:
            if cost < least * (1.0 - ALIKE):
                alike = 1
            else:
                alike = alike + 1 if cost <= least * (1.0 + ALIKE) else 0
            least = min(cost, least)
            if alike == ENOUGH_ALIKE:
                return False, iterations
        if not within:
            into_bounds(n, work)
            if status == CONVERGED and branches and 2 * restart < restarts:
                continue
            status, cost, more = solve_point(chain, rows, settings, False, memory)
            iterations += more
            if status == CONVERGED:
                return True, iterations
    return False, iterations


@compiled
def find_optimum(chain: Chain, rows: Rows, settings: Settings, memory: Memory) -> Outcome:
    """Write to Q the best optimum that BEST and further seeds lead to within limits.

    Returns:
        status, ‖e‖² as asked for, iterations.
    """
    n, work = chain.n, memory.work
    asked = as_asked_for(rows, settings, work)
    copy_row(n, work, BEST, Q)
    status, cost, iterations = solve_point(chain, asked, settings, True, memory)
    copy_row(n, work, Q, BEST)
    hits = 1
    for restart in range(1, OPTIMUM * settings.restarts + 1):
        if status == CONVERGED:
            break
        take_seed(n, restart, work)
        again, found, more = solve_point(chain, asked, settings, True, memory)
        iterations += more
        if found < cost * (1.0 - ALIKE):
            # Of equal optima the first stays: the one to which the caller's seed led.
            hits, status, cost = 1, again, found
            copy_row(n, work, Q, BEST)
        elif found < cost * (1.0 + ALIKE):
            hits += 1
        if hits >= HITS:
            break
    copy_row(n, work, BEST, Q)
    for _ in range(MORE):
        before = cost
        status, cost, more = solve_point(chain, asked, settings, True, memory)
        iterations += more
        if status != ITERATION_LIMIT or not cost < before:
            break
    return status, cost, iterations


@compiled
def find_in_closed_form(
    chain: Chain, form: Form, rows: Rows, settings: Settings, memory: Memory
) -> tuple[bool, int]:
    """Write to Q the solution in closed form nearest to the SEED, polished by `solve_point`.

    Of seven joints one is held: first at its value in the seed, then at those of further seeds.

    Returns:
        Whether there is one; iterations.
    """
    n, work, iterations = chain.n, memory.work, 0
    for trial in range(1 if form.held < 0 else min(settings.restarts, HELD_TRIALS) + 1):
        beyond = -1.0
        for _ in range(CANDIDATES):
            copy_row(n, work, SEED, Q)
            if trial > 0:
                take_seed(n, trial, work)
                i = chain.codes[chain.first + form.held, 1]
                if trial > HELD_TRIALS - 2:
                    # The last two: some goals can only be reached with it at a limit.
                    work[Q, i] = work[LOWER if trial == HELD_TRIALS else UPPER, i]
            beyond = solve_in_closed_form(chain, form, beyond, work) + CLOSE
            if not beyond < np.inf:
                break
            status, _, more = solve_point(chain, rows, settings, False, memory)
            iterations += more
            if status == CONVERGED:
                return True, iterations
    return False, iterations


@inlined
def has_closed_form(chain: Chain, form: Form, rows: Rows, work: Floats) -> bool:
    """Whether the closed form holds: there is one, the goal is a whole pose, nothing is locked."""
    locked = 0.0
    for i in range(chain.n):
        locked += work[LOCKED, i]
    return form.family != NO_FORM and rows.count == 6 and locked == 0.0


@compiled
def search(
    chain: Chain, form: Form, rows: Rows, settings: Settings, guessed: bool, memory: Memory
) -> Outcome:
    """Search from Q and then from further seeds until one converges; Q ends at the best of all.

    If the search from Q itself converges within limits, that is the answer: so a caller who knows
    about where the solution is stays on that branch. If Q is only guessed, the closed form comes
    first.

    Args:
        chain, rows, settings, memory: as of `solve_point`.
        form: the chain's closed form.
        guessed: whether the caller gave no seed.

    Returns:
        status, ‖e‖², iterations.
    """
    n, work = chain.n, memory.work
    copy_row(n, work, Q, SEED)
    closed = has_closed_form(chain, form, rows, work)
    iterations = 0
    for attempt in range(2):
        if closed and guessed == (attempt == 0):
            copy_row(n, work, SEED, Q)
            found, more = find_in_closed_form(chain, form, rows, settings, memory)
            iterations += more
            if found:
                cost = error_at(chain, Q, rows, ERROR, work, memory.frames, memory.index)
                return CONVERGED, cost, iterations
        elif attempt == 0 or closed:
            copy_row(n, work, SEED, Q)
            status, cost, more = solve_point(chain, rows, settings, False, memory)
            iterations += more
            if status == CONVERGED:
                return status, cost, iterations
            copy_row(n, work, Q, TRIED)
    copy_row(n, work, TRIED, BEST)
    copy_row(n, work, SEED, Q)
    found, more = find_within_reach(chain, rows, settings, memory)
    iterations += more
    if found:
        cost = error_at(chain, Q, rows, ERROR, work, memory.frames, memory.index)
        return CONVERGED, cost, iterations
    status, cost, more = find_optimum(chain, rows, settings, memory)
    return status, cost, iterations + more
