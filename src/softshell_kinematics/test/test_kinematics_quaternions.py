"""Quaternions as rotations: products held against scipy, also compiled."""

import numba
import numpy as np
from scipy.spatial.transform import Rotation

from softshell_kinematics.transforms import hamilton, quaternion_product


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
