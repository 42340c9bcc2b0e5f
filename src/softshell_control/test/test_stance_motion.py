"""How far feet disagree on a motion, against the standard error of a mean."""

import numpy as np
import pytest

from softshell_control.estimates.stance_motion import disagreement, fit


def agreed(points, drift, weights, turning=False):
    motion = np.zeros(6)
    assert fit(points, drift, weights, turning, motion)
    return motion


def test_two_feet_err_by_half_of_what_is_between_them():
    """Apart by 2 r along x their mean is off by r, along y by 0: of each axis r/√2."""
    points, weights = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]), np.ones(2)
    drift = np.array([[0.5, 0.2, 0.0], [0.1, 0.2, 0.0]])
    found = disagreement(points, drift, weights, agreed(points, drift, weights))
    assert found == pytest.approx(0.2 / np.sqrt(2.0))


@pytest.mark.parametrize('weights', [np.ones(6), np.array([1.0, 0.9, 1.0, 0.4, 0.7, 0.0])])
def test_it_is_the_deviation_of_the_mean_of_feet_that_err_alone(weights):
    """Feet with noise σ: over 4000 samples σ √Σw² / Σw, which is what the mean is off as well."""
    generator, count, noise = np.random.default_rng(4), 4000, 0.03
    points = generator.normal(size=(6, 3))
    stated, off = [], []
    for drift in generator.normal([0.1, -0.2, 0.0], noise, (count, 6, 3)):
        motion = agreed(points, drift, weights)
        stated.append(disagreement(points, drift, weights, motion))
        off.append(motion[3:5] - [0.1, -0.2])
    wanted = noise * np.sqrt(weights @ weights) / weights.sum()
    assert np.sqrt(np.mean(np.square(off))) == pytest.approx(wanted, rel=0.03)
    # For unequal weights the correction for few feet is that of equal ones.
    assert np.sqrt(np.mean(np.square(stated))) == pytest.approx(wanted, rel=0.06)


def test_feet_that_agree_on_a_turn_do_not_disagree():
    """ω × r + v of any rigid motion leaves nothing; neither does a single foot."""
    generator = np.random.default_rng(5)
    points, turn, shift = generator.normal(size=(6, 3)), [0.1, -0.2, 0.3], [0.4, 0.5, -0.6]
    drift = np.cross(turn, points) + shift
    motion = agreed(points, drift, np.ones(6), turning=True)
    assert motion == pytest.approx([*turn, *shift], abs=1e-6)
    assert disagreement(points, drift, np.ones(6), motion) == pytest.approx(0.0, abs=1e-6)
    alone = np.array([0.0, 0.7, 0.0, 0.0, 0.0, 0.0])
    assert disagreement(points, drift, alone, agreed(points, drift, alone)) == 0.0
