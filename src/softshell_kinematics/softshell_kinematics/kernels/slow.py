"""What a search does where progress is slow: undamped steps, leaving a ridge, second order."""

from softshell_kinematics.kernels.bundles import Chain, Memory, Rows
from softshell_kinematics.kernels.compiled import compiled, inlined
from softshell_kinematics.kernels.linear_model import (
    DAMPING,
    LEAST_DAMPING,
    RAISED_DAMPING,
    choose_free,
    linearise,
)
from softshell_kinematics.kernels.newton import displace, find_hessian, negative_curvature
from softshell_kinematics.kernels.residual import error_at, jacobian_rows
from softshell_kinematics.kernels.step import bounded_step
from softshell_kinematics.kernels.work import (
    CHASED,
    ERROR,
    ERROR_TRIAL,
    JACOBIAN,
    LOWER,
    STEP,
    TRIAL,
    UPPER,
    Q,
)

#: A step that leaves more than this share of the cost is slow; after so many in a row, the
#: residual's curvature is taken into account.
SLOW = 0.5
SLOW_STEPS = 3
#: ‖e‖² over the largest of diag(JᵀJ) beyond which the residual's curvature outweighs JᵀJ.
FAR_OFF = 0.5
#: Undamped steps of one chase, and the longest of them [rad] or [m].
CHASE_STEPS = 4
LONGEST_CHASE = 0.5
#: How far to step off a ridge [rad] or [m], and how many quarters of that are tried as well.
LONGEST_ESCAPE = 0.4
ESCAPE_LENGTHS = 5


@compiled
def chase(chain: Chain, rows: Rows, cost: float, memory: Memory) -> float:
    """Take a few undamped steps, of which only the last has to lower the cost.

    In a curved, nearly singular valley a long step goes up its side, and the next comes down. A
    search that has to fall with every step can only take short ones there.

    Returns:
        ‖e‖² at TRIAL if it is below `SLOW` times `cost`, else `cost`. Q is as before, but no
        longer the Jacobian and the error there.
    """
    n, work, frames, index = chain.n, memory.work, memory.frames, memory.index
    for i in range(n):
        work[CHASED, i] = work[Q, i]
    found = cost
    for _ in range(CHASE_STEPS):
        jacobian_rows(chain, rows, JACOBIAN, work, frames, index)
        linearise(n, rows.count, work)
        size, moving, _ = choose_free(n, found, work, index)
        if not (
            moving and bounded_step(n, rows.count, size, LEAST_DAMPING, work, memory.matrix, index)
        ):
            break
        longest = 0.0
        for i in range(n):
            longest = max(longest, abs(work[STEP, i]))
        share = min(1.0, LONGEST_CHASE / longest)
        for i in range(n):
            value = work[Q, i] + share * work[STEP, i]
            work[Q, i] = min(max(value, work[LOWER, i]), work[UPPER, i])
        found = error_at(chain, Q, rows, ERROR, work, frames, index)
        if found < SLOW * cost:
            break
    for i in range(n):
        work[TRIAL, i] = work[Q, i]
        work[Q, i] = work[CHASED, i]
    for k in range(rows.count):
        work[ERROR_TRIAL, k] = work[ERROR, k]
    return found if found < SLOW * cost else cost


@compiled
def leave_ridge(chain: Chain, rows: Rows, size: int, cost: float, memory: Memory) -> float:
    """Step along a direction, either way, in which ½‖e‖² curves down, as at a saddle or a ridge.

    Returns:
        The lowest ‖e‖² found, at TRIAL; `cost` if no step lowers it. The Hessian at Q is known
        afterwards.
    """
    work, frames, index = memory.work, memory.frames, memory.index
    find_hessian(chain, rows, size, memory)
    if not negative_curvature(size, work, memory.matrix, memory.hessian, index):
        return cost
    best, best_length, length = cost, 0.0, LONGEST_ESCAPE
    for _ in range(ESCAPE_LENGTHS):
        for sign in (1.0, -1.0):
            displace(chain.n, size, sign * length, work, index)
            found = error_at(chain, TRIAL, rows, ERROR_TRIAL, work, frames, index)
            if found < best:
                best, best_length = found, sign * length
        length *= 0.25
    if best_length != 0.0:
        displace(chain.n, size, best_length, work, index)
        best = error_at(chain, TRIAL, rows, ERROR_TRIAL, work, frames, index)
    return best


@compiled
def hurry(
    chain: Chain, rows: Rows, slow: int, far_off: bool, cost: float, damping: float, memory: Memory
) -> tuple[float, float, int, bool]:
    """Where progress is slow: at first a chase, then a step off the ridge if there is one.

    Far off the goal almost every place is a ridge; steps with the Hessian, which is found here,
    are faster there.

    Args:
        chain, rows, memory: as of `solve_point`.
        slow: slow steps in a row.
        far_off: whether ‖e‖² over the largest of diag(JᵀJ) is above FAR_OFF.
        cost: ‖e‖² at Q, where the Jacobian is known.
        damping: so far.

    Returns:
        ‖e‖² at TRIAL, or `cost` if nothing was gained; damping of the next step; iterations;
        whether error and Jacobian at Q have to be found again before anything else is tried.
    """
    size, moving, _ = choose_free(chain.n, cost, memory.work, memory.index)
    if not moving:
        return cost, damping, 0, False
    if slow == SLOW_STEPS:
        found = chase(chain, rows, cost, memory)
        return found, damping, 1, not found < cost
    if far_off:
        find_hessian(chain, rows, size, memory)
        return cost, damping, 1, False
    found = leave_ridge(chain, rows, size, cost, memory)
    return found, RAISED_DAMPING if found < cost else damping, 1, False


@inlined
def first_damping(slow: int, far_off: bool, share: float, damping: float) -> float:
    """Damping of the first step from Q.

    For JᵀJ it is proportional to ‖e‖² or larger. For the Hessian far off the goal, which then
    outweighs JᵀJ by far, this would make steps too short: there it starts small, and is then what
    the step before left.

    Args:
        slow: slow steps in a row.
        far_off: whether ‖e‖² over the largest of diag(JᵀJ) is above FAR_OFF.
        share: ‖e‖² over the largest of diag(JᵀJ).
        damping: so far.
    """
    if far_off and slow == SLOW_STEPS + 1:
        return min(damping, RAISED_DAMPING)
    if far_off and slow > SLOW_STEPS:
        return damping
    return max(damping, DAMPING * share)
