"""The mass matrix of a body's joints with springs and dampers that are integrated implicitly."""

from collections.abc import Sequence

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_sim.joints.friction import JointFriction
from softshell_sim.joints.mass import MASS_STEPS, JointMass
from softshell_sim.joints.springs import Springs
from softshell_sim.urdf.parsed import parsed


def implicit_inertia(springs: Springs, step: float, damped: float = 1.0) -> Array:
    """(joints,) h D + h² K by which springs make joints heavier in an implicit step h.

    K includes the bristles of dry friction (see `JointFriction`).

    Args:
        springs: of the joints.
        step: h [s].
        damped: part of h D that counts.
    """
    stiffness = springs.stiffness + JointFriction(springs.friction).stiffness
    return step * damped * springs.damping + step**2 * stiffness


class ImplicitMass:
    """Mass matrix M of the joints, and (M + h D + h² K)⁻¹ for step h, damping D, stiffness K.

    Args:
        springs: of the joints; None: none.
        urdf: of the body; every joint in it moves.
        names: (joints,) of the joints, in their order.
        fixed: whether its root link stands still.
        rotor_inertia: (joints,) [kg m^2] or [kg]; empty: none.

    Attributes:
        mass: (joints, joints) M, at most `MASS_STEPS` steps old.
        inverse: (joints, joints) (M + h D + h² K)⁻¹.
        with_friction: the same, where K includes the bristles of dry friction.
        added: (joints,) diagonal of h D + h² K.
        friction: dry friction of the joints.
    """

    def __init__(
        self,
        springs: Springs | None,
        urdf: str,
        names: Sequence[str],
        fixed: bool,
        rotor_inertia: Sequence[float],
    ) -> None:
        count = len(names)
        self._springs = Springs.of(np.zeros(count)) if springs is None else springs
        rotors = np.array(rotor_inertia if len(rotor_inertia) else np.zeros(count))
        self._joint_mass = JointMass(parsed(urdf), names, fixed, rotors)
        self.friction = JointFriction(self._springs.friction)
        self.mass: Array = np.eye(count)
        self.inverse: Array = np.eye(count)
        self.with_friction = self.inverse.copy() if self.friction else self.inverse
        self.added = np.zeros(count)
        self._steps, self._step, self._is_old = 0, 0.0, True

    def update(self, position: Array, step: float) -> None:
        """Update the matrices before a step; a second call before the same step does nothing.

        Args:
            position: (joints,) now [rad] or [m].
            step: duration h of the next step [s].
        """
        if self._is_old or step != self._step:
            springs = self._springs
            self.added[:] = step * (springs.damping + step * springs.stiffness)
            self._joint_mass.write(position, self.mass)
            self.inverse[:] = np.linalg.inv(self.mass + np.diag(self.added))
            self._invert_with_friction(step)
        self._is_old, self._step = False, step

    def _invert_with_friction(self, step: float) -> None:
        if self.friction:
            added = self.added + step**2 * self.friction.stiffness
            self.with_friction[:] = np.linalg.inv(self.mass + np.diag(added))

    def passed(self) -> None:
        """Say that a step has passed."""
        self._steps += 1
        self._is_old |= self._steps % MASS_STEPS == 0

    def force(self, position: Array, velocity: Array, step: float) -> Array:
        """(joints,) efforts of springs and dampers at the end of a step at constant velocity.

        Args:
            position, velocity: (joints,) now.
            step: duration of the next step [s].
        """
        springs = self._springs
        stretched = position + step * velocity - springs.neutral
        return -springs.stiffness * stretched - springs.damping * velocity

    def placed(self) -> None:
        """Say that joints were placed."""
        self.friction.forget()
        self._is_old = True

    def forget(self) -> None:
        """Begin anew: the next `update` computes everything."""
        self._steps, self._is_old = 0, True
        self.friction.forget()

    def save(self) -> tuple[Array, ...]:
        """A copy of the state."""
        counts = np.array([self._steps, self._step, self._is_old])
        held = self.friction.held.copy()
        return self.mass.copy(), self.inverse.copy(), self.added.copy(), held, counts

    def restore(self, content: Sequence[Array]) -> None:
        """Bring back what `save` returned."""
        self.mass[:], self.inverse[:], self.added[:], self.friction.held[:], counts = content
        self._steps, self._step, self._is_old = int(counts[0]), float(counts[1]), bool(counts[2])
        self._invert_with_friction(self._step)
