"""NURBS curves through the air: positions in R^n, orientations on SO(3).

A motion starts and ends at rest, so the first and the last control point count twice: a clamped
B-spline's first derivative is proportional to the difference of its first two control points
(Piegl and Tiller, The NURBS Book, eq. 3.7).
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from geomdl import helpers, knotvector
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Array = NDArray[np.float64]

DEGREE = 3


@lru_cache(maxsize=256)
def rational_basis(weights: tuple[float, ...], samples: int) -> Array:
    """Rational basis functions of a clamped NURBS, at evenly spaced parameters from 0 to 1.

    The degree is `DEGREE`, or less where there are too few points. The NURBS Book, eq. 4.2.

    Args:
        weights: one for each control point, at least two, all positive.
        samples: number of parameters, at least two.

    Returns:
        (samples, control points); each row sums to 1.
    """
    count = len(weights)
    degree = min(DEGREE, count - 1)
    knots = knotvector.generate(degree, count)
    parameters = np.linspace(0.0, 1.0, samples).tolist()
    spans = helpers.find_spans(degree, knots, count, parameters)
    basis = np.zeros((samples, count))
    functions = helpers.basis_functions(degree, knots, spans, parameters)
    for row, span, values in zip(basis, spans, functions, strict=True):
        row[span - degree : span + 1] = values
    basis *= weights
    basis /= basis.sum(axis=1, keepdims=True)
    basis.setflags(write=False)
    return basis


def from_rest_to_rest(
    points: Array, weights: Sequence[float] | None
) -> tuple[Array, tuple[float, ...]]:
    """Control points and weights of a curve that starts and ends at rest.

    Args:
        points: (control points, n), the start first.
        weights: of the points after the start, whose weight is 1; None for 1 throughout.
    """
    all_weights = (1.0, *(weights or [1.0] * (len(points) - 1)))
    doubled = np.concatenate([points[:1], points, points[-1:]])
    return doubled, (all_weights[0], *all_weights, all_weights[-1])


def curve(points: Array, weights: tuple[float, ...], samples: int) -> Array:
    """Samples of a NURBS curve.

    Args:
        points: (control points, n) positions, in any unit.
        weights: one for each control point.
        samples: number of samples, evenly spaced in the parameter.

    Returns:
        (samples, n); the first and the last are the first and the last control point.
    """
    return rational_basis(weights, samples) @ points


def rotation_curve(points: Rotation, weights: tuple[float, ...], samples: int) -> Rotation:
    """Samples of a NURBS curve on SO(3), by cumulative basis functions.

    Kim, Kim and Shin, A general construction scheme for unit quaternion curves with simple high
    order derivatives (1995), eq. 4. About one fixed axis it is the NURBS curve of the angle.

    Args:
        points: control orientations.
        weights: one for each control orientation.
        samples: number of samples, evenly spaced in the parameter.

    Returns:
        `samples` orientations.
    """
    basis = rational_basis(weights, samples)
    cumulative = np.cumsum(basis[:, ::-1], axis=1)[:, ::-1]
    result = Rotation.from_quat(np.tile(points[0].as_quat(), (samples, 1)))
    for index in range(1, len(weights)):
        step = (points[index - 1].inv() * points[index]).as_rotvec()
        result = result * Rotation.from_rotvec(cumulative[:, index : index + 1] * step)
    return result
