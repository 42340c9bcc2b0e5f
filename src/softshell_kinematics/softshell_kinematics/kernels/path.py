"""From one point of a path to the next without leaving the branch."""

from softshell_kinematics.kernels.bundles import Chain, Floats, Memory, Settings
from softshell_kinematics.kernels.compiled import compiled
from softshell_kinematics.kernels.levenberg_marquardt import CONVERGED, solve_point
from softshell_kinematics.kernels.residual import BALANCE, prepare
from softshell_kinematics.kernels.so3 import wrapped
from softshell_kinematics.kernels.work import GOAL, GOAL_BEFORE, GOAL_NEXT, Q_BEFORE, Q_PART, Q

#: Parts into which the way from point to point is cut where a step failed or went far.
PARTS = 16


@compiled
def unit_of(chain: Chain, row: int, length: float) -> float:
    """By how much a change of its variable counts for a joint: a turn in rad, a slide in reaches.

    Args:
        chain: with the joint.
        row: of the joint.
        length: as of `prepare`.
    """
    if chain.codes[row, 0] == 0:
        return 1.0
    reaches: float = abs(chain.numbers[row, 12]) * BALANCE / length
    return reaches


@compiled
def farthest(chain: Chain, length: float, work: Floats, before: int) -> float:
    """The largest change, as `unit_of` counts it, from a row of `work` to Q."""
    result = 0.0
    for row in range(chain.first, chain.last):
        i = chain.codes[row, 1]
        change = abs(work[Q, i] - work[before, i])
        result = max(result, unit_of(chain, row, length) * change)
    return result


@compiled
def follow(
    chain: Chain, settings: Settings, length: float, memory: Memory
) -> tuple[int, float, int, float]:
    """Go from Q_BEFORE towards the goal in small parts, each started where the last one ended.

    Coordinates move in a straight line from the goal before; one that was free then is constrained
    at once.

    Returns:
        status, ‖e‖², iterations, the largest change in one part, as of `farthest`; Q is at the
        end, GOAL the goal again.
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
        largest = max(largest, farthest(chain, length, work, Q_PART))
    return status, cost, iterations, largest
