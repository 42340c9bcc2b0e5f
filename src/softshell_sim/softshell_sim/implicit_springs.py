"""Springs in joints for an engine that knows none."""

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_sim.implicit_mass import ImplicitMass

#: Part of the load of the last step that goes into what is expected of the next.
LEARNED = 0.05


class ImplicitSprings:
    """The efforts of springs for an engine that knows none: an implicit Euler step of them.

    With the mass matrix M of the joints, B = h D + h² K and what is known of a step's efforts at
    its begin, F = −K (q − q0) − (D + h K) q̇ + τ, the joints accelerate by a = (M + B)⁻¹ (F + c)
    and springs and dampers give F − B a. c is what nobody knows before the step, such as gravity
    and contacts: its mean over some steps before, M a − effort as it came out.

    Args:
        joints: M and springs of the body; saved and restored by whoever has it.
    """

    def __init__(self, joints: ImplicitMass) -> None:
        self._joints, count = joints, len(joints.added)
        self._given, self._load, self._effort, self._velocity = np.zeros((4, count))
        self._step = 0.0

    def give(self, effort: Array) -> None:
        """Take (joints,) efforts besides the springs' for the next step [N m] or [N]."""
        self._given[:] = effort

    def efforts(self, position: Array, velocity: Array, step: float) -> Array:
        """(joints,) efforts for the next step, with those given [N m] or [N].

        Args:
            position, velocity: (joints,) now.
            step: that is to pass [s].
        """
        joints = self._joints
        if self._step:
            gained = joints.mass @ (velocity - self._velocity) / self._step
            self._load += LEARNED * (gained - self._effort - self._load)
        joints.update(position, step)
        self._step = step
        force = self._given + joints.force(position, velocity, step)
        self._effort[:] = force - joints.added * (joints.inverse @ (force + self._load))
        self._velocity[:] = velocity
        self._given[:] = 0.0
        return self._effort

    def save(self) -> tuple[Array, ...]:
        """What is remembered, as a copy."""
        arrays = self._given, self._load, self._effort, self._velocity, np.array(self._step)
        return tuple(array.copy() for array in arrays)

    def restore(self, content: tuple[Array, ...]) -> None:
        """Go on from what `save` gave."""
        self._given[:], self._load[:], self._effort[:], self._velocity[:], step = content
        self._step = float(step)
