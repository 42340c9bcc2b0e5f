"""Dry friction in MuJoCo that does not lift what slides.

MuJoCo solves contacts as a convex problem: of the acceleration y in which a contact differs from
its reference, the part along the normal is at least μ times that along the plane. A body that
slides fast differs much from a reference that would stop it within a step, so it leaves the floor,
falls back, and tumbles. Before each step references are therefore changed:

- along the plane none is larger than `ENOUGH` times what friction can do at all, so that what
  slides still meets all of its friction, and what sticks is as it was;
- along the normal that of a sliding contact is less by μ times that, which is what it would be
  lifted by (de Saxcé's correction, with the slip that the reference says). From what friction can
  just do up to `ENOUGH` times that it grows from nothing: else what begins to slide is lifted.

A box on a slope then slides with g (sin θ − μ cos θ) within 0.2 % of it; without, within 10 %.

Source: E. Todorov, "Convex and analytically-invertible dynamics with contacts and constraints",
2014; G. de Saxcé and Z.-Q. Feng, "The bipotential method", 1998.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array

#: How much faster than by its friction a contact is to be braked at most.
ENOUGH = 4.0


@njit(cache=True)
def correct_friction(
    rows: NDArray[np.int32], friction: Array, reference: Array, gravity: float
) -> None:
    """Change the reference accelerations of contacts, between MuJoCo's two halves of a step.

    Args:
        rows: (contacts,) first row of each among the constraints; negative: it has none.
        friction: (contacts, 5) coefficients; the first two are those of sliding, and those that
            differ are left to `correct_anisotropic_friction`.
        reference: (constraints,) accelerations [m/s^2]; of a contact: normal, along the plane.
        gravity: [m/s^2].
    """
    for contact in range(len(rows)):
        row = rows[contact]
        if row < 0 or friction[contact, 0] != friction[contact, 1]:
            continue
        slide = np.hypot(reference[row + 1], reference[row + 2])
        coefficient = friction[contact, 0]
        can = coefficient * (gravity + abs(reference[row]))
        most = ENOUGH * can
        if slide > most:
            reference[row + 1] *= most / slide
            reference[row + 2] *= most / slide
        if slide > can > 0.0:
            part = (min(slide, most) - can) / (most - can)
            reference[row] -= coefficient * part * most


@njit(cache=True)
def correct_anisotropic_friction(
    rows: NDArray[np.int32], friction: Array, reference: Array, before: Array, gravity: float
) -> None:
    """Likewise of contacts with two coefficients, along the axes of their plane.

    Friction then has another direction than the slip: that of what is left of the slip after the
    step. So a reference is told as what a contact did in the step before and the slip that this
    leaves, of which all is taken that lifts.

    Args:
        rows, friction, reference, gravity: see `correct_friction`.
        before: (constraints,) accelerations in the step before, as those of `reference`.
    """
    for contact in range(len(rows)):
        row, one, other = rows[contact], friction[contact, 0], friction[contact, 1]
        if row < 0 or one == other:
            continue
        left_one = reference[row + 1] - before[row + 1]
        left_other = reference[row + 2] - before[row + 2]
        if left_one * reference[row + 1] + left_other * reference[row + 2] <= 0.0:
            continue
        most = (ENOUGH - 1.0) * max(one, other) * (gravity + abs(reference[row]))
        left = np.hypot(left_one, left_other)
        if left > most:
            left_one, left_other = left_one * most / left, left_other * most / left
            reference[row + 1] = before[row + 1] + left_one
            reference[row + 2] = before[row + 2] + left_other
        reference[row] -= np.hypot(one * left_one, other * left_other)
