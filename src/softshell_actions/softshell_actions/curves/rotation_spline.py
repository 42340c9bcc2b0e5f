"""Splines on SO(3): orientations that follow a curve's basis functions.

The first control orientation is turned by one rotation vector after another, each weighted by a
cumulative basis function: Kim, Kim and Shin, A general construction scheme for unit quaternion
curves with simple high order derivatives (1995), eq. 4. About one fixed axis this is the NURBS
curve of the angle, and it does not depend on the frame in which orientations are given.
"""

from itertools import pairwise

import numpy as np
from scipy.spatial.transform import Rotation

from softshell_actions.curves.nurbs import USUAL_DEGREE, CurveError, RationalBasis, control_points
from softshell_kinematics.arrays import Array

#: Errors at nodes at which Newton's method ends: below the first at once, below the second when
#: rounding keeps it from getting better [rad].
EXACT, CLOSE = 1e-14, 1e-12
#: Largest error at a node at which it begins [rad]: at half a turn there are two ways back.
FARTHEST = 1.5
#: An iteration has to reduce the largest error to this part of it, or less.
SLOWEST = 0.7
MOST_ITERATIONS = 12
#: Most strides of the continuation in `steps_through`, with those that were too long.
MOST_STRIDES = 100
#: Rotation vectors shorter than this are treated by a series [rad].
SMALL = 1e-4


def steps_between(orientations: Rotation) -> Array:
    """(orientations - 1, 3) rotation vectors from each orientation to the next, ≤ π long [rad]."""
    steps = [(before.inv() * after).as_rotvec() for before, after in pairwise(orientations)]
    return np.array(steps).reshape(-1, 3)


def orientations_along(start: Rotation, steps: Array, basis: Array) -> Rotation:
    """Samples of a curve on SO(3).

    Args:
        start: first control orientation.
        steps: (control orientations - 1, 3) rotation vectors, each in the frame of the control
            orientation from which it leads to the next [rad]; they may be longer than a turn.
        basis: (samples, control orientations) rational basis functions.

    Returns:
        `samples` orientations.
    """
    cumulative = np.cumsum(basis[:, ::-1], axis=1)[:, ::-1]
    result = Rotation.from_quat(np.tile(start.as_quat(), (len(basis), 1)))
    for index, step in enumerate(steps, start=1):
        result = result * Rotation.from_rotvec(cumulative[:, index : index + 1] * step)
    return result


def steps_through(nodes: Rotation, basis: RationalBasis, parameters: Array, subject: str) -> Array:
    """Steps of the curve on SO(3) that passes through orientations.

    Between nodes it turns the short way. Steps are found by continuation: only a part of each turn
    between nodes is made, which grows from 0, where all steps are 0, to 1; for each part Newton's
    method solves for the steps, from those of the part before. If all turns are about one axis,
    the first guess is the solution.

    Args:
        nodes: orientations, at least two.
        basis: of the curve, from `node_basis`.
        parameters: (nodes,) at which it passes through the nodes.
        subject: what messages call the curve.

    Returns:
        (nodes - 1, 3) as `orientations_along` takes them [rad].

    Raises:
        CurveError: no such curve is found.
    """
    turns = steps_between(nodes)
    turned = np.concatenate([np.zeros((1, 3)), np.cumsum(turns, axis=0)])
    growth = np.diff(control_points(basis, parameters, turned, subject), axis=0)
    values = basis.at(parameters)[1:]
    steps, part, stride = np.zeros_like(turns), 0.0, 1.0
    for _ in range(MOST_STRIDES):
        stride = min(stride, 1.0 - part)
        goals = _partly(nodes[0], turns, part + stride)
        met = _newton(goals, nodes[0], steps + stride * growth, values)
        if met is None:
            stride /= 2.0
            continue
        if part + stride >= 1.0:
            return met
        growth = (met - steps) / stride
        steps, part, stride = met, part + stride, 2.0 * stride
    raise CurveError(
        f'{subject}: no curve of degree {basis.degree} is found through the orientations of the '
        f'{len(nodes)} nodes; expected smaller turns from node to node, or a lower degree, such '
        f'as {USUAL_DEGREE}'
    )


def _partly(start: Rotation, turns: Array, part: float) -> Rotation:
    """The nodes after the first one, if only a part of each turn between nodes is made."""
    found = [start]
    for turn in turns:
        found.append(found[-1] * Rotation.from_rotvec(part * turn))
    return Rotation.concatenate(found[1:])


def _newton(goals: Rotation, start: Rotation, steps: Array, values: Array) -> Array | None:
    """Steps with which a curve passes through goals, by Newton's method; None if it fails.

    Args:
        goals: orientations.
        start: first control orientation.
        steps: (steps, 3) to begin with [rad].
        values: (goals, steps + 1) basis functions at the goals.
    """
    cumulative = np.cumsum(values[:, ::-1], axis=1)[:, -2::-1]
    before = np.inf
    for _ in range(MOST_ITERATIONS):
        along = orientations_along(start, steps, values)
        errors = (along.inv() * goals).as_rotvec().ravel()
        worst = float(np.abs(errors).max())
        if worst < EXACT:
            return steps
        if worst > min(SLOWEST * before, FARTHEST):
            return steps if worst < CLOSE else None
        before = worst
        try:
            change = np.linalg.solve(_turns(steps, cumulative), errors)
        except np.linalg.LinAlgError:
            return None
        steps = steps + change.reshape(-1, 3)
    return None


def _turns(steps: Array, cumulative: Array) -> Array:
    """Jacobian: how samples turn, each in its own frame, when steps change.

    The change of a step is turned by all rotations that come after it in the product.

    Args:
        steps: (steps, 3) [rad].
        cumulative: (samples, steps) cumulative basis functions.

    Returns:
        (3 samples, 3 steps).
    """
    samples, count = cumulative.shape
    result = np.zeros((samples, 3, count, 3))
    after = Rotation.from_quat(np.tile([0.0, 0.0, 0.0, 1.0], (samples, 1)))
    for index in reversed(range(count)):
        parts = cumulative[:, index]
        vectors = parts[:, None] * steps[index]
        seen = after.inv().as_matrix() @ _right_jacobian(vectors)
        result[:, :, index] = parts[:, None, None] * seen
        after = Rotation.from_rotvec(vectors) * after
    return result.reshape(3 * samples, 3 * count)


def _right_jacobian(vectors: Array) -> Array:
    """(n, 3, 3) change of exp(v), in its own frame, as v (n, 3) changes.

    Chirikjian, Stochastic Models, Information Theory, and Lie Groups 2 (2011), eq. 10.86.
    """
    x, y, z = vectors.T
    zero = np.zeros_like(x)
    cross = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)
    angle = np.linalg.norm(vectors, axis=1)
    safe = np.where(angle < SMALL, 1.0, angle)
    first = np.where(angle < SMALL, 0.5 - angle**2 / 24, (1.0 - np.cos(safe)) / safe**2)
    second = np.where(angle < SMALL, (1.0 - angle**2 / 20) / 6, (safe - np.sin(safe)) / safe**3)
    linear = first[:, None, None] * cross
    result: Array = np.eye(3) - linear + second[:, None, None] * (cross @ cross)
    return result
