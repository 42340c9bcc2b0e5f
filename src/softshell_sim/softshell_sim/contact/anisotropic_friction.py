"""Friction of a link that is another along one of its axes than across it, as a skate has it.

The friction force lies in an ellipse: along the axis up to μ∥ N, across it up to μ⊥ N. What slides
meets the force of it that takes most power, N (μ∥² v∥, μ⊥² v⊥) / √(μ∥² v∥² + μ⊥² v⊥²) against its
velocity v. Source: R. Michałowski and Z. Mróz, "Associated and non-associated sliding rules in
contact friction problems", 1978; with μ∥ = μ⊥ it is Coulomb's law.
"""

from dataclasses import dataclass

import numpy as np

from softshell_kinematics.errors import ProblemsError
from softshell_sim.number_checks import is_number, number_problems

#: How far the length of an axis may be from 1.
SLACK = 1e-6
#: Length of an axis along a surface, below which it stands upright on it.
UPRIGHT = 1e-6


@dataclass(frozen=True)
class AnisotropicFriction:
    """Friction of a link along one of its axes and across it.

    Across the axis that of the surface counts, whether blended or given to a pair. Where two such
    links meet each other, or the axis is upright on the surface, it counts in all directions.

    Args:
        along: friction along the axis, as part of that across; above 1: more than that.
        axis: (x, y, z) unit vector in the frame of the link.

    Raises:
        ProblemsError: numbers that no link has; each problem names value and range.
    """

    along: float
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        problems = list(number_problems('along', self.along))
        numbers = isinstance(self.axis, tuple) and len(self.axis) == 3
        if not (numbers and all(map(is_number, self.axis))):
            problems.append(f'axis is {self.axis!r}; expected three numbers')
        elif not abs(np.linalg.norm(self.axis) - 1.0) <= SLACK:
            problems.append(f'axis is {self.axis}; expected a unit vector')
        if problems:
            raise ProblemsError('anisotropic friction', problems)
