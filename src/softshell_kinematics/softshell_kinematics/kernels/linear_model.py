"""The linear model of the error at Q: its damping, its free variables, and what a step gains."""

from softshell_kinematics.kernels.bundles import Floats, Integers
from softshell_kinematics.kernels.compiled import compiled, inlined
from softshell_kinematics.kernels.work import (
    ERROR,
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

#: Damping per unit of ‖e‖² over the largest of diag(JᵀJ). So it falls to 0 at the goal, and far
#: from it keeps steps where the linear model holds; as in T. Sugihara, "Solvability-unconcerned
#: inverse kinematics by the Levenberg–Marquardt method", IEEE Trans. Robotics 27, 2011.
DAMPING = 0.2
LEAST_DAMPING = 1e-12
RAISED_DAMPING = 1e-3
MOST_DAMPING = 1e12
#: A slope is zero if the cosine of the angle between that column of J and e is below this.
STATIONARY = 1e-10
#: A joint moves nothing of the goal if its column, squared, is below this share of the largest;
#: what is in it is rounding.
IDLE = 1e-26
#: A step that gains less than this share of the cost gains less than the error of rounding.
INVISIBLE = 1e-16


@compiled
def linearise(n: int, count: int, work: Floats) -> float:
    """Jᵀe and diag(JᵀJ) from the Jacobian and the error; returns the largest of the latter.

    Columns that are only rounding become 0, so that no step moves their joints.
    """
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
        if work[SCALE, i] < IDLE * largest:
            work[GRADIENT, i] = 0.0
            for k in range(count):
                work[JACOBIAN + k, i] = 0.0
        work[SCALE, i] = max(work[SCALE, i], 1e-12 * largest + 1e-300)
    return largest


@compiled
def choose_free(n: int, cost: float, work: Floats, index: Integers) -> tuple[int, bool, bool]:
    """List in FREE the variables that may move: the complement of the active set.

    Active is what is on a bound and would be moved past it by the gradient (D. P. Bertsekas,
    "Projected Newton methods for optimization problems with simple constraints", 1982).

    Returns:
        How many; whether any of them has a slope; whether an active variable has one.
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
def advance(n: int, work: Floats) -> float:
    """Write Q + STEP to TRIAL; returns the largest component of the step."""
    moved = 0.0
    for i in range(n):
        moved = max(moved, abs(work[STEP, i]))
        # The step ends within bounds; this only removes what rounding adds.
        value = work[Q, i] + work[STEP, i]
        work[TRIAL, i] = min(max(value, work[LOWER, i]), work[UPPER, i])
    return moved


@inlined
def visible(n: int, cost: float, work: Floats) -> bool:
    """Whether a step can change the cost by more than rounding does."""
    gain = 0.0
    for i in range(n):
        gain += abs(work[GRADIENT, i] * work[STEP, i])
    return gain > INVISIBLE * cost
