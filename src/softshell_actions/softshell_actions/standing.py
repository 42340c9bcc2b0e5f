"""To which part a foot stands: 1 on the ground, 0 in the air, with a passage between the two."""

import numpy as np

from softshell_kinematics.arrays import Array

#: Part of a swing in which its foot gives up its load, and in which it takes it again: while it
#: does so it must not move over the ground.
UNLOADING = 0.02


def smooth(share: Array) -> Array:
    """From 0 to 1, level at both ends; 0 before, 1 after."""
    inside = np.clip(share, 0.0, 1.0)
    return inside * inside * (3.0 - 2.0 * inside)


def standing_by_swing(swing: Array) -> Array:
    """Part to which a foot stands during its swing, which goes from 0 to 1."""
    return smooth(1.0 - np.minimum(swing, 1.0 - swing) / UNLOADING)
