"""Springs in the joints of a body, as those of a soft manipulator.

A stiff spring makes explicit steps unstable: it pushes a light link beyond its place within one.
Each engine takes springs and dampers at the end of the step instead, whatever its own way is, so
that no stiffness makes it unstable.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import ProblemsError
from softshell_sim.implicit_mass import ImplicitMass
from softshell_sim.number_checks import number_problems

#: Part of the load of the last step that goes into what is expected of the next.
LEARNED = 0.05
#: Of the numbers of springs, of joints that turn.
UNITS = {'stiffness': 'N m/rad', 'damping': 'N m s/rad', 'friction': 'N m'}


@dataclass(frozen=True, eq=False)
class Springs:
    """Springs, dampers and dry friction of joints; τ = −stiffness (q − neutral) − damping q̇.

    Args:
        stiffness: (joints,) [N m/rad] or [N/m]; 0: none.
        damping: (joints,) viscous [N m s/rad] or [N s/m].
        neutral: (joints,) positions at which springs are at rest [rad] or [m].
        friction: (joints,) dry [N m] or [N].

    Raises:
        ProblemsError: arrays of different lengths, or numbers that none can have; names all.
    """

    stiffness: Array
    damping: Array
    neutral: Array
    friction: Array

    def __post_init__(self) -> None:
        for name in ('stiffness', 'damping', 'neutral', 'friction'):
            object.__setattr__(self, name, np.array(getattr(self, name), float).ravel())
        problems = list(self._problems())
        if problems:
            raise ProblemsError('springs', problems)

    @classmethod
    def of(
        cls,
        stiffness: ArrayLike,
        damping: ArrayLike = 0.0,
        neutral: ArrayLike = 0.0,
        friction: ArrayLike = 0.0,
    ) -> 'Springs':
        """Springs of which one number may stand for all joints."""
        arrays = np.broadcast_arrays(stiffness, damping, neutral, friction)
        return cls(*(np.array(each, float) for each in arrays))

    def __len__(self) -> int:
        return len(self.stiffness)

    def _problems(self) -> Iterator[str]:
        counts = {len(self.stiffness), len(self.damping), len(self.neutral), len(self.friction)}
        if len(counts) > 1:
            yield f'arrays of {", ".join(map(str, sorted(counts)))} joints; expected one number'
        for name, unit in UNITS.items():
            for place, value in enumerate(getattr(self, name).tolist()):
                yield from number_problems(f'{name} of joint {place}', value, unit)
        for place, value in enumerate(self.neutral.tolist()):
            if not np.isfinite(value):
                yield f'neutral of joint {place} is {value} rad; expected a finite number'


class ImplicitSprings:
    """The efforts of springs for an engine that knows none: an implicit Euler step of them.

    With the mass matrix M of the joints, B = h D + h² K and what is known of a step's efforts at
    its begin, F = −K (q − q0) − (D + h K) q̇ + τ, the joints accelerate by a = (M + B)⁻¹ (F + c)
    and springs and dampers give F − B a. c is what nobody knows before the step, such as gravity
    and contacts: its mean over some steps before, M a − effort as it came out.

    Args:
        springs: of the joints.
        urdf: of the body, in which every joint moves.
        names: of the joints, in order.
        fixed: whether its root link stands still.
        rotor_inertia: (joints,) [kg m^2] or [kg]; empty: none.
    """

    def __init__(
        self,
        springs: Springs,
        urdf: str,
        names: Sequence[str],
        fixed: bool,
        rotor_inertia: Sequence[float],
    ) -> None:
        count = len(names)
        self._joints = ImplicitMass(
            springs.stiffness, springs.damping, springs.neutral, urdf, names, fixed, rotor_inertia
        )
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
        return *self._joints.save(), *(array.copy() for array in arrays)

    def restore(self, content: tuple[Array, ...]) -> None:
        """Go on from what `save` gave."""
        *joints, self._given[:], self._load[:], self._effort[:], self._velocity[:], step = content
        self._joints.restore(joints)
        self._step = float(step)
