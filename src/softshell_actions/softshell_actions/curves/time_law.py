"""Time laws: the part of a way that is done at each time, from rest to rest."""

import numpy as np
from numpy.polynomial import Polynomial

from softshell_actions.language.curved_move import Law
from softshell_kinematics.arrays import Array

#: Part of the way over part of the time: the polynomials of least degree that start and end at
#: rest, the quintic also with acceleration 0.
LAWS: dict[Law, Polynomial] = {
    'cubic': Polynomial([0.0, 0.0, 3.0, -2.0]),
    'quintic': Polynomial([0.0, 0.0, 0.0, 10.0, -15.0, 6.0]),
}
#: The law of a curve for which none is named.
USUAL_LAW: Law = 'quintic'


def progress(law: Law, samples: int) -> Array:
    """(samples,) parts of the way, from exactly 0 to exactly 1, at evenly spaced times."""
    parts: Array = np.clip(LAWS[law](np.linspace(0.0, 1.0, samples)), 0.0, 1.0)
    return parts
