"""Planar motion of the footprint."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm

from softshell_actions.curves.footprint import (
    from_footprint,
    planar_exponential,
    ramp,
    to_footprint,
)

TWISTS = st.tuples(*[st.floats(-3.0, 3.0)] * 3).map(np.array)


@given(TWISTS)
def test_exponential_is_the_matrix_exponential(twist):
    """The closed form is the exponential of the twist's matrix."""
    x, y, yaw = twist
    matrix = expm(np.array([[0.0, -yaw, x], [yaw, 0.0, y], [0.0, 0.0, 0.0]]))
    assert np.allclose(planar_exponential(twist)[:2], matrix[:2, 2], atol=1e-12)


@given(TWISTS)
def test_points_come_back(pose):
    """Into the footprint and back is the identity."""
    points = np.arange(12.0).reshape(4, 3)
    assert np.allclose(from_footprint(pose, to_footprint(pose, points)), points, atol=1e-12)


def test_straight_ramp_has_constant_acceleration():
    """Between two forward velocities the path is x = v₀ t + a t² / 2."""
    path = ramp(np.array([0.1, 0, 0]), np.array([0.3, 0, 0]), 2.0, 41)
    t = np.linspace(0, 2.0, 41)
    assert np.allclose(path[:, 0], 0.1 * t + 0.05 * t**2, atol=1e-15)
    assert not path[:, 1:].any()


@given(TWISTS, TWISTS)
def test_ramp_has_the_given_velocities_at_its_ends(before, after):
    """Velocity is continuous from one ramp to the next, each in the footprint of its time."""
    samples, duration = 20_001, 0.5
    path = ramp(before, after, duration, samples)
    step = duration / (samples - 1)
    first, last = (path[1] - path[0]) / step, (path[-1] - path[-2]) / step
    yaw = path[-1, 2]
    turn = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    assert np.allclose(first, before, atol=2e-2)
    assert np.allclose(last, turn @ after, atol=2e-2)
