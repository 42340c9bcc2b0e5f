"""Dry friction in joints, which holds a joint still up to its largest effort.

Each joint with friction F has a bristle, a spring of stiffness F / `PRESLIDING` to an anchor. When
the bristle pulls with F, the joint slides and drags the anchor along (Dahl, "A solid friction
model", 1968, without its smooth transition). Engines integrate it implicitly, like the springs of
soft joints: the anchor of a sliding joint is where the bristle pulls with F at the end of the
step, if the velocity stays. With the friction that engines have in their motors or constraints,
joints of light links creep.
"""

import numpy as np

from softshell_kinematics.arrays import Array

#: How far a joint moves before it slides [rad] or [m].
PRESLIDING = 1e-3


class JointFriction:
    """The bristles of a body's joints.

    Args:
        friction: (joints,) largest effort of each [N m] or [N]; 0: none.

    Attributes:
        stiffness: (joints,) of the bristles [N m/rad] or [N/m].
        held: (joints,) positions of the anchors [rad] or [m]; NaN: the position of the joint.
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
        """Move the anchors of joints that slide, before a step.

        Args:
            position, velocity: (joints,) now.
            step: duration of the next step [s].
        """
        np.copyto(self.held, position, where=np.isnan(self.held))
        after = position + step * velocity
        np.clip(self.held, after - PRESLIDING, after + PRESLIDING, out=self.held)

    def forget(self) -> None:
        """Relax all bristles, as the joints were placed."""
        self.held.fill(np.nan)
