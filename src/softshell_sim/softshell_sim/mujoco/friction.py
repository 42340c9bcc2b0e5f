"""A correction of MuJoCo's contacts, so that sliding bodies are not lifted off the floor.

MuJoCo solves contacts as a convex problem. It gives each contact a reference acceleration, and the
acceleration that comes out differs from it by y, whose normal part is at least μ times its
tangential part. The reference would stop a sliding body within a step, which friction cannot do to
a fast one: y is large in the plane, and thus along the normal. So the body leaves the floor, falls
back, and tumbles. To prevent that, the references are changed in each step:

- The tangential reference is limited to `ENOUGH` times the acceleration that friction can cause. A
  sliding body still gets its full friction, and nothing changes for a sticking one.
- The normal reference of a sliding contact is reduced by μ times the tangential one, which is the
  lift (de Saxcé's correction, with the slip of the reference). The reduction grows from 0, where
  the tangential reference is just what friction can cause, to all of it at `ENOUGH` times that:
  otherwise a body that begins to slide is lifted.

The acceleration of a box on a slope is then within 0.2 % of g (sin θ − μ cos θ); without the
correction within 10 %.

Source: E. Todorov, "Convex and analytically-invertible dynamics with contacts and constraints",
2014; G. de Saxcé and Z.-Q. Feng, "The bipotential method", 1998.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array

#: Largest tangential reference, as a multiple of the acceleration that friction can cause.
ENOUGH = 4.0


@njit(cache=True)
def correct_friction(
    rows: NDArray[np.int32], friction: Array, reference: Array, gravity: float
) -> None:
    """Change the reference accelerations of contacts, between `mj_step1` and `mj_step2`.

    Args:
        rows: (contacts,) first row of each among the constraints; negative: it has none.
        friction: (contacts, 5) coefficients; the first two are those of sliding. Contacts where
            they differ are left to `correct_anisotropic_friction`.
        reference: (constraints,) accelerations [m/s^2]; of a contact one along the normal, then
            two along the tangents.
        gravity: size of the gravity [m/s^2].
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
    """Do the same for contacts with two different coefficients along their tangents.

    Friction then is not along the present slip, but along the slip that is left after the step. So
    the tangential reference is split into the acceleration of the step before and the rest, which
    is the slip that would be left. The rest is limited, and all of its lift is taken off.

    Args:
        rows, friction, reference, gravity: as of `correct_friction`.
        before: (constraints,) accelerations in the step before [m/s^2], in the order of
            `reference`.
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
