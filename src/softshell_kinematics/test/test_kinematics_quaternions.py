"""Quaternions as rotations: matrices and products held against scipy, also compiled."""

import numba
import numpy as np
from scipy.spatial.transform import Rotation

from softshell_kinematics.transforms import (
    hamilton,
    quaternion_from_rotation,
    quaternion_product,
    rotation_from_angles,
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


def test_one_rotation_is_the_quaternion_it_is_among_many():
    """Also where two coordinates are as large, at half turns, and where a number is NaN."""
    draw = np.random.default_rng(8)
    turns = [draw.normal(size=(400, 4)), draw.integers(-1, 2, size=(400, 4)) + np.eye(4)[3] / 3]
    many = rotation_from_quaternion(np.concatenate(turns))
    broken = np.tile(np.eye(3), (9, 1, 1))
    broken.reshape(9, 9)[range(9), range(9)] = np.nan
    many = np.concatenate([many, np.round(many), broken])
    alone = [quaternion_from_rotation(rotation) for rotation in many]
    np.testing.assert_array_equal(quaternion_from_rotation(many), alone)


def test_angles_of_one_rotation_are_the_rotation_they_are_among_many():
    """Small and large ones, and quarters of a turn."""
    draw = np.random.default_rng(9)
    quarters = draw.integers(-4, 5, size=(400, 3)) * np.pi / 2
    many = np.concatenate([draw.normal(size=(400, 3)), 1e3 * draw.normal(size=(9, 3)), quarters])
    assert np.array_equal(rotation_from_angles(many), [rotation_from_angles(a) for a in many])


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
