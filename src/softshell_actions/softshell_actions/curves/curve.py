"""NURBS curves through the air: positions in R^n, orientations on SO(3).

A motion starts and ends at rest, so the first and the last control point count twice: a clamped
B-spline's first derivative is proportional to the difference of its first two control points
(Piegl and Tiller, The NURBS Book, eq. 3.7).
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from geomdl import helpers, knotvector
from scipy.spatial.transform import Rotation

from softshell_actions.curves.nurbs import USUAL_DEGREE
from softshell_actions.curves.rotation_spline import orientations_along, steps_between
from softshell_kinematics.arrays import Array

#: No velocity.
REST = np.zeros(3)


@lru_cache(maxsize=256)
def rational_basis(
    weights: tuple[float, ...],
    samples: int,
    first: float = 0.0,
    last: float = 1.0,
    haste: float = 1.0,
) -> Array:
    """Rational basis functions of a clamped NURBS.

    The degree is `USUAL_DEGREE`, or less if there are too few points. The NURBS Book, eq. 4.2.

    Args:
        weights: one for each control point, at least two, all positive.
        samples: number of parameters, at least two.
        first, last: the first and the last parameter, from 0 to 1.
        haste: see `progress`.

    Returns:
        (samples, control points); each row sums to 1.
    """
    count = len(weights)
    degree = min(USUAL_DEGREE, count - 1)
    knots = knotvector.generate(degree, count)
    parameters = progress(first, last, samples, haste).tolist()
    spans = helpers.find_spans(degree, knots, count, parameters)
    basis = np.zeros((samples, count))
    functions = helpers.basis_functions(degree, knots, spans, parameters)
    for row, span, values in zip(basis, spans, functions, strict=True):
        row[span - degree : span + 1] = values
    basis *= weights
    basis /= basis.sum(axis=1, keepdims=True)
    basis.setflags(write=False)
    return basis


def progress(first: float, last: float, samples: int, haste: float = 1.0) -> Array:
    """(samples,) values over time, with a given speed at the beginning.

    Args:
        first, last: values at the ends.
        samples: their number, evenly spaced in time.
        haste: speed at the beginning, relative to the mean speed, which is the speed at the end;
            1: even throughout; above 4 values would go back in between.
    """
    time = np.linspace(0.0, 1.0, samples)
    return first + (last - first) * (time + (haste - 1.0) * time * (1.0 - time) ** 2)


def from_rest_to_rest(
    points: Array, weights: Sequence[float] | None
) -> tuple[Array, tuple[float, ...]]:
    """Control points and weights of a curve that starts and ends at rest.

    Args:
        points: (points, n) positions in any unit, the start first.
        weights: (points − 1,) of the points after the start, whose weight is 1; None for 1
            throughout.

    Returns:
        (points + 2, n) the same with the first and the last twice, and their weights
        (points + 2,).
    """
    all_weights = (1.0, *(weights or [1.0] * (len(points) - 1)))
    doubled = np.concatenate([points[:1], points, points[-1:]])
    return doubled, (all_weights[0], *all_weights, all_weights[-1])


def curve(points: Array, weights: tuple[float, ...], samples: int) -> Array:
    """Samples of a NURBS curve of degree `USUAL_DEGREE`, or less if there are too few points.

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

    About one fixed axis it is the NURBS curve of the angle.

    Args:
        points: control orientations.
        weights: one for each control orientation.
        samples: number of samples, evenly spaced in the parameter.

    Returns:
        `samples` orientations.
    """
    steps = steps_between(points)
    return orientations_along(points[0], steps, rational_basis(weights, samples))


def swing_path(
    lift_off: Array,
    foothold: Array,
    height: float,
    slant: float,
    samples: int,
    part: tuple[float, float] = (0.0, 1.0),
    leaving: Array = REST,
    landing: Array = REST,
    haste: float = 1.0,
) -> Array:
    """Path of a foot through the air.

    Args:
        lift_off, foothold: (3,) [m].
        height: of its highest point over the straight line between them [m].
        slant: part of the way that it covers while rising, and while coming down again.
        samples: evenly spaced in time.
        part: of the swing, from 0 at lift-off to 1 at the foothold.
        leaving, landing: (3,) velocities at lift-off and at touch-down, times the duration of the
            whole swing [m].
        haste: speed at the beginning of the part, see `progress`.

    Returns:
        (samples, 3) [m].
    """
    along = np.array([0.0, slant, 1.0 - slant, 1.0])
    points, weights = from_rest_to_rest(lift_off + np.outer(along, foothold - lift_off), None)
    raised = np.array([0.0, 0.0, 1.0, 1.0, 0.0, 0.0])
    # The curve stays below its control points; it is highest half-way, by symmetry.
    highest = (rational_basis(weights, 3) @ raised)[1]
    points[:, 2] += raised * height / highest
    s = progress(*part, samples, haste)[:, None]
    # Of the cubic Hermite functions those that are 0 at both ends and set the velocities there.
    started, stopping = s * (1.0 - s) ** 2 * leaving, s**2 * (s - 1.0) * landing
    path: Array = rational_basis(weights, samples, *part, haste) @ points + started + stopping
    return path
