"""Sampling: the combinations of parameters (points) that a study runs."""

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
    """A sequence of points, each the values of the varied parameters by path."""

    def __len__(self) -> int: ...
    def __getitem__(self, number: int) -> dict[str, Any]: ...


class Grid:
    """All combinations of values; the last parameter changes fastest.

    Args:
        steps: values of each parameter, by path.
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
    """A grid over each pair of parameters, while all others keep their base value.

    Args:
        steps: values of each parameter, by path; two parameters or more.
        base: the base value of each parameter, by path.
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
    """Points of a unit cube, mapped to the values of each axis.

    Args:
        axes: of each parameter, by path.
        cube: (points, axes) from 0 to 1.
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
    """A Latin hypercube: on each axis, each of `samples` equal parts holds exactly one point."""
    return Scattered(
        axes, qmc.LatinHypercube(len(axes), rng=np.random.default_rng(seed)).random(samples)
    )


def sobol(axes: Mapping[str, Axis], samples: int, seed: int) -> Scattered:
    """The first points of a scrambled Sobol sequence; most even if `samples` is a power of 2."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # scipy warns if it is no power of 2, which is allowed
        cube = qmc.Sobol(len(axes), rng=np.random.default_rng(seed)).random(samples)
    return Scattered(axes, cube)
