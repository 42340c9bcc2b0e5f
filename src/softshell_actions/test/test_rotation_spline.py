"""Splines on SO(3) by control orientations and through nodes."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softshell_actions.curves.nurbs import CurveError, control_points, node_basis, node_parameters
from softshell_actions.curves.rotation_spline import (
    orientations_along,
    steps_between,
    steps_through,
)


def basis_of(orientations, degree, weights=None):
    """Basis and parameters of a curve through orientations, spaced by the turns between them."""
    turns = np.linalg.norm(steps_between(orientations), axis=1)
    parameters = node_parameters(turns, orientations.as_quat(), 'turn')
    weights = np.ones(len(orientations)) if weights is None else weights
    return node_basis(parameters, weights, degree, 'turn'), parameters


def sampled(orientations, degree, parameters, weights=None):
    """The curve through orientations, at some parameters."""
    basis, places = basis_of(orientations, degree, weights)
    steps = steps_through(orientations, basis, places, 'turn')
    return orientations_along(orientations[0], steps, basis.at(parameters))


def apart(first, second) -> float:
    """Largest angle between two lists of orientations [rad], exact also where it is tiny."""
    return float(np.abs((first.inv() * second).as_rotvec()).max())


def walk(rng, count, largest):
    """Orientations of which each is turned from the one before by up to `largest` [rad]."""
    axes = rng.normal(size=(count, 3))
    axes *= rng.uniform(0.1, largest, count)[:, None] / np.linalg.norm(axes, axis=1)[:, None]
    found = [Rotation.random(random_state=rng)]
    for step in axes[1:]:
        found.append(found[-1] * Rotation.from_rotvec(step))
    return Rotation.concatenate(found)


@pytest.mark.parametrize(('count', 'degree'), [(2, 1), (3, 2), (5, 1), (7, 3), (20, 3)])
@pytest.mark.parametrize('largest', [0.5, 2.0, 3.1])
def test_curve_passes_through_all_nodes(count, degree, largest):
    """Also where it turns by nearly half a turn from each to the next, to 1e-12 rad."""
    rng = np.random.default_rng(count + degree)
    for _ in range(3):
        nodes, weights = walk(rng, count, largest), rng.uniform(0.5, 2.0, count)
        basis, places = basis_of(nodes, degree, weights)
        steps = steps_through(nodes, basis, places, 'turn')
        assert apart(orientations_along(nodes[0], steps, basis.at(places)), nodes) < 1e-12


@pytest.mark.parametrize('degree', [4, 5])
def test_higher_degrees_pass_through_nodes_of_moderate_turns(degree):
    """Where consecutive nodes are less than 1 rad apart, to 1e-12 rad."""
    rng = np.random.default_rng(degree)
    for _ in range(5):
        nodes = walk(rng, 8, 1.0)
        basis, places = basis_of(nodes, degree)
        steps = steps_through(nodes, basis, places, 'turn')
        assert apart(orientations_along(nodes[0], steps, basis.at(places)), nodes) < 1e-12


def test_about_one_axis_it_is_the_curve_of_the_angle():
    """Over more than a turn and back, with control angles further apart than half a turn."""
    angles = np.radians([0.0, 170.0, 0.0, 170.0, 340.0, 500.0])
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    nodes = Rotation.from_rotvec(np.outer(angles, axis))
    basis, places = basis_of(nodes, 3)
    points = control_points(basis, places, angles[:, None], 'turn')
    assert np.abs(np.diff(points, axis=0)).max() > np.pi
    parameters = np.linspace(0.0, 1.0, 300)
    expected = Rotation.from_rotvec(basis.at(parameters) @ points * axis)
    assert apart(sampled(nodes, 3, parameters), expected) < 1e-12


@pytest.mark.parametrize('degree', [1, 2, 3, 4])
def test_curve_does_not_depend_on_the_frame(degree):
    """Seen from a turned frame, the curve through the turned nodes is the turned curve."""
    rng = np.random.default_rng(degree)
    nodes, frame = walk(rng, 7, 1.0), Rotation.random(random_state=rng)
    weights, parameters = rng.uniform(0.5, 2.0, 7), np.linspace(0.0, 1.0, 200)
    expected = frame * sampled(nodes, degree, parameters, weights)
    assert apart(sampled(frame * nodes, degree, parameters, weights), expected) < 1e-12


def test_nothing_flips_where_angles_pass_half_a_turn():
    """Yaw from 100° over 180° to 260° and on: no step of 1/2000 turns by more than 1°, and signs
    of quaternions do not matter."""
    yaws = [100.0, 150.0, 179.0, 181.0, 240.0, 330.0, 400.0]
    nodes = Rotation.from_euler('ZYX', [[yaw, 20.0, -30.0] for yaw in yaws], degrees=True)
    signs = np.array([1, -1, -1, 1, -1, 1, -1])[:, None]
    parameters = np.linspace(0.0, 1.0, 2001)
    path = sampled(nodes, 3, parameters)
    turned = np.linalg.norm((path[:-1].inv() * path[1:]).as_rotvec(), axis=1)
    assert turned.max() < np.radians(1.0)
    other = sampled(Rotation.from_quat(signs * nodes.as_quat()), 3, parameters)
    assert apart(path, other) < 1e-12


def test_cubics_have_continuous_angular_acceleration():
    """Across the parameter of a node, its jump falls with the step of the difference."""
    nodes = walk(np.random.default_rng(5), 6, 1.5)
    basis, _ = basis_of(nodes, 3)
    knot = float(basis.knots[4])
    jumps = []
    for step in (1e-3, 5e-4):
        path = sampled(nodes, 3, knot + step * np.arange(-3, 4))
        rates = (path[:-1].inv() * path[1:]).as_rotvec() / step
        slopes = np.diff(rates, axis=0) / step
        jumps.append(np.linalg.norm(slopes[3] - slopes[1]) / np.linalg.norm(slopes[2]))
    assert jumps[1] == pytest.approx(jumps[0] / 2.0, rel=0.1)


def test_turns_for_which_no_curve_is_found_are_refused():
    """The error names the move, the degree and what to do."""
    nodes = Rotation.random(16, random_state=np.random.default_rng(4))
    basis, places = basis_of(nodes, 12)
    with pytest.raises(CurveError, match=r'turn: no curve of degree 12 is found .* 16 nodes'):
        steps_through(nodes, basis, places, 'turn')
