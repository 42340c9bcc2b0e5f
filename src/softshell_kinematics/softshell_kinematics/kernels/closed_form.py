"""Solutions in closed form, of arms of six joints that have one; `closed_forms` finds which.

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
from softshell_kinematics.kernels.work import BEST, BEYOND, Q
from softshell_kinematics.kernels.wrist import by_wrist

NO_FORM, WRIST, PARALLEL = 0, 1, 2


@compiled
def solve_in_closed_form(chain: Chain, form: Form, beyond: float, work: Floats) -> float:
    """Put Q on the solution that is nearest to the SEED of those that are farther than given.

    A seventh joint stays where Q has it.

    Args:
        chain: the chain.
        form: its closed form.
        beyond: square of the distance of the last one that is not wanted; -1: all are.
        work: see `work`; the goal is in it.

    Returns:
        The square of its distance; infinite if there is none, and Q is then as before.
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
