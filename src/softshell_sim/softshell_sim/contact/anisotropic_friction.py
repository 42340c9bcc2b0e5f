"""Friction of a link that differs along one of its axes and across it, like that of a skate.

The friction force lies in an ellipse: along the axis up to μ∥ N, across it up to μ⊥ N, with the
normal force N. A link that slides with velocity v meets the force of the ellipse that dissipates
most power, N (μ∥² v∥, μ⊥² v⊥) / √(μ∥² v∥² + μ⊥² v⊥²) against v. With μ∥ = μ⊥ it is Coulomb's law.
Source: R. Michałowski and Z. Mróz, "Associated and non-associated sliding rules in contact
friction problems", 1978.
"""

from dataclasses import dataclass

import numpy as np

from softshell_kinematics.errors import ProblemsError
from softshell_sim.number_checks import is_number, number_problems

#: How much the length of an axis may differ from 1.
SLACK = 1e-6
#: An axis whose projection onto a surface is shorter than this counts as normal to it.
UPRIGHT = 1e-6


@dataclass(frozen=True)
class AnisotropicFriction:
    """Friction of a link along one of its axes and across it.

    The friction across the axis is that of the surface, whether blended or given to a pair. It
    acts in all directions where two links with anisotropic friction touch, and where the axis is
    normal to the surface.

    Args:
        along: friction along the axis divided by that across it, 0 or more.
        axis: (x, y, z) unit vector in the frame of the link.

    Raises:
        ProblemsError: a number is out of range; each problem names value and range.
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
