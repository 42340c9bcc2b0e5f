"""Paths of moves: positions of the base, a tip or joints over time, from the points of a move."""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from softshell_actions.curves.curve import curve, from_rest_to_rest, rotation_curve
from softshell_actions.curves.nurbs import (
    SAME,
    RationalBasis,
    checked_degree,
    checked_weights,
    control_basis,
    control_points,
    node_basis,
    node_parameters,
)
from softshell_actions.curves.rotation_spline import (
    orientations_along,
    steps_between,
    steps_through,
)
from softshell_actions.curves.time_law import USUAL_LAW, progress
from softshell_actions.language.curved_move import CurvedMove
from softshell_kinematics.arrays import Array
from softshell_kinematics.limits import checked_within
from softshell_kinematics.transforms import angles_from_rotation

#: Way that a turn of one radian counts like in the distance between nodes [m/rad].
LEVER = 0.1
#: Largest magnitude of a coordinate or joint on a curve with nodes, degree or law.
LARGEST = 1e9


def base_path(
    move: CurvedMove, points: Array, samples: int, subject: str
) -> tuple[Array, Rotation]:
    """Where the base is over time.

    Args:
        move: how it follows its points.
        points: (points, 6) x y z [m] yaw pitch roll [rad], the start first.
        samples: evenly spaced in time.
        subject: what messages call the move.

    Returns:
        (samples, 3) [m], and `samples` orientations.

    Raises:
        CurveError: the points make no curve of the degree and weights that the move asks for.
        OutOfRangeError: a coordinate is NaN, infinite or beyond `LARGEST`.
    """
    if move.plain:
        doubled, weights = from_rest_to_rest(points, move.weights)
        rotations = rotation_curve(Rotation.from_euler('ZYX', doubled[:, 3:]), weights, samples)
        return curve(doubled[:, :3], weights, samples), rotations
    points = _checked(points, subject)
    orientations = Rotation.from_euler('ZYX', points[:, 3:])
    return _sampled(move, points[:, :3], orientations, samples, subject)


def tip_path(move: CurvedMove, points: Array, samples: int, subject: str) -> Array:
    """Where a tip is over time.

    Args:
        move, samples, subject: as in `base_path`.
        points: (points, 6) likewise; a coordinate that is NaN in all of them is free.

    Returns:
        (samples, 6) x y z [m] yaw pitch roll [rad].

    Raises:
        CurveError, OutOfRangeError: as `base_path`.
    """
    turns = bool(np.isfinite(points[:, 3:]).all())
    if move.plain:
        doubled, weights = from_rest_to_rest(points, move.weights)
        path = curve(doubled, weights, samples)
        if turns:
            rotations = Rotation.from_euler('ZYX', doubled[:, 3:])
            turned = rotation_curve(rotations, weights, samples)
            path[:, 3:] = angles_from_rotation(turned.as_matrix())
        return path
    path = np.full((samples, 6), np.nan)
    named: NDArray[np.bool_] = ~np.all(np.isnan(points), axis=0)
    _checked(points[:, named], subject)
    if turns:
        named[3:] = False
        orientations = Rotation.from_euler('ZYX', points[:, 3:])
        path[:, named], turned = _sampled(move, points[:, named], orientations, samples, subject)
        path[:, 3:] = angles_from_rotation(turned.as_matrix())
    else:
        path[:, named] = _values(move, points[:, named], samples, subject)
    return path


def joint_path(move: CurvedMove, points: Array, samples: int, subject: str) -> Array:
    """Where joints are over time.

    Args:
        move, samples, subject: as in `base_path`.
        points: (points, joints) [rad] or [m], the start first.

    Returns:
        (samples, joints) [rad] or [m].

    Raises:
        CurveError, OutOfRangeError: as `base_path`.
    """
    if move.plain:
        path = np.empty((samples, points.shape[1]))
        for column in range(points.shape[1]):
            doubled, weights = from_rest_to_rest(points[:, column : column + 1], move.weights)
            path[:, column] = curve(doubled, weights, samples)[:, 0]
        return path
    return _values(move, _checked(points, subject), samples, subject)


def _checked(points: Array, subject: str) -> Array:
    """Points of a move; refuses those that are not finite or beyond `LARGEST`."""
    return checked_within(points, LARGEST, f'{subject}: points', 'm or rad')


def _values(move: CurvedMove, values: Array, samples: int, subject: str) -> Array:
    """(samples, n) of a move without orientations on SO(3)."""
    still = Rotation.from_quat(np.tile([0.0, 0.0, 0.0, 1.0], (len(values), 1)))
    return _sampled(move, values, still, samples, subject)[0]


def _sampled(
    move: CurvedMove, values: Array, orientations: Rotation, samples: int, subject: str
) -> tuple[Array, Rotation]:
    """Values (samples, n) and orientations on one curve, by one time law.

    Args:
        values: (points, n), the start first.
        orientations: one for each point.
    """
    count = len(values)
    weights = checked_weights([1.0, *(move.weights or [1.0] * (count - 1))], subject, count)
    degree = checked_degree(move.degree, count, subject)
    if move.nodes:
        basis, points, steps = _through(values, orientations, weights, degree, subject)
    else:
        basis = control_basis(weights, degree, subject)
        points, steps = values, steps_between(orientations)
    rows = basis.at(progress(move.law or USUAL_LAW, samples))
    return rows @ points, orientations_along(orientations[0], steps, rows)


def _through(
    values: Array, orientations: Rotation, weights: Array, degree: int, subject: str
) -> tuple[RationalBasis, Array, Array]:
    """The basis, the control points and the steps of a curve through nodes.

    A first node that equals the start is left out, and the degree is lowered if too few nodes are
    left. With no other node the curve stays where it is.
    """
    distances = _distances(values, orientations)
    there = bool(distances[0] <= SAME * distances.sum())
    if there and len(values) > 2:
        kept = np.arange(len(values)) != 1
        values, orientations, weights = values[kept], orientations[kept], weights[kept]
        distances, degree = _distances(values, orientations), min(degree, len(values) - 1)
    elif there:
        return control_basis(weights, degree, subject), values, steps_between(orientations)
    parameters = node_parameters(distances, values, subject, first=int(there))
    basis = node_basis(parameters, weights, degree, subject)
    points = control_points(basis, parameters, values, subject)
    return basis, points, steps_through(orientations, basis, parameters, subject)


def _distances(values: Array, orientations: Rotation) -> Array:
    """(points - 1,) from each point to the next, turns included."""
    ways = np.linalg.norm(np.diff(values, axis=0), axis=1)
    turns = np.linalg.norm(steps_between(orientations), axis=1)
    distances: Array = np.hypot(ways, LEVER * turns)
    return distances
