"""A problem of several chains that is being solved: at once, or in slices of its points."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.kernels.batch import solve_batch
from softshell_kinematics.kernels.bundles import Problem, Results, Tables
from softshell_kinematics.solution import IkOptions, LimbsResult
from softshell_kinematics.threads import run_all, shares, threads_for


class Search:
    """The solutions of a problem as far as they are found; made by `Limbs.begin`.

    However the points are cut into slices, the solutions are the same bit for bit.

    Args:
        tables: of the chains.
        problem: goals and seeds, which were looked through.
        postures: (limbs or 0, most variables), NaN where it does not matter.
        options: how to search.

    Attributes:
        points: of each limb.
        solved: points that are solved, of each limb.
    """

    def __init__(
        self, tables: Tables, problem: Problem, postures: Array, options: IkOptions
    ) -> None:
        limbs: int = problem.goals.shape[0]
        self.points: int = problem.goals.shape[1]
        self.solved = 0
        self._limbs = limbs
        self._options = options
        self._results = Results(
            np.zeros((limbs, self.points, tables.lower.shape[1])),
            np.empty((limbs, self.points), dtype=np.uint8),
            np.empty((limbs, self.points)),
            np.full((limbs, self.points, 6), np.nan),
            np.empty((limbs, self.points), dtype=np.uint16),
        )
        self._jumps = np.zeros((limbs, self.points), dtype=np.uint8)
        self._sizes = tuple(tables.chains[:, 2].tolist())
        self._solve: Callable[[tuple[int, int, int, int]], None] = partial(
            _solve_part, tables, problem, postures, options, self._results, self._jumps
        )

    @property
    def done(self) -> bool:
        """Whether all points are solved."""
        return self.solved == self.points

    def go_on(self, points: int | None = None) -> None:
        """Solve the next points of each limb; None: all that are left."""
        first = self.solved
        last = self.points if points is None else min(first + points, self.points)
        parts = self._parts(first, last)
        if len(parts) == 1:
            self._solve(parts[0])
        else:
            run_all([partial(self._solve, part) for part in parts])
        self.solved = last

    def _parts(self, first: int, last: int) -> list[tuple[int, int, int, int]]:
        """Limbs and points, from the first to before the last of each, for each thread."""
        limbs, warm_start = self._limbs, self._options.warm_start
        threads = threads_for(limbs * (last - first), self._options.threads)
        if warm_start:
            # A path is one thread's from end to end.
            threads = min(threads, limbs)
        if threads == 1:
            return [(0, limbs, first, last)]
        if warm_start or limbs % threads == 0:
            return [(*share, first, last) for share in shares(limbs, threads)]
        return [
            (0, limbs, first + begin, first + end) for begin, end in shares(last - first, threads)
        ]

    def result(self) -> LimbsResult:
        """The solutions; those of points that are not solved yet mean nothing."""
        return LimbsResult(self._sizes, *self._results, self._jumps)


def _solve_part(
    tables: Tables,
    problem: Problem,
    postures: Array,
    options: IkOptions,
    results: Results,
    jumps: NDArray[np.uint8],
    part: tuple[int, int, int, int],
) -> None:
    solve_batch(tables, problem, postures, options.settings, part, results, jumps)
