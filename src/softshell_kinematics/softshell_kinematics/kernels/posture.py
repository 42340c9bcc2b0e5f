"""Redundant chains: towards a posture, without moving the tip.

By projection of the way there on the null space of the Jacobian (A. Liégeois, "Automatic
supervisory control of the configuration and behavior of multibody mechanisms", IEEE Trans. SMC 7,
1977).
"""

from softshell_kinematics.kernels.bundles import Chain, Floats, Integers, Memory, Rows, Settings
from softshell_kinematics.kernels.compiled import compiled
from softshell_kinematics.kernels.levenberg_marquardt import CONVERGED, solve_point
from softshell_kinematics.kernels.path import unit_of
from softshell_kinematics.kernels.residual import error_at, jacobian_rows
from softshell_kinematics.kernels.step import damped
from softshell_kinematics.kernels.work import (
    BEST,
    ERROR,
    FREE,
    JACOBIAN,
    LOCKED,
    LOWER,
    POSTURE,
    RIGHT,
    SCALE,
    SOLUTION,
    STEP,
    UPPER,
    Q,
)

#: Most steps.
STEPS = 100
#: Largest component of a step that is too small to be taken [rad] or [m].
ENOUGH = 1e-7
#: Longest step [rad], or for a joint that slides in reaches.
LONGEST = 0.5


@compiled
def nullspace_step(n: int, count: int, work: Floats, matrix: Floats, index: Integers) -> float:
    """Write to STEP the way to POSTURE without its part that would move the tip.

    With Δ₀ = posture - q that is Δ₀ - Jᵀ(J Jᵀ + K I)⁻¹ J Δ₀ over the variables that may move.

    Returns:
        The largest component of the step; 0 if the chain is not redundant.
    """
    size = 0
    for i in range(n):
        way = work[POSTURE, i] - work[Q, i]
        work[SCALE, i] = 1.0
        held = work[LOCKED, i] != 0.0 or way != way
        held = held or (work[Q, i] <= work[LOWER, i] and way < 0.0)
        if held or (work[Q, i] >= work[UPPER, i] and way > 0.0):
            way = 0.0
        if work[LOCKED, i] == 0.0:
            index[FREE, size] = i
            size += 1
        work[BEST, i] = way
    if size <= count:
        return 0.0
    for k in range(count):
        total = 0.0
        for i in range(n):
            total += work[JACOBIAN + k, i] * work[BEST, i]
        work[RIGHT, k] = total
    if not damped(count, size, 1e-9, work, matrix, index):
        return 0.0
    for i in range(n):
        work[STEP, i] = work[BEST, i]
    for a in range(size):
        work[STEP, index[FREE, a]] -= work[SOLUTION, a]
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(work[STEP, i]))
    return largest


@compiled
def distance(n: int, work: Floats, row: int) -> float:
    """Squared distance of a row of `work` to POSTURE, over the variables that have one."""
    total = 0.0
    for i in range(n):
        way = work[POSTURE, i] - work[row, i]
        if way == way:
            total += way * way
    return total


@compiled
def longest(chain: Chain, length: float, work: Floats) -> float:
    """The largest component of STEP as `unit_of` counts it."""
    result = 0.0
    for row in range(chain.first, chain.last):
        result = max(result, unit_of(chain, row, length) * abs(work[STEP, chain.codes[row, 1]]))
    return result


@compiled
def take_posture(
    chain: Chain, rows: Rows, settings: Settings, length: float, memory: Memory
) -> int:
    """From a converged Q go as near to POSTURE as the goal allows; returns iterations.

    Args:
        chain, rows, settings, memory: as of `solve_point`.
        length: as of `prepare`.
    """
    n, work, frames, index = chain.n, memory.work, memory.frames, memory.index
    iterations = 0
    part = 1.0
    error_at(chain, Q, rows, ERROR, work, frames, index)
    for _ in range(STEPS):
        jacobian_rows(chain, rows, JACOBIAN, work, frames, index)
        largest = nullspace_step(n, rows.count, work, memory.matrix, index)
        if largest < ENOUGH:
            break
        most = longest(chain, length, work)
        before = distance(n, work, Q)
        for i in range(n):
            work[BEST, i] = work[Q, i]
            value = work[Q, i] + part * min(1.0, LONGEST / most) * work[STEP, i]
            work[Q, i] = min(max(value, work[LOWER, i]), work[UPPER, i])
        status, _, more = solve_point(chain, rows, settings, True, memory)
        iterations += more + 1
        if status == CONVERGED and distance(n, work, Q) < before - 1e-14:
            part = min(1.0, 2.0 * part)
        else:
            for i in range(n):
                work[Q, i] = work[BEST, i]
            part *= 0.25
        error_at(chain, Q, rows, ERROR, work, frames, index)
        if part < 1e-3:
            break
    return iterations
