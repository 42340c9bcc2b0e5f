"""Springs in joints for an engine that knows none."""

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_sim.joints.implicit_mass import ImplicitMass
from softshell_sim.joints.mass import JointMass

#: Part of the load of the last step that goes into what is expected of the next.
LEARNED = 0.05


class ImplicitSprings:
    """The efforts of springs for an engine that knows none: an implicit Euler step of them.

    With the mass matrix M of the joints, B = h D + h² K and what is known of a step's efforts at
    its begin, F = −K (q − q0) − (D + h K) q̇ + τ, the joints accelerate by a = (M + B)⁻¹ (F + c)
    and what makes them do so is given: M' a − c, where M' is the mass matrix that the engine has.
    c is what nobody knows before the step, such as gravity and contacts: its mean over some steps
    before, M' a − effort as it came out.

    Args:
        joints: M and springs of the body; saved and restored by whoever has it.
        felt: M'.
    """

    def __init__(self, joints: ImplicitMass, felt: JointMass) -> None:
        self._joints, self._felt, count = joints, felt, len(joints.added)
        self._mass = np.empty((count, count))
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
            gained = self._mass @ (velocity - self._velocity) / self._step
            self._load += LEARNED * (gained - self._effort - self._load)
        joints.update(position, step)
        self._felt.write(position, self._mass)
        self._step = step
        force = self._given + joints.force(position, velocity, step)
        acceleration = self._with_friction(force, position, velocity, step)
        self._effort[:] = self._mass @ acceleration - self._load
        self._velocity[:] = velocity
        self._given[:] = 0.0
        return self._effort

    def _with_friction(self, force: Array, position: Array, velocity: Array, step: float) -> Array:
        """(joints,) accelerations by forces known before the step, and by dry friction."""
        joints, friction = self._joints, self._joints.friction
        if not friction:
            return joints.inverse @ (force + self._load)
        friction.look(position, velocity, step)
        pull = friction.stiffness * (friction.held - position - step * velocity)
        matrix = joints.mass + np.diag(joints.added + step**2 * friction.stiffness)
        return np.asarray(np.linalg.solve(matrix, force + self._load + pull))

    def save(self) -> tuple[Array, ...]:
        """What is remembered, as a copy."""
        arrays = self._given, self._load, self._effort, self._velocity, self._mass
        return (*(array.copy() for array in arrays), np.array(self._step))

    def restore(self, content: tuple[Array, ...]) -> None:
        """Go on from what `save` gave."""
        self._given[:], self._load[:], self._effort[:], self._velocity[:], mass, step = content
        self._mass[:] = mass
        self._step = float(step)
