"""Springs in joints for an engine that has none of its own."""

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_sim.joints.implicit_mass import ImplicitMass
from softshell_sim.joints.mass import JointMass
from softshell_sim.joints.stops import held_by_stops

#: Weight of the last step in the running mean of the load c.
LEARNED = 0.05


class ImplicitSprings:
    """Joint efforts that make an explicit engine integrate springs by implicit Euler.

    M is the mass matrix of the joints, M' that of the engine, and B = h D + h² K. The efforts that
    are known before a step are F = −K (q − q0) − (D + h K) q̇ + τ, where τ is given. In an
    implicit step the joints accelerate by a = (M + B)⁻¹ (F + c). The engine gets the efforts
    M' a − c, which cause that acceleration. The load c is what is not known before the step, such
    as gravity and contacts. It is a running mean of M' a − effort, with the accelerations of the
    last steps.

    Args:
        joints: M and springs of the body; its owner saves and restores it.
        felt: M'.
        limits: (2, joints) stops of the joints [rad] or [m].
    """

    def __init__(self, joints: ImplicitMass, felt: JointMass, limits: Array) -> None:
        self._joints, self._felt, self._limits = joints, felt, limits
        count = len(joints.added)
        self._mass = np.empty((count, count))
        self._given, self._load, self._effort, self._velocity = np.zeros((4, count))
        self._step = 0.0

    def give(self, effort: Array) -> None:
        """Set τ, the (joints,) efforts besides the springs', for the next step [N m] or [N]."""
        self._given[:] = effort

    def efforts(self, position: Array, velocity: Array, step: float) -> Array:
        """(joints,) efforts for the engine in the next step, τ included [N m] or [N].

        Args:
            position, velocity: (joints,) now.
            step: duration h of the next step [s].
        """
        joints = self._joints
        if self._step:
            gained = self._mass @ (velocity - self._velocity) / self._step
            self._load += LEARNED * (gained - self._effort - self._load)
        joints.update(position, step)
        self._felt.write(position, self._mass)
        self._step = step
        force = self._given + joints.force(position, velocity, step)
        acceleration = self._acceleration(force, position, velocity, step)
        self._effort[:] = self._mass @ acceleration - self._load
        self._velocity[:] = velocity
        self._given[:] = 0.0
        return self._effort

    def _acceleration(self, force: Array, position: Array, velocity: Array, step: float) -> Array:
        """(joints,) accelerations by the efforts F, the load, dry friction, and stops."""
        joints, friction = self._joints, self._joints.friction
        effort, after = force + self._load, position + step * velocity
        inertia, inverse = np.diag(joints.mass) + joints.added, joints.with_friction
        if friction:
            friction.look(position, velocity, step)
            effort += friction.stiffness * (friction.held - after)
            inertia += step**2 * friction.stiffness
        return held_by_stops(inverse @ effort, self._limits, after, inertia, inverse, step)

    def placed(self) -> None:
        """Forget the last steps, as the joints were placed."""
        self._step = 0.0
        self._load[:] = 0.0

    def save(self) -> tuple[Array, ...]:
        """A copy of the state."""
        arrays = self._given, self._load, self._effort, self._velocity, self._mass
        return (*(array.copy() for array in arrays), np.array(self._step))

    def restore(self, content: tuple[Array, ...]) -> None:
        """Bring back what `save` returned."""
        self._given[:], self._load[:], self._effort[:], self._velocity[:], mass, step = content
        self._mass[:] = mass
        self._step = float(step)
