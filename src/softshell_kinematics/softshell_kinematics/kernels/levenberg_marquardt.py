"""Levenberg–Marquardt for one goal, with bounds inside the iteration."""

from softshell_kinematics.kernels.compiled import compiled, inlined
from softshell_kinematics.kernels.newton import (
    bounded_newton_step,
    displace,
    find_hessian,
    negative_curvature,
)
from softshell_kinematics.kernels.residual import error_at, jacobian_rows
from softshell_kinematics.kernels.step import bounded_step
from softshell_kinematics.kernels.work import (
    CHASED,
    ERROR,
    ERROR_TRIAL,
    FREE,
    GRADIENT,
    JACOBIAN,
    LOCKED,
    LOWER,
    SCALE,
    STEP,
    TRIAL,
    UPPER,
    Q,
)

CONVERGED, LIMIT_BOUND, UNREACHABLE, SINGULAR, ITERATION_LIMIT = range(5)

#: Damping for each unit of ‖e‖² over the largest of diag(JᵀJ): it goes with the error, to 0 at the
#: goal, so that far from it steps stay where the linear model holds.
DAMPING = 0.2
LEAST_DAMPING = 1e-12
RAISED_DAMPING = 1e-3
MOST_DAMPING = 1e12
#: A gradient is zero if the cosine of its angle to the error is below this.
STATIONARY = 1e-10
#: A step that leaves more than this share of the cost is slow; after so many in a row, the
#: residual's curvature is taken into account.
SLOW = 0.5
SLOW_STEPS = 3
#: ‖e‖² beyond which a slow search is worth giving up for another.
FAR = 1e-4
#: Undamped steps of one chase, and the longest of them [rad] or [m].
CHASE_STEPS = 4
LONGEST_CHASE = 0.5
#: How far to step off a ridge [rad] or [m], how many quarters of that are tried as well, and how
#: often a point where the gradient vanishes is left.
LONGEST_ESCAPE = 0.4
ESCAPE_LENGTHS = 5
ESCAPES = 5


@compiled
def linearise(n, count, work):
    """Jᵀe and diag(JᵀJ) from the Jacobian and the error; returns the largest of the latter."""
    largest = 0.0
    for i in range(n):
        square, slope = 0.0, 0.0
        for k in range(count):
            square += work[JACOBIAN + k, i] * work[JACOBIAN + k, i]
            slope += work[JACOBIAN + k, i] * work[ERROR, k]
        work[SCALE, i] = square
        work[GRADIENT, i] = slope
        largest = max(largest, square)
    for i in range(n):
        work[SCALE, i] = max(work[SCALE, i], 1e-12 * largest + 1e-300)
    return largest


@compiled
def choose_free(n, cost, work, index):
    """List in FREE the variables that may move: the complement of the active set.

    Returns:
        How many; whether any of them has a slope; whether a bound holds one back that has.
    """
    size, moving, held = 0, False, False
    least = STATIONARY * STATIONARY * cost
    for i in range(n):
        if work[LOCKED, i] != 0.0:
            continue
        slope = work[GRADIENT, i]
        steep = slope * slope > least * work[SCALE, i]
        if (work[Q, i] <= work[LOWER, i] and slope <= 0.0) or (
            work[Q, i] >= work[UPPER, i] and slope >= 0.0
        ):
            held = held or steep
            continue
        moving = moving or steep
        index[FREE, size] = i
        size += 1
    return size, moving, held


@compiled
def advance(n, work):
    """Write Q + STEP to TRIAL; returns the largest component of the step."""
    moved = 0.0
    for i in range(n):
        moved = max(moved, abs(work[STEP, i]))
        # The step ends on a bound or within; this only takes off what rounding adds.
        value = work[Q, i] + work[STEP, i]
        work[TRIAL, i] = min(max(value, work[LOWER, i]), work[UPPER, i])
    return moved


@compiled
def chase(chain, rows, cost, memory):
    """A few undamped steps, of which only the last has to be lower than the first.

    In a curved, nearly singular valley every long step goes up its side before the next comes down
    again; a search that must fall with every step creeps along the bottom instead.

    Returns:
        ‖e‖², with TRIAL there; `cost` if that was not reached. Q is as before, what was derived
        there is not.
    """
    n, work, frames, index = chain.n, memory.work, memory.frames, memory.index
    for i in range(n):
        work[CHASED, i] = work[Q, i]
    found = cost
    for _ in range(CHASE_STEPS):
        jacobian_rows(chain, rows, JACOBIAN, work, frames, index)
        linearise(n, rows.count, work)
        size, moving, _ = choose_free(n, found, work, index)
        if not (
            moving and bounded_step(n, rows.count, size, LEAST_DAMPING, work, memory.matrix, index)
        ):
            break
        longest = 0.0
        for i in range(n):
            longest = max(longest, abs(work[STEP, i]))
        share = min(1.0, LONGEST_CHASE / longest)
        for i in range(n):
            value = work[Q, i] + share * work[STEP, i]
            work[Q, i] = min(max(value, work[LOWER, i]), work[UPPER, i])
        found = error_at(chain, Q, rows, ERROR, work, frames, index)
        if found < SLOW * cost:
            break
    for i in range(n):
        work[TRIAL, i] = work[Q, i]
        work[Q, i] = work[CHASED, i]
    for k in range(rows.count):
        work[ERROR_TRIAL, k] = work[ERROR, k]
    return found if found < SLOW * cost else cost


