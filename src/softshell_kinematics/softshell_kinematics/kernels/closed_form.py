"""Solutions in closed form, for arms of six joints that have one; `closed_forms` finds which.

The arm is a product of turns E1 … E6 about axes h1 … h6 through points o1 … o6, all as they are
with all angles at zero: E1 E2 … E6 = G, the motion from the tip's pose at zero to its goal.

WRIST: the last three axes meet at a point c, which they do not move. So E1 E2 E3 c = G c has the
first three angles alone; D. L. Pieper (1968) reduced it to one equation in the third. The last
three angles follow from the rotation that is left.
PARALLEL: the axes 2, 3 and 4 are parallel to h, and the last two meet at c. Turns about h keep
components along h: that of c gives the first angle, that of the last axis the fifth. In the plane
across h a planar arm of two links is left.

Where instead the first joints are so, the arm is solved from its other end: E6⁻¹ … E1⁻¹ = G⁻¹.
"""

import math

from softshell_kinematics.kernels.bundles import Chain, Floats, Form
from softshell_kinematics.kernels.compiled import compiled
from softshell_kinematics.kernels.form import take_motion
from softshell_kinematics.kernels.parallels import by_parallels
from softshell_kinematics.kernels.work import BEST, BEYOND, Q
from softshell_kinematics.kernels.wrist import by_wrist

NO_FORM, WRIST, PARALLEL = 0, 1, 2


@compiled
def solve_in_closed_form(chain: Chain, form: Form, beyond: float, work: Floats) -> float:
    """Write to Q the solution nearest to the SEED among those farther from it than given.

    A seventh joint keeps its value in Q.

    Args:
        chain: the chain.
        form: its closed form.
        beyond: squared distance up to which solutions are left out [rad²]; -1: none is.
        work: see `work`; the goal is in it.

    Returns:
        The squared distance of the solution; infinite, with Q as before, if there is none.
    """
    held = 0.0
    if form.held >= 0:
        row = chain.first + form.held
        held = chain.numbers[row, 12] * work[Q, chain.codes[row, 1]] + chain.numbers[row, 13]
    work[BEYOND, 0] = beyond
    take_motion(form, held, work)
    if form.family == WRIST:
        best = by_wrist(chain, form, work)
    else:
        best = by_parallels(chain, form, work)
    if best < math.inf:
        for k in range(6):
            i = chain.codes[chain.first + k + (form.held == 0), 1]
            work[Q, i] = work[BEST, i]
    return best
