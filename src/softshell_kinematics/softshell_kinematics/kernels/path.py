"""From one point of a path to the next without leaving the branch."""

from softshell_kinematics.kernels.bundles import Chain, Floats, Memory, Settings
from softshell_kinematics.kernels.compiled import compiled
from softshell_kinematics.kernels.levenberg_marquardt import CONVERGED, solve_point
from softshell_kinematics.kernels.residual import prepare
from softshell_kinematics.kernels.so3 import wrapped
from softshell_kinematics.kernels.work import GOAL, GOAL_BEFORE, GOAL_NEXT, Q_BEFORE, Q_PART, Q

#: Parts into which the way from point to point is cut where a step failed or went far.
PARTS = 16


@compiled
def farthest(n: int, work: Floats) -> float:
    """The largest change of a variable since the point before."""
    result = 0.0
    for i in range(n):
        result = max(result, abs(work[Q, i] - work[Q_BEFORE, i]))
    return result


@compiled
def follow(
    chain: Chain, settings: Settings, length: float, memory: Memory
) -> tuple[int, float, int, float]:
    """Go from Q_BEFORE towards the goal in small parts, each started where the last one ended.

    Coordinates move in a straight line from the goal before; one that was free then is constrained
    at once.

    Returns:
        status, ‖e‖², iterations, the largest change of a variable in one part; Q is at the end,
        GOAL the goal again.
    """
    work, n = memory.work, chain.n
    for c in range(6):
        work[GOAL_NEXT, c] = work[GOAL, c]
    for i in range(n):
        work[Q, i] = work[Q_BEFORE, i]
    status, cost, iterations, largest = CONVERGED, 0.0, 0, 0.0
    for part in range(1, PARTS + 1):
        for c in range(6):
            way = work[GOAL_NEXT, c] - work[GOAL_BEFORE, c]
            if c > 2:
                way = wrapped(way)
            work[GOAL, c] = work[GOAL_NEXT, c]
            if way == way and part < PARTS:
                work[GOAL, c] -= way * (1.0 - part / PARTS)
        for i in range(n):
            work[Q_PART, i] = work[Q, i]
        rows = prepare(settings, length, work, memory.index)
        status, cost, more = solve_point(chain, rows, settings, True, memory)
        iterations += more
        for i in range(n):
            largest = max(largest, abs(work[Q, i] - work[Q_PART, i]))
    return status, cost, iterations, largest
