"""Solutions in closed form, of arms of six joints that have one; `decomposition` finds which.

The arm is a product of screws about axes h1 … h6 through points o1 … o6, all as they are at zero:
E1 E2 … E6 = G, the motion from where the tip is at zero to its goal.

WRIST: the last three axes meet at a point c. It follows from the first three angles alone, E1 E2
E3 c = G c, which Pieper (1968) reduced to one equation in the third; the others turn the rest.
PARALLEL: the axes 2, 3 and 4 are parallel, and the last two meet at c. Along these axes c and the
tip's last axis follow from the first and the fifth angle alone; what is left is in a plane.

Where instead the first joints are so, the arm is taken from its other end: E6⁻¹ … E1⁻¹ = G⁻¹.
"""

import math

from softshell_kinematics.kernels.bundles import Chain, Floats, Form
from softshell_kinematics.kernels.compiled import compiled
from softshell_kinematics.kernels.form import take_motion
from softshell_kinematics.kernels.parallels import by_parallels
from softshell_kinematics.kernels.work import BEST, Q
from softshell_kinematics.kernels.wrist import by_wrist

NO_FORM, WRIST, PARALLEL = 0, 1, 2


@compiled
def solve_in_closed_form(chain: Chain, form: Form, work: Floats) -> bool:
    """Put Q on the solution within limits that is nearest to the SEED; whether there is one.

    A seventh joint stays where Q has it.
    """
    held = 0.0
    if form.held >= 0:
        row = chain.first + form.held
        held = chain.numbers[row, 12] * work[Q, chain.codes[row, 1]] + chain.numbers[row, 13]
    take_motion(form, held, work)
    if form.family == WRIST:
        best = by_wrist(chain, form, work)
    else:
        best = by_parallels(chain, form, work)
    if not best < math.inf:
        return False
    for k in range(6):
        i = chain.codes[chain.first + k + (form.held == 0), 1]
        work[Q, i] = work[BEST, i]
    return True
