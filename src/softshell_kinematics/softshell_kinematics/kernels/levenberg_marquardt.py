"""Levenberg–Marquardt for one goal, with bounds inside the iteration."""

from softshell_kinematics.kernels.compiled import compiled
from softshell_kinematics.kernels.forward import forward
from softshell_kinematics.kernels.newton import (
    bounded_newton_step,
    displace,
    find_hessian,
    negative_curvature,
)
from softshell_kinematics.kernels.residual import jacobian_rows, residual
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
def chase(
    numbers, codes, first, last, n, count, positions, whole, cost,
    work, matrix, hessian, frames, index,
):  # fmt: skip
    """A few undamped steps, of which only the last has to be lower than the first.

    In a curved, nearly singular valley every long step goes up its side before the next comes down
    again; a search that must fall with every step creeps along the bottom instead.

    Returns:
        ‖e‖², with TRIAL there; `cost` if that was not reached. Q is as before, what was derived
        there is not.
    """
    for i in range(n):
        work[CHASED, i] = work[Q, i]
    found = cost
    for _ in range(CHASE_STEPS):
        jacobian_rows(
            numbers, codes, first, last, n, count, positions, whole, work, frames, index, JACOBIAN
        )
        linearise(n, count, work)
        size, moving, _ = choose_free(n, found, work, index)
        if not (moving and bounded_step(count, n, size, LEAST_DAMPING, work, matrix, index)):
            break
        longest = 0.0
        for i in range(n):
            longest = max(longest, abs(work[STEP, i]))
        share = min(1.0, LONGEST_CHASE / longest)
        for i in range(n):
            value = work[Q, i] + share * work[STEP, i]
            work[Q, i] = min(max(value, work[LOWER, i]), work[UPPER, i])
        forward(numbers, codes, first, last, work, Q, frames)
        found = residual(count, positions, whole, work, index, ERROR)
        if found < SLOW * cost:
            break
    for i in range(n):
        work[TRIAL, i] = work[Q, i]
        work[Q, i] = work[CHASED, i]
    for k in range(count):
        work[ERROR_TRIAL, k] = work[ERROR, k]
    return found if found < SLOW * cost else cost


@compiled
def leave_ridge(
    numbers, codes, first, last, n, count, positions, whole, size, cost,
    work, matrix, hessian, frames, index,
):  # fmt: skip
    """Go down, either way, a direction in which ½‖e‖² curves down, as at a saddle or a ridge.

    Returns:
        The lowest ‖e‖² found, with TRIAL there; `cost` if no way leads down. The Hessian is known
        afterwards.
    """
    find_hessian(
        numbers, codes, first, last, n, count, positions, whole, size, work, hessian, frames,
        index,
    )  # fmt: skip
    if not negative_curvature(size, work, matrix, hessian, index):
        return cost
    best, best_length, length = cost, 0.0, LONGEST_ESCAPE
    for _ in range(ESCAPE_LENGTHS):
        for sign in (1.0, -1.0):
            displace(n, size, sign * length, work, index)
            forward(numbers, codes, first, last, work, TRIAL, frames)
            found = residual(count, positions, whole, work, index, ERROR_TRIAL)
            if found < best:
                best, best_length = found, sign * length
        length *= 0.25
    if best_length != 0.0:
        displace(n, size, best_length, work, index)
        forward(numbers, codes, first, last, work, TRIAL, frames)
        best = residual(count, positions, whole, work, index, ERROR_TRIAL)
    return best


@compiled
def solve_point(
    numbers, codes, first, last, n, count, positions, whole, tolerance, most_iterations,
    patient, work, matrix, hessian, frames, index,
):  # fmt: skip
    """Bring Q, which starts within bounds, to the goal or as close as it gets.

    Args:
        numbers, codes, first, last, n: the chain.
        count, positions, whole: the goal, from `prepare`.
        patient: go on to an optimum where progress is slow and far from the goal; otherwise that
            counts as the end of the iterations, for another seed is sooner there.
        work, matrix, hessian, frames, index: see `work`.

    Returns:
        status, ‖e‖², iterations; ERROR is the error at Q.
    """
    enough = tolerance * tolerance
    forward(numbers, codes, first, last, work, Q, frames)
    cost = residual(count, positions, whole, work, index, ERROR)
    damping = LEAST_DAMPING
    iterations, slow, escapes = 0, 0, 0
    while cost > enough:
        jacobian_rows(
            numbers, codes, first, last, n, count, positions, whole, work, frames, index, JACOBIAN
        )
        largest = linearise(n, count, work)
        damping = max(damping, DAMPING * cost / (largest + 1e-300))
        size, moving, held = choose_free(n, cost, work, index)
        second_order = slow > SLOW_STEPS
        found = cost
        if slow == SLOW_STEPS and cost > FAR and not patient:
            return ITERATION_LIMIT, cost, iterations
        if moving and slow == SLOW_STEPS:
            iterations += 1
            found = chase(
                numbers, codes, first, last, n, count, positions, whole, cost,
                work, matrix, hessian, frames, index,
            )  # fmt: skip
            if not found < cost:
                slow += 1
                forward(numbers, codes, first, last, work, Q, frames)
                cost = residual(count, positions, whole, work, index, ERROR)
                continue
            slow = 0
        if moving and second_order:
            iterations += 1
            found = leave_ridge(
                numbers, codes, first, last, n, count, positions, whole, size, cost,
                work, matrix, hessian, frames, index,
            )  # fmt: skip
            if found < cost:
                slow = 0
                damping = RAISED_DAMPING
        while moving and not found < cost and damping <= MOST_DAMPING:
            if iterations >= most_iterations:
                return ITERATION_LIMIT, cost, iterations
            iterations += 1
            if second_order:
                solved = bounded_newton_step(n, size, damping, work, matrix, hessian, index)
            else:
                solved = bounded_step(count, n, size, damping, work, matrix, index)
            if solved:
                if advance(n, work) < 1e-15:
                    break
                forward(numbers, codes, first, last, work, TRIAL, frames)
                found = residual(count, positions, whole, work, index, ERROR_TRIAL)
                if found < cost:
                    slow = slow + 1 if found > SLOW * cost else 0
                    damping = max(0.1 * damping, LEAST_DAMPING)
                    break
            damping = max(10.0 * damping, RAISED_DAMPING)
            size, moving, held = choose_free(n, cost, work, index)
        if not found < cost:
            # Nothing leads down at first order: an optimum, or a saddle to be left.
            size, moving, held = choose_free(n, cost, work, index)
            found = leave_ridge(
                numbers, codes, first, last, n, count, positions, whole, size, cost,
                work, matrix, hessian, frames, index,
            )  # fmt: skip
            if not found < cost:
                return (LIMIT_BOUND if held else UNREACHABLE), cost, iterations
            if escapes >= ESCAPES:
                return SINGULAR, cost, iterations
            escapes += 1
            slow = 0
            damping = RAISED_DAMPING
        cost = found
        for i in range(n):
            work[Q, i] = work[TRIAL, i]
        for k in range(count):
            work[ERROR, k] = work[ERROR_TRIAL, k]
    return CONVERGED, cost, iterations
