"""A fit of numbers for single bodies to the numbers that are wanted for pairs of them.

PyBullet stores no pairs: friction and restitution of two bodies are the products of theirs,
damping is the sum, and stiffness that of two springs in series. Here each class of bodies gets
numbers with which the pairs get what is wanted: exactly for up to three classes, if no two bodies
of one class touch, else by least squares.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares, lsq_linear
from scipy.sparse import csr_array

from softshell_kinematics.arrays import Array

#: A difference from the wanted number that counts as none.
EXACT = 1e-6
#: Smallest number of which a logarithm is taken; it replaces 0.
LEAST = 1e-6


@dataclass(frozen=True, eq=False)
class Meeting:
    """Which pairs of classes meet.

    Args:
        count: of classes.
        first, second: (pairs,) places of the classes.
        weight: (pairs,) of each pair in the fit.
    """

    count: int
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    weight: Array

    @classmethod
    def of(
        cls, count: int, pairs: Sequence[tuple[int, int]], weight: Sequence[float]
    ) -> 'Meeting':
        """From pairs of places of classes, and the weight of each pair."""
        ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return cls(count, ends[:, 0], ends[:, 1], np.array(weight, dtype=np.float64))

    def products(self, values: Array) -> Array:
        """(pairs,) products of the values of classes."""
        return values[self.first] * values[self.second]

    def slopes(self, values: Array) -> csr_array:
        """(pairs, classes) derivatives of the products by the values, times the weights."""
        rows = np.arange(len(self.first))
        slopes = self.weight * values[self.second], self.weight * values[self.first]
        places = np.concatenate([rows, rows]), np.concatenate([self.first, self.second])
        return csr_array((np.concatenate(slopes), places), (len(rows), self.count))

    def sums(self, values: Array) -> Array:
        """(pairs,) sums of the values of classes."""
        return values[self.first] + values[self.second]

    def only(self, pairs: NDArray[np.bool_]) -> 'Meeting':
        """Only the pairs for which a (pairs,) mask is true."""
        return Meeting(self.count, self.first[pairs], self.second[pairs], self.weight[pairs])

    @property
    def matrix(self) -> Array:
        """(pairs, classes) matrix that takes the values of classes to their sums in pairs."""
        matrix = np.zeros((len(self.first), self.count))
        rows = np.arange(len(self.first))
        np.add.at(matrix, (rows, self.first), 1.0)
        np.add.at(matrix, (rows, self.second), 1.0)
        return matrix


def fit_products(own: Array, meeting: Meeting, wanted: Array) -> Array:
    """(classes,) values, 0 or more, whose products are what is wanted of pairs.

    If the classes' own values fit, they are returned. If several solutions fit, it is the one
    whose logarithms are nearest to those of the own values. If none fits, it is a least squares
    fit.

    Args:
        own: (classes,) own values of the classes, 0 or more.
        meeting: pairs of classes that touch.
        wanted: (pairs,) products, 0 or more.
    """
    if _worst(meeting.products(own) - wanted) == 0.0:
        return own.copy()
    # A class that is to have 0 with all others gets 0, and has no effect on the others.
    some = np.ones(meeting.count, dtype=bool)
    for place in range(meeting.count):
        pairs = (meeting.first == place) | (meeting.second == place)
        some[place] = not pairs.any() or bool((wanted[pairs] > 0.0).any())
    kept = some[meeting.first] & some[meeting.second]
    rows, weight = meeting.matrix[kept], meeting.weight[kept]
    start = np.log(np.maximum(own, LEAST))
    target = np.log(np.maximum(wanted[kept], LEAST)) - rows @ start
    # By the normal equations, which stay small when there are many pairs.
    rows = weight[:, None] * rows
    change = np.linalg.lstsq(rows.T @ rows, rows.T @ (weight * target))[0]
    values = np.where(some, np.exp(start + change), 0.0)
    if _worst(meeting.products(values) - wanted) <= EXACT:
        return values
    guesses = (np.clip(values, 0.0, 10.0), own)
    found = [_fit_freely(guess, meeting, wanted) for guess in guesses]
    return min(found, key=lambda each: _error(meeting.products(each) - wanted, meeting))


def _fit_freely(start: Array, meeting: Meeting, wanted: Array) -> Array:
    fitted = least_squares(
        lambda values: meeting.weight * (meeting.products(values) - wanted),
        np.maximum(start, 1e-3),
        meeting.slopes,
        bounds=(0.0, np.inf),
        xtol=1e-12,
        ftol=1e-12,
        gtol=1e-12,
    )
    return np.asarray(fitted.x)


def fit_sums(start: Array, free: NDArray[np.bool_], meeting: Meeting, wanted: Array) -> Array:
    """(classes,) values, 0 or more, whose sums are what is wanted of pairs, by least squares.

    Args:
        start: (classes,) values; those that are not free are kept.
        free: (classes,) whether a value is fitted.
        meeting: pairs of classes that touch.
        wanted: (pairs,) sums.
    """
    values = np.where(free, 0.0, start)
    rest = wanted - meeting.sums(values)
    scale = float(np.abs(rest).max(initial=0.0)) or 1.0
    rows = meeting.weight[:, None] * meeting.matrix[:, free]
    found = lsq_linear(rows, meeting.weight * rest / scale, (0.0, np.inf), tol=1e-15)
    values[free] = found.x * scale
    return values


def _worst(differences: Array) -> float:
    return float(np.abs(differences).max(initial=0.0))


def _error(differences: Array, meeting: Meeting) -> float:
    return float(np.linalg.norm(meeting.weight * differences))
