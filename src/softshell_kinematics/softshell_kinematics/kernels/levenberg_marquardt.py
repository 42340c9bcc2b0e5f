"""Levenberg–Marquardt for one goal, with bounds inside the iteration.

K. Levenberg, "A method for the solution of certain non-linear problems in least squares", 1944;
D. W. Marquardt, "An algorithm for least-squares estimation of nonlinear parameters", 1963.
"""

import math

from softshell_kinematics.kernels.bundles import Chain, Floats, Memory, Outcome, Rows, Settings
from softshell_kinematics.kernels.compiled import compiled, inlined
from softshell_kinematics.kernels.linear_model import (
    LEAST_DAMPING,
    MOST_DAMPING,
    RAISED_DAMPING,
    advance,
    choose_free,
    linearise,
    visible,
)
from softshell_kinematics.kernels.newton import bounded_newton_step
from softshell_kinematics.kernels.residual import error_at, jacobian_rows
from softshell_kinematics.kernels.slow import (
    FAR_OFF,
    SLOW,
    SLOW_STEPS,
    first_damping,
    hurry,
    leave_ridge,
)
from softshell_kinematics.kernels.step import bounded_step
from softshell_kinematics.kernels.work import ERROR, ERROR_TRIAL, JACOBIAN, TRIAL, Q

CONVERGED, LIMIT_BOUND, UNREACHABLE, SINGULAR, ITERATION_LIMIT = range(5)

#: ‖e‖² beyond which a slow search is given up, so that another seed can be tried.
FAR = 1e-4
#: How often a search may leave a point where the gradient vanishes.
ESCAPES = 5


@inlined
def take_trial(n: int, count: int, work: Floats) -> None:
    """Make TRIAL and its error the new Q."""
    for i in range(n):
        work[Q, i] = work[TRIAL, i]
    for k in range(count):
        work[ERROR, k] = work[ERROR_TRIAL, k]


@inlined
def descend(
    chain: Chain,
    rows: Rows,
    second_order: bool,
    cost: float,
    damping: float,
    budget: int,
    memory: Memory,
) -> tuple[float, float, int, bool]:
    """Try steps from Q, each with more damping, until one lowers the cost.

    Args:
        chain, rows, memory: as of `solve_point`.
        second_order: solve with the Hessian, which is known, instead of JᵀJ.
        cost: ‖e‖² at Q, where the Jacobian is known.
        damping: of the first step.
        budget: most steps to try.

    Returns:
        ‖e‖² at TRIAL, or `cost` if no step lowers it; damping of the next step; steps tried;
        whether the budget ended it.
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
            if not visible(n, cost, work) or advance(n, work) < 1e-15:
                break
            found = error_at(chain, TRIAL, rows, ERROR_TRIAL, work, frames, index)
            if found < cost:
                return found, max(0.1 * damping, LEAST_DAMPING), tried, False
        damping = max(10.0 * damping, RAISED_DAMPING)
        size, moving, _ = choose_free(n, cost, work, index)
    return cost, damping, tried, False


@compiled
def solve_point(
    chain: Chain, rows: Rows, settings: Settings, patient: bool, memory: Memory
) -> Outcome:
    """Bring Q, which starts within bounds, to the goal or as close as it gets.

    Args:
        chain, memory: the chain and the memory of the search.
        rows: the goal, from `prepare`.
        settings: only its max_iterations is used.
        patient: whether to go on where progress is slow and the goal far; else the search ends
            there with ITERATION_LIMIT, so that another seed can be tried.

    Returns:
        status, ‖e‖², iterations; ERROR is the error at Q, which is finite if it converged.
    """
    n, work, frames, index = chain.n, memory.work, memory.frames, memory.index
    cost = error_at(chain, Q, rows, ERROR, work, frames, index)
    damping = LEAST_DAMPING
    iterations, slow, escapes = 0, 0, 0
    while not cost <= rows.enough:
        if not cost < math.inf:
            return ITERATION_LIMIT, cost, iterations
        jacobian_rows(chain, rows, JACOBIAN, work, frames, index)
        share = cost / (linearise(n, rows.count, work) + 1e-300)
        far_off = share > FAR_OFF
        damping = first_damping(slow, far_off, share, damping)
        found = cost
        if slow >= SLOW_STEPS:
            if slow == SLOW_STEPS and cost > FAR and not patient:
                return ITERATION_LIMIT, cost, iterations
            found, damping, more, again = hurry(chain, rows, slow, far_off, cost, damping, memory)
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
            # No step lowers the cost to first order: Q is an optimum, or a saddle to be left.
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
