"""Clamped NURBS of any degree, by control points or through nodes.

A curve is given by its rational basis functions, so that positions, joints and orientations can
share one parameter: at a parameter u from 0 to 1 it is at `basis.at(u) @ control_points`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import BSpline

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.limits import checked_finite

#: Degree if none is given and there are enough points.
USUAL_DEGREE = 3
#: Largest ratio of two weights: beyond it rounding errors become too large.
WEIGHT_RATIO = 1e6
#: Nodes no further apart than this part of the whole way count as the same.
SAME = 1e-6
#: A curve that misses a node by more than this part of the largest coordinate is refused.
MISS = 1e-9

#: How the parameters of nodes grow with the distances between them, by name.
SPACINGS = {'chord': 1.0, 'centripetal': 0.5}
Spacing = Literal['chord', 'centripetal']


class CurveError(SoftshellError):
    """Points, weights or a degree that make no curve."""


@dataclass(frozen=True, eq=False)
class RationalBasis:
    """Rational basis functions of a clamped NURBS over the parameters 0 to 1.

    Args:
        degree: at least 1.
        knots: (control points + degree + 1,) ascending, of which the first and the last
            degree + 1 are 0 and 1.
        weights: (control points,) all positive.
    """

    degree: int
    knots: Array
    weights: Array

    def at(self, parameters: ArrayLike) -> Array:
        """Values of the functions: The NURBS Book, eq. 4.2.

        Args:
            parameters: (samples,) from 0 to 1.

        Returns:
            (samples, control points); each row sums to 1. At 0 and at 1 it is exactly 1 for the
            first and the last point, and 0 for all others.
        """
        parameters = np.asarray(parameters, dtype=float)
        values: Array = BSpline.design_matrix(parameters, self.knots, self.degree).toarray()
        values *= self.weights
        values /= values.sum(axis=1, keepdims=True)
        return values

    def derivative(self, parameters: ArrayLike, order: int = 1) -> Array:
        """Derivatives of the functions with respect to the parameter: The NURBS Book, eq. 4.8.

        Args:
            parameters: (samples,) from 0 to 1.
            order: of the derivative, 0 for the functions themselves.

        Returns:
            (samples, control points).
        """
        parameters = np.asarray(parameters, dtype=float)
        weighted = [self._functions(parameters, nu=k) * self.weights for k in range(order + 1)]
        sums = [values.sum(axis=1, keepdims=True) for values in weighted]
        found: list[Array] = []
        for k in range(order + 1):
            lower = sum((comb(k, j) * sums[j] * found[k - j] for j in range(1, k + 1)), 0.0)
            found.append((weighted[k] - lower) / sums[0])
        return found[order]

    @cached_property
    def _functions(self) -> BSpline:
        return BSpline(self.knots, np.eye(len(self.weights)), self.degree)


def control_basis(weights: ArrayLike, degree: int | None, subject: str) -> RationalBasis:
    """The basis of a curve with given control points: its inner knots are evenly spaced.

    Args:
        weights: (control points,), positive.
        degree: from 1 to one less than the points; None for `USUAL_DEGREE`, or less if there are
            too few points.
        subject: what messages call the curve.

    Raises:
        CurveError: a weight or the degree is not allowed.
    """
    weights = checked_weights(weights, subject)
    degree = checked_degree(degree, len(weights), subject)
    inner = np.linspace(0.0, 1.0, len(weights) - degree + 1)
    return RationalBasis(degree, _clamped(degree, inner[1:-1]), weights)


def node_basis(
    parameters: Array, weights: ArrayLike, degree: int | None, subject: str
) -> RationalBasis:
    """The basis of a curve through nodes: knots are means of their parameters.

    The NURBS Book, eq. 9.8: with these knots there is exactly one curve through the nodes.

    Args:
        parameters: (nodes,) of the nodes, from `node_parameters`.
        weights: (nodes,), positive: there are as many control points as nodes.
        degree, subject: as in `control_basis`.

    Raises:
        CurveError: as `control_basis`.
    """
    weights = checked_weights(weights, subject, len(parameters))
    degree = checked_degree(degree, len(weights), subject)
    firsts = range(1, len(weights) - degree)
    means = [float(np.mean(parameters[first : first + degree])) for first in firsts]
    return RationalBasis(degree, _clamped(degree, np.array(means)), weights)


def node_parameters(
    distances: Array,
    nodes: Array,
    subject: str,
    spacing: Spacing = 'centripetal',
    first: int = 0,
) -> Array:
    """Parameters at which a curve passes through its nodes: The NURBS Book, eqs. 9.5 and 9.6.

    Args:
        distances: (nodes - 1,) between consecutive nodes, in any unit.
        nodes: (nodes, n) for messages.
        subject: what messages call the curve.
        spacing: 'chord': parameters grow with the distances; 'centripetal': with their square
            roots, with which curves swing out less between nodes.
        first: number of the first node in messages.

    Returns:
        (nodes,) from 0 to 1, strictly increasing.

    Raises:
        CurveError: there are fewer than two nodes, or two that follow each other are the same.
    """
    if len(nodes) < 2:
        raise CurveError(f'{subject}: has {len(nodes)} node(s); expected at least 2')
    same = ~(distances > SAME * distances.sum())
    if same.any():
        index = int(np.argmax(same))
        values = ', '.join(f'{value:g}' for value in nodes[index])
        raise CurveError(
            f'{subject}: nodes {first + index} and {first + index + 1} are the same, {values}; '
            'expected nodes that differ from those before them'
        )
    steps = (distances / distances.max()) ** SPACINGS[spacing]
    parameters = np.concatenate([[0.0], np.cumsum(steps)])
    parameters /= parameters[-1]
    return parameters


def control_points(
    basis: RationalBasis, parameters: Array, nodes: ArrayLike, subject: str
) -> Array:
    """Control points of the curve through nodes: The NURBS Book, section 9.2.1.

    Args:
        basis: of the curve, from `node_basis`.
        parameters: (nodes,) at which it passes through the nodes.
        nodes: (nodes, n) in any unit.
        subject: what messages call the curve.

    Returns:
        (nodes, n); the first and the last are exactly those nodes.

    Raises:
        NonFiniteError: a coordinate of a node is NaN or infinite.
        CurveError: the degree is so high that rounding keeps the curve off its nodes.
    """
    values = checked_finite(nodes, f'{subject}: nodes')
    matrix = basis.at(parameters)
    points = np.asarray(np.linalg.solve(matrix, values), dtype=np.float64)
    # One step of iterative refinement: solve for what rounding left.
    points += np.linalg.solve(matrix, values - matrix @ points)
    points[[0, -1]] = values[[0, -1]]
    largest = float(np.abs(values).max(initial=0.0))
    miss = float(np.abs(matrix @ points - values).max(initial=0.0))
    if not miss <= MISS * largest:
        raise CurveError(
            f'{subject}: degree {basis.degree} misses the {len(values)} nodes by {miss:.1g}; '
            f'expected a lower degree, such as {USUAL_DEGREE}'
        )
    return points


def checked_degree(degree: int | None, count: int, subject: str) -> int:
    """The degree of a curve, checked.

    Args:
        degree: that was asked for; None for `USUAL_DEGREE`, or less if there are too few points.
        count: of its points.
        subject: what messages call the curve.

    Raises:
        CurveError: there are fewer than two points, or it is not a whole number from 1 to one
            less than the points.
    """
    if count < 2:
        raise CurveError(f'{subject}: has {count} point(s); expected at least 2')
    if degree is None:
        return min(USUAL_DEGREE, count - 1)
    whole = isinstance(degree, int | np.integer) and not isinstance(degree, bool)
    if not whole or not 1 <= degree < count:
        raise CurveError(
            f'{subject}: degree is {degree}; expected a whole number from 1 to {count - 1}, one '
            f'less than its {count} points'
        )
    return int(degree)


def checked_weights(weights: ArrayLike, subject: str, count: int | None = None) -> Array:
    """(control points,) weights as an array, checked.

    Args:
        weights: (control points,), positive.
        subject: what messages call the curve.
        count: of the points; None if there may be any number.

    Raises:
        CurveError: there are too many or too few, one is not a positive number, or they differ
            too much.
    """
    result = np.array(weights, dtype=float)
    if count is not None and result.shape != (count,):
        raise CurveError(f'{subject}: has {result.size} weights; expected {count}')
    wrong = ~(np.isfinite(result) & (result > 0.0))
    if wrong.any():
        index = int(np.argmax(wrong))
        raise CurveError(
            f'{subject}: weight {index} is {result[index]:g}; expected a positive number'
        )
    problem = weight_problem(result.tolist())
    if problem is not None:
        raise CurveError(f'{subject}: {problem}')
    return result


def weight_problem(weights: Sequence[float]) -> str | None:
    """Why positive weights differ too much, in words; None if they do not."""
    least, most = min(weights, default=1.0), max(weights, default=1.0)
    if most <= WEIGHT_RATIO * least:
        return None
    return (
        f'weights are {least:g} to {most:g}; expected the largest to be at most '
        f'{WEIGHT_RATIO:g} times the smallest'
    )


def _clamped(degree: int, inner: Array) -> Array:
    """(control points + degree + 1,) knots, of which the inner ones are given."""
    return np.concatenate([np.zeros(degree + 1), inner, np.ones(degree + 1)])
