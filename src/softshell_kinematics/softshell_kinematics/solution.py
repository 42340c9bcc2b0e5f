"""What inverse kinematics is asked for and what it answers."""

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import ProblemsError


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
            limits; on a warm-started path only at its first point, unless it may jump.
        warm_start: start each point from the solution of the one before.
        position_weight: of x, y, z [1/m].
        rotation_weight: of the angles [1/rad].
        jump: change of a variable from one point of a warm-started path to the next [rad] or [m]
            beyond which the way between them is followed in small parts, to stay on the branch.
        allow_jumps: where its branch cannot follow a warm-started path, search from further seeds
            as well, and report the jump.
        time_step: time from one point to the next [s]; if given, a warm-started path keeps to the
            joints' speeds.
    """

    tolerance: float = 1e-9
    max_iterations: int = 60
    restarts: int = 0
    warm_start: bool = False
    position_weight: float = 1.0
    rotation_weight: float = 1.0
    jump: float = 0.5
    allow_jumps: bool = False
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
                ('jump', self.jump, self.jump > 0.0, 'above 0'),
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
        jumps: (points,) 1 where a warm-started path left its branch: a variable changed far, and
            did so at once even when the way there was followed in small parts.
    """

    q: Array
    status: NDArray[np.uint8]
    residual: Array
    error: Array
    iterations: NDArray[np.uint16]
    jumps: NDArray[np.uint8]

    @property
    def converged(self) -> NDArray[np.bool_]:
        """(points,) whether the residual is within tolerance."""
        return self.status == IkStatus.CONVERGED

    @property
    def all_converged(self) -> bool:
        """Whether every point converged."""
        return bool(np.all(self.converged))


@dataclass(frozen=True, eq=False)
class LimbsResult(Sequence[IkResult]):
    """Solutions of several chains: a sequence of `IkResult`, over arrays of one common shape.

    Attributes:
        sizes: number of variables of each chain.
        q: (limbs, points, most variables), 0 beyond a chain's own.
        status, residual, iterations, jumps: (limbs, points)
        error: (limbs, points, 6)
    """

    sizes: tuple[int, ...]
    q: Array
    status: NDArray[np.uint8]
    residual: Array
    error: Array
    iterations: NDArray[np.uint16]
    jumps: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, limb):  # type: ignore[override]
        if isinstance(limb, slice):
            return [self[i] for i in range(*limb.indices(len(self)))]
        return IkResult(
            self.q[limb, :, : self.sizes[limb]],
            self.status[limb],
            self.residual[limb],
            self.error[limb],
            self.iterations[limb],
            self.jumps[limb],
        )

    @property
    def all_converged(self) -> bool:
        """Whether every point of every limb converged."""
        return not self.status.any()
