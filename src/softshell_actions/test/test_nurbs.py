"""NURBS of any degree, by control points and through nodes."""

import numpy as np
import pytest
from geomdl import NURBS, fitting, knotvector
from hypothesis import given
from hypothesis import strategies as st

from softshell_actions.curves.nurbs import (
    CurveError,
    control_basis,
    control_points,
    node_basis,
    node_parameters,
)
from softshell_kinematics.errors import NonFiniteError

#: Number of points and a degree that they allow.
SIZES = [(2, 1), (3, 2), (5, 1), (5, 3), (6, 5), (9, 4), (12, 3), (12, 7)]


def spaced(nodes, spacing='chord'):
    return node_parameters(np.linalg.norm(np.diff(nodes, axis=0), axis=1), nodes, 'way', spacing)


def through(nodes, weights, degree, spacing='chord'):
    """Basis, parameters and control points of a curve through nodes."""
    parameters = spaced(nodes, spacing)
    basis = node_basis(parameters, weights, degree, 'way')
    return basis, parameters, control_points(basis, parameters, nodes, 'way')


@pytest.mark.parametrize(('count', 'degree'), SIZES)
def test_curve_by_control_points_agrees_with_geomdl(count, degree):
    """Points and first derivatives are those of geomdl's rational curve of the same degree."""
    rng = np.random.default_rng(count + degree)
    points, weights = rng.normal(size=(count, 3)), rng.uniform(0.2, 5.0, count)
    oracle = NURBS.Curve()
    oracle.degree = degree
    oracle.ctrlpts = points.tolist()
    oracle.weights = weights.tolist()
    oracle.knotvector = knotvector.generate(degree, count)
    parameters = np.linspace(0.0, 1.0, 31)
    basis = control_basis(weights, degree, 'way')
    expected = np.array([oracle.derivatives(u, order=2) for u in parameters.tolist()])
    assert np.abs(basis.at(parameters) @ points - expected[:, 0]).max() < 1e-13
    for order in (1, 2):
        found = basis.derivative(parameters, order) @ points
        assert np.allclose(found, expected[:, order], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(('count', 'degree'), SIZES)
@pytest.mark.parametrize('spacing', ['chord', 'centripetal'])
def test_curve_through_nodes_agrees_with_geomdl(count, degree, spacing):
    """Without weights it is the one of geomdl's global interpolation."""
    nodes = np.random.default_rng(count).normal(size=(count, 3))
    oracle = fitting.interpolate_curve(
        nodes.tolist(), degree, centripetal=spacing == 'centripetal'
    )
    _, _, points = through(nodes, np.ones(count), degree, spacing)
    assert np.abs(points - np.array(oracle.ctrlpts)).max() < 1e-11 * np.abs(points).max()


@pytest.mark.parametrize(('count', 'degree'), SIZES)
def test_weighted_curve_passes_through_all_nodes(count, degree):
    """At the nodes' parameters it is at the nodes to 1e-12, at both ends in every bit."""
    rng = np.random.default_rng(7 * count + degree)
    for _ in range(20):
        nodes = rng.normal(size=(count, 3))
        basis, parameters, points = through(nodes, rng.uniform(0.3, 3.0, count), degree)
        assert np.abs(basis.at(parameters) @ points - nodes).max() < 1e-12
        assert np.array_equal(basis.at([0.0, 1.0]) @ points, nodes[[0, -1]])


@given(st.lists(st.floats(0.01, 100.0), min_size=2, max_size=12), st.data())
def test_ends_are_the_end_points_in_every_bit(weights, data):
    """Whatever degree and weights, the curve begins and ends exactly at its end points."""
    degree = data.draw(st.integers(1, len(weights) - 1))
    points = np.random.default_rng(len(weights)).normal(size=(len(weights), 2)) / 3.0
    ends = control_basis(weights, degree, 'way').at([0.0, 1.0]) @ points
    assert np.array_equal(ends, points[[0, -1]])


@given(st.lists(st.floats(0.01, 100.0), min_size=2, max_size=12), st.data())
def test_basis_is_a_partition_of_unity(weights, data):
    """Functions are not negative and sum to 1; their derivatives sum to 0."""
    degree = data.draw(st.integers(1, len(weights) - 1))
    basis, parameters = control_basis(weights, degree, 'way'), np.linspace(0.0, 1.0, 40)
    assert basis.at(parameters).min() >= 0.0
    assert np.abs(basis.at(parameters).sum(axis=1) - 1.0).max() < 1e-14
    slopes = basis.derivative(parameters)
    assert np.abs(slopes.sum(axis=1)).max() < 1e-12 * np.abs(slopes).max()


def test_a_rational_quadratic_is_an_exact_circle():
    """Weights 1, √½, 1 keep a quarter circle's radius to 1e-14 and its curvature to 1e-12."""
    points = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    basis, parameters = control_basis([1.0, np.sqrt(0.5), 1.0], 2, 'way'), np.linspace(0, 1, 501)
    arc = basis.at(parameters) @ points
    assert np.abs(np.linalg.norm(arc, axis=1) - 1.0).max() < 1e-14
    (x, y), (ax, ay) = (basis.derivative(parameters, k).dot(points).T for k in (1, 2))
    assert np.abs((x * ay - y * ax) / np.hypot(x, y) ** 3 - 1.0).max() < 1e-12


@pytest.mark.parametrize('nodes_given', [False, True])
def test_curves_are_affine_invariant(nodes_given):
    """A mapped curve is the curve of the mapped points, at the same parameters."""
    rng = np.random.default_rng(3)
    points, weights = rng.normal(size=(8, 3)), rng.uniform(0.3, 3.0, 8)
    matrix, offset = rng.normal(size=(3, 3)), rng.normal(size=3)
    mapped, parameters = points @ matrix.T + offset, np.linspace(0.0, 1.0, 50)
    basis = control_basis(weights, 4, 'way')
    if nodes_given:
        places = spaced(points)
        basis = node_basis(places, weights, 4, 'way')
        points, mapped = (control_points(basis, places, each, 'way') for each in (points, mapped))
    rows = basis.at(parameters)
    assert np.abs(rows @ mapped - (rows @ points @ matrix.T + offset)).max() < 1e-12


@pytest.mark.parametrize(('count', 'degree'), SIZES)
def test_end_tangents_point_along_the_control_polygon(count, degree):
    """C'(0) = p w₁ / (u w₀) (P₁ - P₀), with u the first inner knot: The NURBS Book, eq. 4.9."""
    rng = np.random.default_rng(count)
    points, weights = rng.normal(size=(count, 3)), rng.uniform(0.2, 5.0, count)
    basis = control_basis(weights, degree, 'way')
    first, last = basis.derivative([0.0, 1.0]) @ points
    inner = basis.knots[degree + 1], 1.0 - basis.knots[-degree - 2]
    leaving = degree * weights[1] / (inner[0] * weights[0]) * (points[1] - points[0])
    arriving = degree * weights[-2] / (inner[1] * weights[-1]) * (points[-1] - points[-2])
    assert first == pytest.approx(leaving, rel=1e-12)
    assert last == pytest.approx(arriving, rel=1e-12)


def test_a_greater_weight_draws_the_curve_to_its_point():
    """The larger the weight of a control point, the closer the curve comes to it."""
    points, parameters = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]]), np.linspace(0, 1, 401)
    nearest = [
        np.linalg.norm(control_basis([1, w, 1], 2, 'way').at(parameters) @ points - [1, 1], axis=1)
        for w in (0.1, 1.0, 10.0, 1000.0)
    ]
    distances = [float(each.min()) for each in nearest]
    # Half-way the curve is at (P₀ + 2 w P₁ + P₂) / (2 + 2 w).
    assert distances == pytest.approx([1 / (1 + w) for w in (0.1, 1.0, 10.0, 1000.0)])


