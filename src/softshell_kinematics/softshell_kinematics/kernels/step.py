"""One damped step within bounds: the inner linear algebra of the solver."""

from softshell_kinematics.kernels.bundles import Floats, Integers
from softshell_kinematics.kernels.compiled import compiled
from softshell_kinematics.kernels.work import (
    ERROR,
    FREE,
    JACOBIAN,
    LOWER,
    RIGHT,
    SCALE,
    SOLUTION,
    STEP,
    UPPER,
    Q,
)

#: A pivot with more than this share of its diagonal element left has lost no digits: a joint that
#: moves nothing of the goal has only its damping there, which may be very little.
WHOLE = 1e-3


@compiled
def solve_symmetric(matrix: Floats, size: int, work: Floats, row: int, whole: float) -> bool:
    """Solve matrix · x = work[row] in place by LDLᵀ; of `matrix` the lower part is used.

    Args:
        matrix, size: (size, size) symmetric.
        work, row: the right side, which becomes the solution.
        whole: share of its diagonal element of which a pivot that has more left is taken, however
            small it is.

    Returns:
        False if the matrix is not positive definite to working precision.
    """
    largest = 0.0
    for i in range(size):
        largest = max(largest, matrix[i, i])
    smallest = largest * 1e-15
    for i in range(size):
        pivot = matrix[i, i]
        for j in range(i):
            # Above the diagonal: L times D, kept to save divisions.
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[k, j]
            matrix[j, i] = total
            matrix[i, j] = total * matrix[j, j]
            pivot -= matrix[i, j] * total
        if not (pivot > smallest or pivot > whole * matrix[i, i]):
            return False
        matrix[i, i] = 1.0 / pivot
        for k in range(i):
            work[row, i] -= matrix[i, k] * work[row, k]
    for i in range(size - 1, -1, -1):
        total = work[row, i] * matrix[i, i]
        for k in range(i + 1, size):
            total -= matrix[k, i] * work[row, k]
        work[row, i] = total
    return True


@compiled
def damped(
    count: int, size: int, damping: float, work: Floats, matrix: Floats, index: Integers
) -> bool:
    """Solve (JᵀJ + K D) x = Jᵀ r over the free variables: K damping, D in SCALE, r in RIGHT.

    With fewer rows than variables the equal x = D⁻¹Jᵀ (J D⁻¹ Jᵀ + K I)⁻¹ r is solved instead: it
    is smaller, and well conditioned however small the damping.

    Returns:
        False if it could not be solved; x is in SOLUTION.
    """
    if size <= count:
        for a in range(size):
            i = index[FREE, a]
            for b in range(a + 1):
                j = index[FREE, b]
                total = 0.0
                for k in range(count):
                    total += work[JACOBIAN + k, i] * work[JACOBIAN + k, j]
                matrix[a, b] = total
            matrix[a, a] += damping * work[SCALE, i]
            total = 0.0
            for k in range(count):
                total += work[JACOBIAN + k, i] * work[RIGHT, k]
            work[SOLUTION, a] = total
        return solve_symmetric(matrix, size, work, SOLUTION, WHOLE)
    for k in range(count):
        for m in range(k + 1):
            total = 0.0
            for a in range(size):
                i = index[FREE, a]
                total += work[JACOBIAN + k, i] * work[JACOBIAN + m, i] / work[SCALE, i]
            matrix[k, m] = total
        matrix[k, k] += damping
        # STEP serves as scratch here: `within_bounds` writes it afterwards.
        work[STEP, k] = work[RIGHT, k]
    if not solve_symmetric(matrix, count, work, STEP, WHOLE):
        return False
    for a in range(size):
        i = index[FREE, a]
        total = 0.0
        for k in range(count):
            total += work[JACOBIAN + k, i] * work[STEP, k]
        work[SOLUTION, a] = total / work[SCALE, i]
    return True


@compiled
def bounded_step(
    n: int, count: int, size: int, damping: float, work: Floats, matrix: Floats, index: Integers
) -> bool:
    """Damped step of the free variables that stays within bounds, to STEP.

    A variable that would pass a bound is put on it, and the others are solved for again with the
    error that is then left; so none is clipped afterwards.

    Args:
        n, count: number of variables and of rows.
        size: number of free variables; FREE lists them and is reordered.
        damping: as of `damped`.
        work, matrix, index: see `work`.

    Returns:
        False if the system could not be solved.
    """
    for k in range(count):
        work[RIGHT, k] = work[ERROR, k]
    remaining = size
    while remaining > 0:
        if not damped(count, remaining, damping, work, matrix, index):
            return False
        kept = within_bounds(remaining, work, index)
        if kept == remaining:
            break
        for a in range(kept, remaining):
            i = index[FREE, a]
            for k in range(count):
                work[RIGHT, k] -= work[JACOBIAN + k, i] * work[SOLUTION, a]
        remaining = kept
    take_step(n, size, work, index)
    return True


@compiled
def within_bounds(size: int, work: Floats, index: Integers) -> int:
    """Put variables that the solution would carry past a bound on it.

    Returns:
        How many stay free; those put on a bound follow them in FREE and SOLUTION.
    """
    kept = size
    a = 0
    while a < kept:
        i = index[FREE, a]
        q = work[Q, i]
        if q + work[SOLUTION, a] < work[LOWER, i]:
            work[SOLUTION, a] = work[LOWER, i] - q
        elif q + work[SOLUTION, a] > work[UPPER, i]:
            work[SOLUTION, a] = work[UPPER, i] - q
        else:
            a += 1
            continue
        kept -= 1
        index[FREE, a], index[FREE, kept] = index[FREE, kept], i
        work[SOLUTION, a], work[SOLUTION, kept] = work[SOLUTION, kept], work[SOLUTION, a]
    return kept


@compiled
def take_step(n: int, size: int, work: Floats, index: Integers) -> None:
    """Write the solution of the free variables to STEP, which is 0 for all others."""
    for i in range(n):
        work[STEP, i] = 0.0
    for a in range(size):
        work[STEP, index[FREE, a]] = work[SOLUTION, a]
