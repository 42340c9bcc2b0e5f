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

FIRST_DAMPING = 1e-5
LEAST_DAMPING = 1e-12
RAISED_DAMPING = 1e-3
MOST_DAMPING = 1e12
#: A gradient is zero if the cosine of its angle to the error is below this.
STATIONARY = 1e-10
#: A step that leaves more than this share of the cost is slow; after so many in a row, the
#: residual's curvature is taken into account.
SLOW = 0.3
SLOW_STEPS = 3
#: How far to step off a saddle [rad] or [m], and how often.
ESCAPE = 0.1
ESCAPES = 5


@compiled
def linearise(n, count, work):
    """Jᵀe and diag(JᵀJ) from the Jacobian and the error."""
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
def solve_point(
    numbers, codes, first, last, n, count, positions, whole, tolerance, most_iterations,
    work, matrix, hessian, frames, index,
):  # fmt: skip
    """Bring Q, which starts within bounds, to the goal or as close as it gets.

    Args:
        numbers, codes, first, last, n: the chain.
        count, positions, whole: the goal, from `prepare`.
        work, matrix, hessian, frames, index: see `work`.

    Returns:
        status, ‖e‖², iterations; ERROR is the error at Q.
    """
    enough = tolerance * tolerance
    forward(numbers, codes, first, last, work, Q, frames)
    cost = residual(count, positions, whole, work, index, ERROR)
    damping = FIRST_DAMPING
    iterations, slow, escapes = 0, 0, 0
    while cost > enough:
        jacobian_rows(
            numbers, codes, first, last, n, count, positions, whole, work, frames, index, JACOBIAN
        )
        linearise(n, count, work)
        size, moving, held = choose_free(n, cost, work, index)
        second_order = slow >= SLOW_STEPS
        if moving and second_order:
            find_hessian(
                numbers, codes, first, last, n, count, positions, whole, size,
                work, hessian, frames, index,
            )  # fmt: skip
        found = cost
        while moving and damping <= MOST_DAMPING:
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
                    break
            damping = max(10.0 * damping, RAISED_DAMPING)
            size, moving, held = choose_free(n, cost, work, index)
        if found < cost:
            slow = slow + 1 if found > SLOW * cost else 0
            damping = max(0.1 * damping, LEAST_DAMPING)
        else:
            # Nothing leads down at first order: an optimum, or a saddle to be left.
            size, moving, held = choose_free(n, cost, work, index)
            find_hessian(
                numbers, codes, first, last, n, count, positions, whole, size,
                work, hessian, frames, index,
            )  # fmt: skip
            best, side = cost, 0.0
            if negative_curvature(size, work, matrix, hessian, index):
                for sign in (1.0, -1.0):
                    displace(n, size, sign * ESCAPE, work, index)
                    forward(numbers, codes, first, last, work, TRIAL, frames)
                    trial = residual(count, positions, whole, work, index, ERROR_TRIAL)
                    if trial < best:
                        best, side = trial, sign
            if side == 0.0:
                return (LIMIT_BOUND if held else UNREACHABLE), cost, iterations
            if escapes >= ESCAPES:
                return SINGULAR, cost, iterations
            escapes += 1
            damping = RAISED_DAMPING
            displace(n, size, side * ESCAPE, work, index)
            forward(numbers, codes, first, last, work, TRIAL, frames)
            found = residual(count, positions, whole, work, index, ERROR_TRIAL)
        cost = found
        for i in range(n):
            work[Q, i] = work[TRIAL, i]
        for k in range(count):
            work[ERROR, k] = work[ERROR_TRIAL, k]
    return CONVERGED, cost, iterations
