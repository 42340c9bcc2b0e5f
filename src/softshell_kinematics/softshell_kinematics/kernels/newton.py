"""Second order: for where Gauss–Newton is slow, and to tell an optimum from a saddle.

Levenberg–Marquardt leaves out the curvature of the residual. Near a solution it is negligible;
where the goal cannot be reached, or only at a singular pose, it is what matters.
"""

import math

from softshell_kinematics.kernels.bundles import Chain, Floats, Integers, Memory, Rows
from softshell_kinematics.kernels.compiled import compiled
from softshell_kinematics.kernels.residual import error_at, jacobian_rows
from softshell_kinematics.kernels.step import solve_symmetric, take_step, within_bounds
from softshell_kinematics.kernels.work import (
    ERROR_TRIAL,
    FREE,
    GRADIENT,
    GRADIENT_TRIAL,
    JACOBIAN_TRIAL,
    LOWER,
    SCALE,
    SOLUTION,
    TRIAL,
    UPPER,
    Q,
)

#: Step of the differences [rad] or [m].
DIFFERENCE = 1e-7
#: A curvature counts as negative below minus this share of the largest of diag(JᵀJ).
NEGATIVE = 1e-6


@compiled
def find_hessian(chain: Chain, rows: Rows, size: int, memory: Memory) -> None:
    """Second derivatives of ½‖e‖² over the free variables, by differences of Jᵀe."""
    work, hessian, frames, index = memory.work, memory.hessian, memory.frames, memory.index
    for i in range(chain.n):
        work[TRIAL, i] = work[Q, i]
    for a in range(size):
        j = index[FREE, a]
        work[TRIAL, j] = work[Q, j] + DIFFERENCE
        error_at(chain, TRIAL, rows, ERROR_TRIAL, work, frames, index)
        jacobian_rows(chain, rows, JACOBIAN_TRIAL, work, frames, index)
        work[TRIAL, j] = work[Q, j]
        for b in range(size):
            i = index[FREE, b]
            slope = 0.0
            for k in range(rows.count):
                slope += work[JACOBIAN_TRIAL + k, i] * work[ERROR_TRIAL, k]
            hessian[i, j] = (work[GRADIENT, i] - slope) / DIFFERENCE
    for a in range(size):
        for b in range(a):
            i, j = index[FREE, a], index[FREE, b]
            mean = 0.5 * (hessian[i, j] + hessian[j, i])
            hessian[i, j] = mean
            hessian[j, i] = mean


@compiled
def bounded_newton_step(
    n: int,
    size: int,
    damping: float,
    work: Floats,
    matrix: Floats,
    hessian: Floats,
    index: Integers,
) -> bool:
    """Like `bounded_step`, with the Hessian in place of JᵀJ.

    Returns:
        False if the damped Hessian is not positive definite.
    """
    for i in range(n):
        work[GRADIENT_TRIAL, i] = work[GRADIENT, i]
    remaining = size
    while remaining > 0:
        for a in range(remaining):
            i = index[FREE, a]
            for b in range(a + 1):
                matrix[a, b] = hessian[i, index[FREE, b]]
            matrix[a, a] += damping * work[SCALE, i]
            work[SOLUTION, a] = work[GRADIENT_TRIAL, i]
        # Of a Hessian by differences, what is small is wrong.
        if not solve_symmetric(matrix, remaining, work, SOLUTION, math.inf):
            return False
        kept = within_bounds(remaining, work, index)
        if kept == remaining:
            break
        for a in range(kept, remaining):
            i = index[FREE, a]
            for b in range(kept):
                j = index[FREE, b]
                work[GRADIENT_TRIAL, j] -= hessian[j, i] * work[SOLUTION, a]
        remaining = kept
    take_step(n, size, work, index)
    return True


@compiled
def negative_curvature(
    size: int, work: Floats, matrix: Floats, hessian: Floats, index: Integers
) -> bool:
    """Find a direction in which ½‖e‖² curves down, by elimination.

    Returns:
        Whether there is one; it is in SOLUTION, its largest component 1.
    """
    largest = 0.0
    for a in range(size):
        largest = max(largest, work[SCALE, index[FREE, a]])
    for a in range(size):
        i = index[FREE, a]
        pivot = hessian[i, i]
        for b in range(a):
            total = hessian[i, index[FREE, b]]
            for k in range(b):
                total -= matrix[a, k] * matrix[k, b]
            matrix[b, a] = total
            matrix[a, b] = total * matrix[b, b]
            pivot -= matrix[a, b] * total
        if pivot < -NEGATIVE * largest:
            # With L the factor so far, d = L⁻ᵀ e_a has curvature dᵀHd = pivot < 0.
            norm = 1.0
            work[SOLUTION, a] = 1.0
            for b in range(a - 1, -1, -1):
                total = 0.0
                for k in range(b + 1, a + 1):
                    total += matrix[k, b] * work[SOLUTION, k]
                work[SOLUTION, b] = -total
                norm = max(norm, abs(total))
            for b in range(size):
                work[SOLUTION, b] = work[SOLUTION, b] / norm if b <= a else 0.0
            return True
        # A flat direction is left out of the elimination of the others.
        matrix[a, a] = 1.0 / pivot if pivot > NEGATIVE * largest else 0.0
    return False


@compiled
def displace(n: int, size: int, length: float, work: Floats, index: Integers) -> None:
    """Write Q + length · SOLUTION, kept within bounds, to TRIAL."""
    for i in range(n):
        work[TRIAL, i] = work[Q, i]
    for a in range(size):
        i = index[FREE, a]
        value = work[Q, i] + length * work[SOLUTION, a]
        work[TRIAL, i] = min(max(value, work[LOWER, i]), work[UPPER, i])
