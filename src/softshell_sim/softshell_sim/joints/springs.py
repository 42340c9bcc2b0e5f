"""Springs in the joints of a body, such as a soft manipulator.

Explicit integration of a stiff spring is unstable: within one step the spring pushes a light link
beyond its rest position. So each engine integrates springs and dampers implicitly, with their
forces at the end of the step; this is stable at any stiffness.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import ProblemsError
from softshell_sim.number_checks import number_problems

#: Units of the numbers of springs, of revolute and of prismatic joints.
UNITS = {
    'stiffness': 'N m/rad or N/m',
    'damping': 'N m s/rad or N s/m',
    'friction': 'N m or N',
}


@dataclass(frozen=True, eq=False)
class Springs:
    """Springs, dampers and dry friction of joints; τ = −stiffness (q − neutral) − damping q̇.

    Args:
        stiffness: (joints,) [N m/rad] or [N/m]; 0: none.
        damping: (joints,) viscous [N m s/rad] or [N s/m].
        neutral: (joints,) rest positions of the springs [rad] or [m].
        friction: (joints,) dry friction [N m] or [N].

    Raises:
        ProblemsError: arrays differ in length, or numbers are out of range; it lists all of them.
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
        """Springs from arrays (joints,) or single numbers, which are for all joints; see above."""
        arrays = np.broadcast_arrays(stiffness, damping, neutral, friction)
        return cls(*(np.array(each, float) for each in arrays))

    def __len__(self) -> int:
        return len(self.stiffness)

    def _problems(self) -> Iterator[str]:
        counts = {len(self.stiffness), len(self.damping), len(self.neutral), len(self.friction)}
        if len(counts) > 1:
            yield f'arrays of {", ".join(map(str, sorted(counts)))} joints; expected equal lengths'
        for name, unit in UNITS.items():
            for place, value in enumerate(getattr(self, name).tolist()):
                yield from number_problems(f'{name} of joint {place}', value, unit)
        for place, value in enumerate(self.neutral.tolist()):
            if not np.isfinite(value):
                yield f'neutral of joint {place} is {value} rad or m; expected a finite number'
