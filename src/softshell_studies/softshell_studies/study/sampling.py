"""Which points of the space of parameters a study visits."""

import itertools
import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from scipy.stats import qmc

from softshell_kinematics.arrays import Array
from softshell_studies.study.axes import Axis


class Points(Protocol):
    """Points by number, each made when it is asked for."""

    def __len__(self) -> int: ...
    def __getitem__(self, number: int) -> dict[str, Any]: ...


class Grid:
    """All combinations of steps; the last axis changes first.

    Args:
        steps: values of each parameter.
    """

    def __init__(self, steps: Mapping[str, Sequence[Any]]) -> None:
        self._steps = {name: tuple(values) for name, values in steps.items()}
        self._shape = tuple(len(values) for values in self._steps.values())

    def __len__(self) -> int:
        return math.prod(self._shape)

    def __getitem__(self, number: int) -> dict[str, Any]:
        places = np.unravel_index(number, self._shape) if self._shape else ()
        return {
            name: values[int(place)]
            for (name, values), place in zip(self._steps.items(), places, strict=True)
        }


class Slices:
    """A grid over each two parameters, while all others are as in the base.

    Args:
        steps: values of each parameter, of two or more.
        base: value of each where others change.
    """

    def __init__(self, steps: Mapping[str, Sequence[Any]], base: Mapping[str, Any]) -> None:
        self._base = dict(base)
        self._grids = [
            Grid({one: steps[one], other: steps[other]})
            for one, other in itertools.combinations(steps, 2)
        ]
        self._ends = np.cumsum([len(grid) for grid in self._grids])

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def __getitem__(self, number: int) -> dict[str, Any]:
        which = int(np.searchsorted(self._ends, number, side='right'))
        before = int(self._ends[which - 1]) if which else 0
        return {**self._base, **self._grids[which][number - before]}


class Scattered:
    """Points of a unit cube, brought to the values of each axis.

    Args:
        axes: by parameter.
        cube: (points, axes) in 0 to 1.
    """

    def __init__(self, axes: Mapping[str, Axis], cube: Array) -> None:
        self._axes, self._cube = dict(axes), cube

    def __len__(self) -> int:
        return len(self._cube)

    def __getitem__(self, number: int) -> dict[str, Any]:
        parts = self._cube[number].tolist()
        return {
            name: axis.at(part)
            for (name, axis), part in zip(self._axes.items(), parts, strict=True)
        }


def latin_hypercube(axes: Mapping[str, Axis], samples: int, seed: int) -> Scattered:
    """So many points that each axis is met once in each of as many equal parts."""
    return Scattered(
        axes, qmc.LatinHypercube(len(axes), rng=np.random.default_rng(seed)).random(samples)
    )


def sobol(axes: Mapping[str, Axis], samples: int, seed: int) -> Scattered:
    """The first points of a scrambled Sobol sequence; powers of 2 are spread most evenly."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # other numbers of points are no mistake
        cube = qmc.Sobol(len(axes), rng=np.random.default_rng(seed)).random(samples)
    return Scattered(axes, cube)
