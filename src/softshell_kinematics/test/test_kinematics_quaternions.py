"""Quaternions as rotations: matrices and products held against scipy, also compiled."""

import numba
import numpy as np
from scipy.spatial.transform import Rotation

from softshell_kinematics.transforms import (
    hamilton,
    quaternion_product,
    rotation_from_quaternion,
)


def test_a_quaternion_of_any_length_is_a_rotation():
    """Tiny to huge, many at once are what scipy makes of their directions."""
    draw = np.random.default_rng(4)
    directions = draw.normal(size=(400, 4))
    many = directions * 10.0 ** draw.integers(-300, 300, size=(400, 1))
    expected = Rotation.from_quat(directions).as_matrix()
    np.testing.assert_allclose(rotation_from_quaternion(many), expected, atol=2e-15)


def test_one_quaternion_is_the_rotation_it_is_among_many():
    """A single one, which is turned by a quicker way, is the same to the last digit."""
    draw = np.random.default_rng(7)
    many = draw.normal(size=(400, 4)) * 10.0 ** draw.integers(-300, 300, size=(400, 1))
    many = np.concatenate([many, np.eye(4), -np.eye(4)])
    alone = [rotation_from_quaternion(q) for q in many]
    assert np.array_equal(rotation_from_quaternion(many), alone)


def test_the_product_is_one_turn_after_the_other():
    """For arrays of any shape it is scipy's, up to rounding."""
    p, q = np.random.default_rng(5).normal(size=(2, 3, 7, 4))
    p /= np.linalg.norm(p, axis=-1, keepdims=True)
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    turns = Rotation.from_quat(p.reshape(-1, 4)) * Rotation.from_quat(q.reshape(-1, 4))
    found = quaternion_product(p, q).reshape(-1, 4)
    expected = turns.as_quat()
    signs = np.sign(np.sum(found * expected, axis=1, keepdims=True))
    np.testing.assert_allclose(found, signs * expected, atol=1e-15)


def test_one_quaternion_turns_many():
    """A single factor is multiplied with each of the others."""
    p, many = np.array([0.0, 0.6, 0.0, 0.8]), np.random.default_rng(6).normal(size=(5, 4))
    expected = [quaternion_product(p, q) for q in many]
    assert np.array_equal(quaternion_product(p, many), expected)


def test_compiled_it_is_the_same():
    """The rule that the simulation compiles gives the same numbers up to rounding."""
    p, q = np.random.default_rng(8).normal(size=(2, 4))
    compiled = numba.njit(hamilton)
    np.testing.assert_allclose(compiled(p, q), quaternion_product(p, q), rtol=1e-15)