@compiled
def leave_ridge(chain, rows, size, cost, memory):
    """Go down, either way, a direction in which ½‖e‖² curves down, as at a saddle or a ridge.

    Returns:
        The lowest ‖e‖² found, with TRIAL there; `cost` if no way leads down. The Hessian is known
        afterwards.
    """
    work, frames, index = memory.work, memory.frames, memory.index
    find_hessian(chain, rows, size, memory)
    if not negative_curvature(size, work, memory.matrix, memory.hessian, index):
        return cost
    best, best_length, length = cost, 0.0, LONGEST_ESCAPE
    for _ in range(ESCAPE_LENGTHS):
        for sign in (1.0, -1.0):
            displace(chain.n, size, sign * length, work, index)
            found = error_at(chain, TRIAL, rows, ERROR_TRIAL, work, frames, index)
            if found < best:
                best, best_length = found, sign * length
        length *= 0.25
    if best_length != 0.0:
        displace(chain.n, size, best_length, work, index)
        best = error_at(chain, TRIAL, rows, ERROR_TRIAL, work, frames, index)
    return best


@compiled
def hurry(chain, rows, slow, cost, damping, memory):
    """Where progress is slow: at first a chase, from then on off the ridge if there is one.

    Args:
        chain, rows, memory: as of `solve_point`.
        slow: slow steps in a row.
        cost: ‖e‖² at Q, where the Jacobian is known.
        damping: so far.

    Returns:
        ‖e‖² with TRIAL there, or `cost` if nothing was gained; damping for what comes next;
        iterations; whether Q has to be looked at anew before anything else is tried.
    """
    size, moving, _ = choose_free(chain.n, cost, memory.work, memory.index)
    if not moving:
        return cost, damping, 0, False
    if slow == SLOW_STEPS:
        found = chase(chain, rows, cost, memory)
        return found, damping, 1, not found < cost
    found = leave_ridge(chain, rows, size, cost, memory)
    return found, RAISED_DAMPING if found < cost else damping, 1, False


@inlined
def take_trial(n, count, work):
    """Make TRIAL and its error the new Q."""
    for i in range(n):
        work[Q, i] = work[TRIAL, i]
    for k in range(count):
        work[ERROR, k] = work[ERROR_TRIAL, k]


@inlined
def descend(chain, rows, second_order, cost, damping, budget, memory):
    """Damped steps from Q, each with more damping, until one leads down.

    Args:
        chain, rows, memory: as of `solve_point`.
        second_order: solve with the Hessian, which is known, instead of JᵀJ.
        cost: ‖e‖² at Q, where the Jacobian is known.
        damping: of the first step.
        budget: most steps to try.

    Returns:
        ‖e‖² with TRIAL there, or `cost` if no step leads down; damping for what comes next; steps
        tried; whether the budget ended it.
    """
    n, tried = chain.n, 0
    work, matrix, hessian, frames, index = memory
    size, moving, _ = choose_free(n, cost, work, index)
    while moving and damping <= MOST_DAMPING:
        if tried >= budget:
            return cost, damping, tried, True
        tried += 1
        if second_order:
            solved = bounded_newton_step(n, size, damping, work, matrix, hessian, index)
        else:
            solved = bounded_step(n, rows.count, size, damping, work, matrix, index)
        if solved:
            if advance(n, work) < 1e-15:
                break
            found = error_at(chain, TRIAL, rows, ERROR_TRIAL, work, frames, index)
            if found < cost:
                return found, max(0.1 * damping, LEAST_DAMPING), tried, False
        damping = max(10.0 * damping, RAISED_DAMPING)
        size, moving, _ = choose_free(n, cost, work, index)
    return cost, damping, tried, False


@compiled
def solve_point(chain, rows, settings, patient, memory):
    """Bring Q, which starts within bounds, to the goal or as close as it gets.

    Args:
        chain, memory: the chain and the memory of the search.
        rows: the goal, from `prepare`.
        settings: of which tolerance and max_iterations count here.
        patient: go on to an optimum where progress is slow and far from the goal; otherwise that
            counts as the end of the iterations, for another seed is sooner there.

    Returns:
        status, ‖e‖², iterations; ERROR is the error at Q.
    """
    n, work, frames, index = chain.n, memory.work, memory.frames, memory.index
    enough = settings.tolerance * settings.tolerance
    cost = error_at(chain, Q, rows, ERROR, work, frames, index)
    damping = LEAST_DAMPING
    iterations, slow, escapes = 0, 0, 0
    while cost > enough:
        jacobian_rows(chain, rows, JACOBIAN, work, frames, index)
        damping = max(damping, DAMPING * cost / (linearise(n, rows.count, work) + 1e-300))
        found = cost
        if slow >= SLOW_STEPS:
            if slow == SLOW_STEPS and cost > FAR and not patient:
                return ITERATION_LIMIT, cost, iterations
            found, damping, more, again = hurry(chain, rows, slow, cost, damping, memory)
            iterations += more
            if again:
                slow += 1
                cost = error_at(chain, Q, rows, ERROR, work, frames, index)
                continue
            if found < cost:
                slow = 0
        if not found < cost:
            budget = settings.max_iterations - iterations
            found, damping, more, ended = descend(
                chain, rows, slow > SLOW_STEPS, cost, damping, budget, memory
            )
            iterations += more
            if ended:
                return ITERATION_LIMIT, cost, iterations
            if found < cost:
                slow = slow + 1 if found > SLOW * cost else 0
        if not found < cost:
            # Nothing leads down at first order: an optimum, or a saddle to be left.
            size, _, held = choose_free(n, cost, work, index)
            found = leave_ridge(chain, rows, size, cost, memory)
            if not found < cost:
                return (LIMIT_BOUND if held else UNREACHABLE), cost, iterations
            if escapes >= ESCAPES:
                return SINGULAR, cost, iterations
            escapes, slow, damping = escapes + 1, 0, RAISED_DAMPING
        cost = found
        take_trial(n, rows.count, work)
    return CONVERGED, cost, iterations
