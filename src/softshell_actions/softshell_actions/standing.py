"""To which part a foot stands: 1 on the ground, 0 in the air, with a passage between the two."""

from dataclasses import dataclass

import numpy as np

from softshell_kinematics.arrays import Array


def smooth(share: Array) -> Array:
    """From 0 to 1, level at both ends; 0 before, 1 after."""
    inside = np.clip(share, 0.0, 1.0)
    return inside * inside * (3.0 - 2.0 * inside)


@dataclass(frozen=True)
class Standing:
    """How feet stand over time.

    Args:
        aloft: (points, feet) time to the nearer end of its swing [s]; 0 while a foot stands.
        burdened: (points, feet) from 0, where the belly carries in its stead, to 1.
    """

    aloft: Array
    burdened: Array

    def shares(self, passage: float) -> Array:
        """(points, feet) part to which each stands, from 0 to 1.

        Args:
            passage: time at either end of a swing in which a foot gives up its load and takes it
                again [s]; it must not move over the ground meanwhile.
        """
        return self.burdened * smooth(1.0 - self.aloft / passage)


def aloft(swing: Array, duration: float) -> Array:
    """(points,) time to the nearer end of a swing [s].

    Args:
        swing: (points,) how far it is, from 0 to 1.
        duration: of the whole swing [s].
    """
    return np.minimum(swing, 1.0 - swing) * duration
