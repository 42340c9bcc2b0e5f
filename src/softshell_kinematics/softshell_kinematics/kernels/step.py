"""One damped step within bounds: the inner linear algebra of the solver."""

from softshell_kinematics.kernels.compiled import compiled


@compiled
def solve_symmetric(matrix, size, right):
    """Solve matrix · x = right in place by LDLᵀ; matrix (size, size) symmetric, lower part used.

    Returns:
        False if the matrix is not positive definite to working precision.
    """
    largest = 0.0
    for i in range(size):
        largest = max(largest, matrix[i, i])
    smallest = largest * 1e-15
    for i in range(size):
        for j in range(i):
            # Above the diagonal: the row of L times D, kept to save the division.
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[k, j]
            matrix[j, i] = total
            matrix[i, j] = total * matrix[j, j]
        pivot = matrix[i, i]
        for k in range(i):
            pivot -= matrix[i, k] * matrix[k, i]
        if not pivot > smallest:
            return False
        matrix[i, i] = 1.0 / pivot
    for i in range(size):
        for k in range(i):
            right[i] -= matrix[i, k] * right[k]
    for i in range(size):
        right[i] *= matrix[i, i]
    for i in range(size - 1, -1, -1):
        for k in range(i + 1, size):
            right[i] -= matrix[k, i] * right[k]
    return True


@compiled
def damped(jacobian, count, free, size, scale, damping, right, matrix, solution):
    """Solve (JᵀJ + K D) x = Jᵀ r over the free variables, D = diag(JᵀJ).

    With fewer rows than variables the equal D⁻¹Jᵀ (J D⁻¹ Jᵀ + K)⁻¹ r is solved instead: smaller,
    and well conditioned however small the damping.

    Args:
        jacobian: (count, variables)
        free: the first `size` entries index the free variables.
        scale: (variables,) D.
        damping: K.
        right: (count,) r.
        matrix: scratch.
        solution: (size,) written.
    """
    if size <= count:
        for a in range(size):
            i = free[a]
            for b in range(a + 1):
                j = free[b]
                total = 0.0
                for k in range(count):
                    total += jacobian[k, i] * jacobian[k, j]
                matrix[a, b] = total
            matrix[a, a] += damping * scale[i]
            total = 0.0
            for k in range(count):
                total += jacobian[k, i] * right[k]
            solution[a] = total
        return solve_symmetric(matrix, size, solution)
    for k in range(count):
        for m in range(k + 1):
            total = 0.0
            for a in range(size):
                i = free[a]
                total += jacobian[k, i] * jacobian[m, i] / scale[i]
            matrix[k, m] = total
        matrix[k, k] += damping
        # The last row of the scratch holds the right side: the solution has `size` entries.
        matrix[size, k] = right[k]
    if not solve_symmetric(matrix, count, matrix[size]):
        return False
    for a in range(size):
        i = free[a]
        total = 0.0
        for k in range(count):
            total += jacobian[k, i] * matrix[size, k]
        solution[a] = total / scale[i]
    return True


@compiled
def bounded_step(
    jacobian, count, free, size, scale, damping, error, lower, upper, q,
    right, matrix, solution, step,
):  # fmt: skip
    """Damped step of the free variables that stays within bounds.

    A variable that would pass a bound is put on it, and the others are solved for again with what
    that leaves of the error; so none is clipped after the fact.

    Args:
        free: indices of the free variables; reordered.
        step: (variables,) written.

    Returns:
        False if the system could not be solved.
    """
    for i in range(q.shape[0]):
        step[i] = 0.0
    for k in range(count):
        right[k] = error[k]
    while size > 0:
        if not damped(jacobian, count, free, size, scale, damping, right, matrix, solution):
            return False
        kept = 0
        for a in range(size):
            i = free[a]
            if q[i] + solution[a] < lower[i]:
                step[i] = lower[i] - q[i]
            elif q[i] + solution[a] > upper[i]:
                step[i] = upper[i] - q[i]
            else:
                step[i] = solution[a]
                free[kept] = i
                kept += 1
                continue
            for k in range(count):
                right[k] -= jacobian[k, i] * step[i]
        if kept == size:
            return True
        size = kept
    return True
