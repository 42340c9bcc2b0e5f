"""Levenberg–Marquardt for one goal, with bounds inside the iteration."""

import math

from softshell_kinematics.kernels.compiled import compiled
from softshell_kinematics.kernels.forward import forward
from softshell_kinematics.kernels.residual import jacobian_rows, residual
from softshell_kinematics.kernels.step import bounded_step

CONVERGED, LIMIT_BOUND, UNREACHABLE, SINGULAR, ITERATION_LIMIT = range(5)

FIRST_DAMPING = 1e-5
LEAST_DAMPING = 1e-12
RAISED_DAMPING = 1e-3
MOST_DAMPING = 1e12
#: A gradient is zero if its angle to the error is this close to a right angle.
STATIONARY = 1e-10
PROBE = 0.02
PROBES = 4


@compiled
def probe(
    numbers, codes, first, last, tool, goal, target, rows, count, whole, weight_position,
    weight_rotation, q, q_next, locked, lower, upper, axes, origins, pose, error_next, cost,
):  # fmt: skip
    """Look for a better place one variable away from where the gradient vanishes.

    Returns:
        The lowest cost found, with `q_next` there; `cost` itself if none is lower.
    """
    best, variable, value = cost, -1, 0.0
    for i in range(q.shape[0]):
        q_next[i] = q[i]
    for i in range(q.shape[0]):
        if locked[i] != 0:
            continue
        for sign in (-1.0, 1.0):
            q_next[i] = min(max(q[i] + sign * PROBE, lower[i]), upper[i])
            forward(numbers, codes, first, last, tool, q_next, axes, origins, pose)
            found = residual(
                pose, goal, target, rows, count, whole, weight_position, weight_rotation,
                error_next,
            )  # fmt: skip
            if found < best * (1.0 - 1e-6):
                best, variable, value = found, i, q_next[i]
        q_next[i] = q[i]
    if variable >= 0:
        q_next[variable] = value
    return best


@compiled
def solve_point(
    numbers, codes, first, last, tool, goal, target, rows, count, whole,
    weight_position, weight_rotation, tolerance, most_iterations,
    locked, lower, upper, q,
    q_next, axes, origins, pose, error, error_next, jacobian, scale, gradient, free,
    right, matrix, solution, step,
):  # fmt: skip
    """Bring q, which starts within bounds, to the goal or as close as it gets.

    Args:
        numbers, codes, first, last, tool: the chain, as in `forward`.
        goal, target, rows, count, whole: the goal, as in `residual.prepare`.
        locked: (variables,) not 0 where a variable must keep its value.
        lower, upper: (variables,) bounds.
        q: (variables,) read and written.
        the rest: scratch.

    Returns:
        status, square of the weighted residual, iterations.
    """
    variables = q.shape[0]
    goal_cost = tolerance * tolerance
    forward(numbers, codes, first, last, tool, q, axes, origins, pose)
    cost = residual(
        pose, goal, target, rows, count, whole, weight_position, weight_rotation, error
    )
    if cost <= goal_cost:
        return CONVERGED, cost, 0
    damping = FIRST_DAMPING
    iterations = 0
    probes = 0
    while True:
        jacobian_rows(
            numbers, codes, first, last, variables, axes, origins, pose,
            rows, count, whole, weight_position, weight_rotation, jacobian,
        )  # fmt: skip
        largest = 0.0
        for i in range(variables):
            square, slope = 0.0, 0.0
            for k in range(count):
                square += jacobian[k, i] * jacobian[k, i]
                slope += jacobian[k, i] * error[k]
            scale[i] = square
            gradient[i] = slope
            largest = max(largest, square)
        held = False
        moving = False
        open_variables = 0
        for i in range(variables):
            scale[i] = max(scale[i], 1e-12 * largest + 1e-300)
            if locked[i] != 0:
                continue
            steep = abs(gradient[i]) > STATIONARY * math.sqrt(scale[i] * cost)
            if (q[i] <= lower[i] and gradient[i] <= 0.0) or (
                q[i] >= upper[i] and gradient[i] >= 0.0
            ):
                held = held or steep
                continue
            moving = moving or steep
            free[open_variables] = i
            open_variables += 1
        accepted = False
        exhausted = iterations >= most_iterations
        while moving and not exhausted and damping <= MOST_DAMPING:
            solved = bounded_step(
                jacobian, count, free, open_variables, scale, damping, error, lower, upper, q,
                right, matrix, solution, step,
            )  # fmt: skip
            iterations += 1
            exhausted = iterations >= most_iterations
            if solved:
                moved = 0.0
                for i in range(variables):
                    moved = max(moved, abs(step[i]))
                    q_next[i] = min(max(q[i] + step[i], lower[i]), upper[i])
                if moved < 1e-15:
                    break
                forward(numbers, codes, first, last, tool, q_next, axes, origins, pose)
                found = residual(
                    pose, goal, target, rows, count, whole, weight_position, weight_rotation,
                    error_next,
                )  # fmt: skip
                if found < cost:
                    accepted = True
                    break
            damping = max(10.0 * damping, RAISED_DAMPING)
            open_variables = 0
            for i in range(variables):
                stopped = (q[i] <= lower[i] and gradient[i] <= 0.0) or (
                    q[i] >= upper[i] and gradient[i] >= 0.0
                )
                if locked[i] == 0 and not stopped:
                    free[open_variables] = i
                    open_variables += 1
        if accepted:
            cost = found
            for i in range(variables):
                q[i] = q_next[i]
            for k in range(count):
                error[k] = error_next[k]
            if cost <= goal_cost:
                return CONVERGED, cost, iterations
            damping = max(0.1 * damping, LEAST_DAMPING)
            continue
        if exhausted:
            return ITERATION_LIMIT, cost, iterations
        # The gradient vanishes here: an optimum, or a saddle to be left.
        found = probe(
            numbers, codes, first, last, tool, goal, target, rows, count, whole,
            weight_position, weight_rotation, q, q_next, locked, lower, upper,
            axes, origins, pose, error_next, cost,
        )  # fmt: skip
        if found < cost:
            if probes >= PROBES:
                return SINGULAR, cost, iterations
            probes += 1
            for i in range(variables):
                q[i] = q_next[i]
            forward(numbers, codes, first, last, tool, q, axes, origins, pose)
            cost = residual(
                pose, goal, target, rows, count, whole, weight_position, weight_rotation, error
            )
            damping = RAISED_DAMPING
            continue
        return (LIMIT_BOUND if held else UNREACHABLE), cost, iterations
