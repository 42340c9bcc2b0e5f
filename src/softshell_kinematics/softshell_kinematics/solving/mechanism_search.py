"""A problem of a parallel mechanism that is being solved, and its solutions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.kernels.bundles import MechanismTables, Problem, Results
from softshell_kinematics.kernels.mechanism import solve_mechanism
from softshell_kinematics.solving.search import end_of_slice
from softshell_kinematics.solving.solution import IkOptions, IkStatus


@dataclass(frozen=True, eq=False)
class MechanismResult:
    """Solutions of a whole mechanism, point by point.

    Attributes:
        q: (points, n) variables of the mechanism [rad] or [m], within limits.
        status: (points,) values of `IkStatus`.
        residual: (points,) weighted norm of all limbs' errors together.
        error: (points, limbs, 6) as in `IkResult`.
        iterations: (points,) steps tried, of all seeds together.
    """

    q: Array
    status: NDArray[np.uint8]
    residual: Array
    error: Array
    iterations: NDArray[np.uint16]

    @property
    def converged(self) -> NDArray[np.bool_]:
        """(points,) whether the residual is within tolerance."""
        within: NDArray[np.bool_] = self.status == IkStatus.CONVERGED
        return within

    @property
    def all_converged(self) -> bool:
        """Whether every point converged."""
        return bool(np.all(self.converged))


class MechanismSearch:
    """The solutions of a problem as far as they are found; made by `ParallelMechanism.begin`.

    However the points are cut into slices, the solutions are the same bit for bit.

    Args:
        tables: of the mechanism.
        problem: goals and seeds, already checked.
        options: how to search.

    Attributes:
        points: of each limb.
        solved: points that are solved.
    """

    def __init__(self, tables: MechanismTables, problem: Problem, options: IkOptions) -> None:
        self.points: int = problem.goals.shape[0]
        self.solved = 0
        self._tables, self._problem, self._options = tables, problem, options
        self._results = Results(
            np.zeros((self.points, len(tables.lower))),
            np.empty(self.points, dtype=np.uint8),
            np.empty(self.points),
            np.full((self.points, problem.goals.shape[1], 6), np.nan),
            np.empty(self.points, dtype=np.uint16),
        )

    @property
    def done(self) -> bool:
        """Whether all points are solved."""
        return self.solved == self.points

    def go_on(self, points: int | None = None) -> None:
        """Solve the next points; None: all that are left.

        Raises:
            SoftshellError: points is below 1.
        """
        last = end_of_slice(self.solved, self.points, points)
        part = (self.solved, last)
        solve_mechanism(self._tables, self._problem, self._options.settings, part, self._results)
        self.solved = last

    def result(self) -> MechanismResult:
        """The solutions; values of points that are not solved yet have no meaning."""
        return MechanismResult(*self._results)
