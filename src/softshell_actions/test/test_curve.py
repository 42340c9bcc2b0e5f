"""Curves of the action language."""

import numpy as np
import pytest
from geomdl import NURBS, knotvector
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from softshell_actions.curves.curve import (
    curve,
    from_rest_to_rest,
    rational_basis,
    rotation_curve,
    swing_path,
)

WEIGHTS = st.lists(st.floats(0.1, 10.0), min_size=2, max_size=9).map(tuple)


@given(WEIGHTS, st.integers(2, 60))
def test_basis_is_a_partition_of_unity(weights, samples):
    """Rational basis functions are non-negative and sum to one at every parameter."""
    basis = rational_basis(weights, samples)
    assert basis.shape == (samples, len(weights))
    assert basis.min() >= 0.0
    assert np.allclose(basis.sum(axis=1), 1.0, atol=1e-14)


def test_three_points_make_an_exact_quarter_circle():
    """Weights (1, cos 45°, 1) draw a circular arc exactly (The NURBS Book, section 7.2)."""
    points = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    arc = curve(points, (1.0, np.sqrt(0.5), 1.0), 33)
    assert np.allclose(np.linalg.norm(arc, axis=1), 1.0, atol=1e-15)


def test_curve_agrees_with_geomdl():
    """A weighted cubic is the curve geomdl evaluates from the same control points."""
    rng = np.random.default_rng(1)
    points, weights = rng.normal(size=(7, 3)), tuple(rng.uniform(0.2, 5.0, 7).tolist())
    oracle = NURBS.Curve()
    oracle.degree = 3
    oracle.ctrlpts = points.tolist()
    oracle.weights = list(weights)
    oracle.knotvector = knotvector.generate(3, 7)
    oracle.sample_size = 21
    assert np.allclose(curve(points, weights, 21), oracle.evalpts, atol=1e-12)


def test_rest_to_rest_has_no_velocity_at_its_ends():
    """With its end points doubled a curve leaves and arrives with zero velocity."""
    points, weights = from_rest_to_rest(np.array([[0.0], [2.0], [1.0]]), [3.0, 0.5])
    samples = 100_001
    path = curve(points, weights, samples)[:, 0]
    step = 1.0 / (samples - 1)
    # The first difference is then of second order in the step.
    assert abs(path[1] - path[0]) < 100 * step**2
    assert abs(path[-1] - path[-2]) < 100 * step**2
    assert (path[0], path[-1]) == (0.0, 1.0)


def test_one_target_is_reached_by_the_smoothstep():
    """From a to b at rest, the curve is 3u² - 2u³."""
    points, weights = from_rest_to_rest(np.array([[0.0], [1.0]]), None)
    u = np.linspace(0, 1, 17)
    assert np.allclose(curve(points, weights, 17)[:, 0], 3 * u**2 - 2 * u**3, atol=1e-15)


def test_rotation_about_one_axis_follows_the_scalar_curve():
    """About a fixed axis, the curve on SO(3) turns by the NURBS of the angle."""
    angles, weights = np.array([0.1, 0.5, -0.4, 1.2, 2.0]), (1.0, 2.0, 0.5, 1.0, 3.0)
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    rotations = rotation_curve(Rotation.from_rotvec(np.outer(angles, axis)), weights, 25)
    expected = curve(angles[:, None], weights, 25)
    assert np.allclose(rotations.as_rotvec(), expected * axis, atol=1e-12)


def test_rotation_curve_does_not_depend_on_the_frame():
    """Seen from a turned frame, the curve is the turned curve: no coordinate angles are mixed."""
    rng = np.random.default_rng(2)
    points = Rotation.random(5, random_state=rng)
    frame = Rotation.random(random_state=rng)
    weights = (1.0, 0.3, 2.0, 1.0, 1.0)
    turned = rotation_curve(frame * points, weights, 12)
    expected = frame * rotation_curve(points, weights, 12)
    assert (turned.inv() * expected).magnitude() == pytest.approx(np.zeros(12), abs=1e-7)


def test_rotation_curve_starts_and_ends_at_its_control_points():
    """The first and the last orientation are the first and the last control point."""
    points = Rotation.random(4, random_state=np.random.default_rng(3))
    path = rotation_curve(points, (1.0,) * 4, 9)
    assert (path[[0, -1]].inv() * points[[0, -1]]).magnitude().max() < 1e-7


@given(st.floats(0.0, 0.45), st.floats(0.005, 0.05))
def test_a_swing_is_exactly_as_high_as_asked(slant, height):
    """The highest point of a swing, half-way, is `height` over the line between its ends."""
    start, goal = np.array([0.3, 0.1, 0.0]), np.array([0.38, 0.08, 0.02])
    path = swing_path(start, goal, height, slant, 201)
    line = start + np.linspace(0.0, 1.0, 201)[:, None] * (goal - start)
    assert path[100, 2] == pytest.approx(line[100, 2] + height, abs=1e-12)
    assert np.array_equal(path[0], start)
    assert path[-1] == pytest.approx(goal, abs=1e-12)


def test_a_swing_in_parts_is_the_whole_swing():
    """Parts of a swing, one after another, are the points of the swing at once."""
    start, goal = np.zeros(3), np.array([0.08, 0.0, 0.0])
    whole = swing_path(start, goal, 0.03, 0.2, 31)
    parts = [swing_path(start, goal, 0.03, 0.2, 11, (k / 3, (k + 1) / 3)) for k in range(3)]
    assert np.concatenate([parts[0], parts[1][1:], parts[2][1:]]) == pytest.approx(whole)
