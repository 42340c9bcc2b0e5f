"""The memory of one search.

`work` holds vectors, one in each row, by the names below; `frames` (joints, 6) each moving joint's
axis and origin in the base frame, as `forward` last found them; `index` two lists of integers;
`matrix` and `hessian` are square.
"""

import numpy as np

from softshell_kinematics.kernels.bundles import Memory
from softshell_kinematics.kernels.compiled import maker

#: Variables: where the search is, a trial, the best of several searches.
Q, TRIAL, BEST = 0, 1, 2
#: Bounds of the variables, and 1 where one must keep its value.
LOWER, UPPER, LOCKED = 3, 4, 5
#: The goal's six coordinates, NaN where free; its rotation by rows; the weight of each row.
GOAL, ROTATION, WEIGHT = 6, 7, 8
#: Pose of the tip: rotation by rows, translation.
POSE = 9
#: Weighted error of each constrained coordinate at Q, and at a trial.
ERROR, ERROR_TRIAL = 10, 11
#: Jᵀe, the same at a trial, diag(JᵀJ).
GRADIENT, GRADIENT_TRIAL, SCALE = 12, 13, 14
#: A step; the solution of a linear system, in the order of the free variables; its right side.
STEP, SOLUTION, RIGHT = 15, 16, 17
#: First of the six rows of the Jacobian at Q, and at a trial.
JACOBIAN, JACOBIAN_TRIAL = 18, 24
#: Where Q was when a chase began.
CHASED = 30
#: Along a path: the solution of the point before and of the part before; the goal before and the
#: goal that parts lead to.
Q_BEFORE, Q_PART = 31, 32
GOAL_BEFORE, GOAL_NEXT = 33, 34
#: The posture that a redundant chain approaches, NaN for variables without one.
POSTURE = 35
#: The change of a variable after which the tip's pose repeats, 0 if none; bounds while lifted.
PERIOD, LOWER_KEPT, UPPER_KEPT = 36, 37, 38
#: Between which further seeds are spread.
SEED_LOWER, SEED_UPPER = 39, 40
#: Where a search from several seeds began, and where it first ended.
SEED, TRIED = 41, 46
#: In closed form: a motion, rotation by rows and translation; the angles of six joints; roots of
#: an equation; the variables of a solution; and, in the first column, the squared distance from
#: the seed up to which solutions are left out.
MOTION, ANGLES, ROOTS, CHOSEN, BEYOND = 42, 43, 44, 45, 47
VECTORS = 48

#: Lists in `index`: the constrained coordinates in order; the free variables.
ROWS, FREE = 0, 1


@maker
def allocate(joints: int, variables: int) -> Memory:
    """Memory for chains of up to so many joints and variables."""
    size = max(variables, 12) + 1
    return Memory(
        np.zeros((VECTORS, size)),
        np.empty((size, size)),
        np.empty((size, size)),
        np.empty((joints, 6)),
        np.zeros((2, size), np.int64),
    )
