"""A problem of several chains that is being solved: at once, or in slices of its points."""

from functools import partial
from typing import Any

from softshell_kinematics.arrays import is_number
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.kernels.batch import solve_batch
from softshell_kinematics.solving.solution import IkOptions, LimbsResult
from softshell_kinematics.solving.threads import run_all, shares, threads_for

#: The arguments of `solve_batch` without the part.
Arguments = tuple[Any, ...]
#: Their indices: the goals, the seeds, and the numbers and marks that are written.
GOALS, SEEDS, FOUND, MARKS = 3, 4, 6, 7


def end_of_slice(solved: int, points: int, wanted: int | None) -> int:
    """The point before which a slice ends.

    Args:
        solved, points: of the search.
        wanted: points of the slice; None: all that are left.

    Raises:
        SoftshellError: the slice would have no point.
    """
    if wanted is None:
        return points
    if not (is_number(wanted) and wanted >= 1):
        raise SoftshellError(f'a slice has {wanted!r} points; expected 1 or more, or None')
    return int(min(solved + wanted, points))


class Search:
    """The solutions of a problem as far as they are found; made by `Limbs.begin`.

    However the points are cut into slices, the solutions are the same bit for bit.

    Args:
        sizes: number of variables of each chain.
        arguments: of the kernel, already checked.
        options: how to search.

    Attributes:
        points: of each limb.
        solved: points that are solved, of each limb.
    """

    def __init__(self, sizes: tuple[int, ...], arguments: Arguments, options: IkOptions) -> None:
        self._sizes, self._arguments, self._options = sizes, arguments, options
        self.points: int = arguments[MARKS].shape[1]
        self.solved = 0

    @property
    def done(self) -> bool:
        """Whether all points are solved."""
        return self.solved == self.points

    def go_on(self, points: int | None = None) -> None:
        """Solve the next points of each limb; None: all that are left.

        Raises:
            SoftshellError: points is below 1, or a goal or a seed was changed, and cannot be used
                any more.
        """
        first, last = self.solved, end_of_slice(self.solved, self.points, points)
        parts = self._parts(first, last)
        if len(parts) == 1:
            solved = [solve_batch(*parts[0], *self._arguments)]
        else:
            solved = run_all([partial(solve_batch, *part, *self._arguments) for part in parts])
        if not all(solved):
            raise SoftshellError(
                f'points {first} to {last - 1}: a goal or a seed is not what it was when the '
                'search began; expected arrays that nobody changes'
            )
        self.solved = last

    def _parts(self, first: int, last: int) -> list[tuple[int, int, int, int]]:
        """First and last limb, first and last point for each thread; the last are not included."""
        limbs, warm_start = len(self._sizes), self._options.warm_start
        threads = threads_for(limbs * (last - first), self._options.threads)
        if warm_start:
            # One thread solves a whole path: each point starts from the one before.
            threads = min(threads, limbs)
        if threads == 1:
            return [(0, limbs, first, last)]
        if warm_start or limbs % threads == 0:
            return [(*share, first, last) for share in shares(limbs, threads)]
        return [
            (0, limbs, first + begin, first + end) for begin, end in shares(last - first, threads)
        ]

    def result(self) -> LimbsResult:
        """The solutions; values of points that are not solved yet have no meaning."""
        return LimbsResult(self._sizes, self._arguments[FOUND], self._arguments[MARKS])
