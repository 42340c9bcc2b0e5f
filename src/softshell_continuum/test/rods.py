"""Rods that several tests bend."""

import numpy as np

from softshell_continuum.rod import Rod

#: Of soft rubber, that hangs down by a quarter of its length.
RUBBER = Rod(0.25, 0.011, 16.6e6, 7.2e6, 1000.0)
#: Along the world's x axis, its x axis downwards.
LEVEL = np.array(
    [[0.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0, 0, 0, 1.0]]
)


def stiff(weight=0.0, length=0.3):
    """A rod of bending stiffness 0.02 N m², which next to nothing stretches or twists."""
    modulus = 0.02 * 64.0 / (np.pi * 0.0004**4)
    area = np.pi * 0.0004**2 / 4.0
    return Rod(length, 0.0004, modulus, modulus, weight / area)
