"""What inverse kinematics is asked for and what it answers."""

import enum
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softshell_common.errors import ProblemsError

Array = NDArray[np.float64]

#: Names of a goal's coordinates, in order.
COORDINATES = ('x', 'y', 'z', 'yaw', 'pitch', 'roll')


class IkStatus(enum.IntEnum):
    """How the search for one point ended."""

    #: The weighted residual is within tolerance.
    CONVERGED = 0
    #: Best effort: an optimum on a limit that stands in the way.
    LIMIT_BOUND = 1
    #: Best effort: a least-squares optimum, no limit involved.
    UNREACHABLE = 2
    #: Best effort: stopped at a singular pose that is no optimum.
    SINGULAR = 3
    #: Stopped by the number of iterations.
    ITERATION_LIMIT = 4


@dataclass(frozen=True)
class IkOptions:
    """How to search.

    Attributes:
        tolerance: weighted residual norm that counts as converged [m] and [rad].
        max_iterations: steps tried from one seed.
        restarts: further seeds tried where a search fails, from a fixed sequence spread over the
            limits; on a warm-started path only at its first point.
        warm_start: start each point from the solution of the one before.
        position_weight: of x, y, z [1/m].
        rotation_weight: of the angles [1/rad].
        time_step: time from one point to the next [s]; if given, a warm-started path keeps to the
            joints' speeds.
    """

    tolerance: float = 1e-9
    max_iterations: int = 60
    restarts: int = 0
    warm_start: bool = False
    position_weight: float = 1.0
    rotation_weight: float = 1.0
    time_step: float | None = None

    def __post_init__(self) -> None:
        problems = [
            f'{name} is {value}; expected {expected}'
            for name, value, good, expected in (
                ('tolerance', self.tolerance, 0.0 < self.tolerance < math.inf, 'above 0'),
                ('max_iterations', self.max_iterations, self.max_iterations >= 1, '1 or more'),
                ('restarts', self.restarts, self.restarts >= 0, '0 or more'),
                (
                    'position_weight',
                    self.position_weight,
                    0.0 < self.position_weight < math.inf,
                    'above 0',
                ),
                (
                    'rotation_weight',
                    self.rotation_weight,
                    0.0 < self.rotation_weight < math.inf,
                    'above 0',
                ),
                (
                    'time_step',
                    self.time_step,
                    self.time_step is None or 0.0 < self.time_step < math.inf,
                    'above 0 or None',
                ),
            )
            if not good
        ]
        if problems:
            raise ProblemsError('IK options', problems)


@dataclass(frozen=True, eq=False)
class IkResult:
    """Solutions of one chain, point by point.

    Attributes:
        q: (points, n) variables [rad] or [m], always within limits.
        status: (points,) values of `IkStatus`.
        residual: (points,) weighted norm of the constrained coordinates' error.
        error: (points, 6) goal minus reached, unweighted [m, rad]; NaN where free. If all angles
            are constrained the last three are the rotation vector of R_goal Rᵀ in the base.
        iterations: (points,) of all seeds tried.
    """

    q: Array
    status: NDArray[np.uint8]
    residual: Array
    error: Array
    iterations: NDArray[np.uint16]

    @property
    def converged(self) -> NDArray[np.bool_]:
        """(points,) whether the residual is within tolerance."""
        return self.status == IkStatus.CONVERGED

    @property
    def all_converged(self) -> bool:
        """Whether every point converged."""
        return bool(np.all(self.converged))
