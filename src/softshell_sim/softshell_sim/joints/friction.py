"""Dry friction in joints that holds still what it can hold.

Each joint has a bristle of stiffness F / `PRESLIDING`, F its friction, whose other end it drags
along once it is stretched so far that it pulls with F (Dahl, "A solid friction model", 1968,
without its rounding). Engines take it at the end of a step, as they take the springs of soft
joints; where a joint slides, the other end is put where the bristle would pull with F if the joint
went on as it goes. What motors and constraints of engines make of friction creeps in joints of
light links.
"""

import numpy as np

from softshell_kinematics.arrays import Array

#: How far a joint gives way before it slides [rad] or [m].
PRESLIDING = 1e-3


class JointFriction:
    """The bristles of a body's joints.

    Args:
        friction: (joints,) largest of each [N m] or [N]; 0: none.

    Attributes:
        stiffness: (joints,) of the bristles [N m/rad] or [N/m].
        held: (joints,) where each has its end [rad] or [m]; NaN: where the joint is.
    """

    def __init__(self, friction: Array) -> None:
        count = len(friction)
        self.stiffness = friction / PRESLIDING
        self.held = np.full(count, np.nan)
        self._acts = bool(friction.any())

    def __bool__(self) -> bool:
        """Whether any joint has friction."""
        return self._acts

    def look(self, position: Array, velocity: Array, step: float) -> None:
        """See where the bristles have their ends, before a step.

        Args:
            position, velocity: (joints,) now.
            step: that is to pass [s].
        """
        np.copyto(self.held, position, where=np.isnan(self.held))
        after = position + step * velocity
        np.clip(self.held, after - PRESLIDING, after + PRESLIDING, out=self.held)

    def forget(self) -> None:
        """Joints were put somewhere: nothing pulls at them."""
        self.held.fill(np.nan)