WAY = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [2.0, 1.0]])


@pytest.mark.parametrize(
    ('make', 'problem'),
    [
        (lambda: spaced(WAY), 'way: nodes 1 and 2 are the same, 1, 0; expected nodes that differ'),
        (lambda: spaced(WAY[:1]), r'way: has 1 node\(s\); expected at least 2'),
        (lambda: spaced(WAY[1:3]), 'way: nodes 0 and 1 are the same'),
        (lambda: control_basis([1], None, 'way'), r'way: has 1 point\(s\); expected at least 2'),
        (lambda: control_basis([1, 0, 1], 2, 'way'), 'way: weight 1 is 0; expected a positive'),
        (lambda: control_basis([1, 1, -2], 2, 'way'), 'way: weight 2 is -2; expected a positive'),
        (lambda: control_basis([np.nan, 1], 1, 'way'), 'way: weight 0 is nan; expected a positiv'),
        (lambda: control_basis([np.inf, 1], 1, 'way'), 'way: weight 0 is inf; expected a positiv'),
        (lambda: control_basis([1, 1e7], 1, 'way'), r'weights are 1 to 1e\+07; expected the larg'),
        (
            lambda: control_basis([1] * 4, 4, 'way'),
            'degree is 4; expected a whole number from 1 to 3',
        ),
        (lambda: control_basis([1] * 4, 0, 'way'), 'degree is 0; expected a whole number from 1'),
        (lambda: control_basis([1] * 4, 2.5, 'way'), 'degree is 2.5; expected a whole number'),
        (lambda: control_basis([1] * 4, True, 'way'), 'degree is True; expected a whole number'),
        (lambda: node_basis(np.linspace(0, 1, 4), [1, 1], 1, 'way'), 'has 2 weights; expected 4'),
        (
            lambda: through(np.random.default_rng(1).normal(size=(60, 2)), np.ones(60), 59),
            'way: degree 59 misses the 60 nodes by .*; expected a lower degree, such as 3',
        ),
    ],
)
def test_what_makes_no_curve_is_refused(make, problem):
    """The error names the curve, the value and what was expected."""
    with pytest.raises(CurveError, match=problem):
        make()


@pytest.mark.parametrize('value', [np.nan, np.inf])
def test_a_node_that_is_no_number_is_refused(value):
    """The error names the node and its coordinate."""
    places, nodes = np.linspace(0.0, 1.0, 4), np.arange(8.0).reshape(4, 2)
    nodes[2, 1] = value
    basis = node_basis(places, np.ones(4), 3, 'way')
    with pytest.raises(NonFiniteError, match=rf'way: nodes\[2, 1\] is {value}; expected a finite'):
        control_points(basis, places, nodes, 'way')
