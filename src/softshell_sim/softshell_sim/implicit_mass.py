"""How the joints of a body answer to efforts within a step that springs and dampers end."""

from collections.abc import Sequence

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.urdf_reader import parse_urdf
from softshell_sim.joint_mass import JointMass

#: Steps for which the mass matrix of the joints is taken to be the same.
MASS_STEPS = 10


class ImplicitMass:
    """The mass matrix M of the joints, and (M + h D + h² K)⁻¹ of steps h with dampers and springs.

    Args:
        stiffness, damping, neutral: (joints,) of the springs [N m/rad], [N m s/rad], and where
            they are at rest [rad]; or along slides.
        urdf: of the body, in which every joint moves.
        names: of the joints, in order.
        fixed: whether its root link stands still.
        rotor_inertia: (joints,) [kg m^2] or [kg]; empty: none.

    Attributes:
        mass: (joints, joints) M, some steps old at most.
        inverse: (joints, joints) as above.
        added: (joints,) h D + h² K.
    """

    def __init__(
        self,
        stiffness: Array,
        damping: Array,
        neutral: Array,
        urdf: str,
        names: Sequence[str],
        fixed: bool,
        rotor_inertia: Sequence[float],
    ) -> None:
        count = len(names)
        self._stiffness, self._damping, self._neutral = stiffness, damping, neutral
        rotors = np.array(rotor_inertia if len(rotor_inertia) else np.zeros(count))
        self._joint_mass = JointMass(parse_urdf(urdf), names, fixed, rotors)
        self.mass: Array = np.eye(count)
        self.inverse: Array = np.eye(count)
        self.added = np.zeros(count)
        self._steps, self._step = 0, 0.0

    def update(self, position: Array, step: float) -> None:
        """Bring all up to date, once before each step.

        Args:
            position: (joints,) now [rad] or [m].
            step: that is to pass [s].
        """
        if self._steps % MASS_STEPS == 0 or step != self._step:
            self.added[:] = step * (self._damping + step * self._stiffness)
            self._joint_mass.write(position, self.mass)
            self.inverse[:] = np.linalg.inv(self.mass + np.diag(self.added))
        self._steps, self._step = self._steps + 1, step

    def force(self, position: Array, velocity: Array, step: float) -> Array:
        """(joints,) efforts of springs and dampers at the end of a step, if nothing accelerated.

        Args:
            position, velocity: (joints,) now.
            step: that is to pass [s].
        """
        stretched = position + step * velocity - self._neutral
        return -self._stiffness * stretched - self._damping * velocity

    def forget(self) -> None:
        """Have the next `update` bring all up to date, as after a time without any."""
        self._steps = 0

    def save(self) -> tuple[Array, ...]:
        """What is remembered, as a copy."""
        counts = np.array([self._steps, self._step])
        return self.mass.copy(), self.inverse.copy(), self.added.copy(), counts

    def restore(self, content: Sequence[Array]) -> None:
        """Go on from what `save` gave."""
        self.mass[:], self.inverse[:], self.added[:], counts = content
        self._steps, self._step = int(counts[0]), float(counts[1])
