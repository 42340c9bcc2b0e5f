"""The workspace of a chain: positions of its tip over tensions of its tendons."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softshell_continuum.statics import Statics
from softshell_kinematics.arrays import Array, as_numbers
from softshell_kinematics.errors import SoftshellError


@dataclass(frozen=True, eq=False)
class Workspace:
    """Positions of the tip at rest, over all combinations of some tensions.

    Attributes:
        tensions: (n, tendons) [N].
        tips: (n, 3) in the world [m]; NaN where no pose at rest was found.
    """

    tensions: Array
    tips: Array

    @property
    def reached(self) -> NDArray[np.bool_]:
        """(n,) whether a pose at rest was found."""
        found: NDArray[np.bool_] = np.logical_and.reduce(np.isfinite(self.tips), axis=1)
        return found


def workspace(statics: Statics, tensions: Sequence[ArrayLike]) -> Workspace:
    """Positions of the tip at rest over a grid of tensions.

    Each pose is searched from the last one at rest before it on the same line of the grid.

    Args:
        statics: chain, tendons and masses.
        tensions: for each tendon (n,) tensions that it has on the grid [N]; their numbers may
            differ.

    Raises:
        SoftshellError: there is no tendon, another number of rows than tendons, an empty row, or
            a tension that is negative or not a number.
    """
    if not statics.tendons:
        raise SoftshellError('there is no tendon to pull; expected one or more')
    count = len(tensions) if np.iterable(tensions) else 0
    if count != len(statics.tendons):
        raise SoftshellError(
            f'tensions of {count} tendons; expected {len(statics.tendons)}, one row each'
        )
    names = [tendon.name for tendon in statics.tendons]
    rows = [
        as_numbers(row, f'tensions of tendon {name!r}').ravel()
        for name, row in zip(names, tensions, strict=True)
    ]
    for name, row in zip(names, rows, strict=True):
        if not len(row):
            raise SoftshellError(f'tendon {name!r} has no tensions; expected one or more')
    grid = np.stack([axis.ravel() for axis in np.meshgrid(*rows, indexing='ij')], axis=1)
    tips, start = np.full((len(grid), 3), np.nan), None
    for number, pulls in enumerate(grid):
        if number % len(rows[-1]) == 0:
            start = None  # a new line of the grid begins far from the end of the last one
        found = statics.solve(pulls, start=start)
        if found.converged:
            tips[number], start = found.tip, found.positions
    return Workspace(grid, tips)
