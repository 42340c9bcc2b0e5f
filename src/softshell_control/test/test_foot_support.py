"""Which feet stand by what they feel: shares of a load against the normal distribution."""

import numpy as np
import pytest
from scipy.stats import norm
from walking_feet import SECONDS, Walk

from softshell_control.estimates.foot_support import LIGHT, SOFTNESS, support
from softshell_control.estimates.leg_odometry import LegOdometry


def upwards(*forces):
    return np.array([[0.0, 0.0, force] for force in forces])


def test_a_foot_stands_as_likely_as_its_share_says():
    """Of equal shares 1, of a share of `LIGHT` a half, and between as the normal distribution."""
    assert support(np.ones(4, dtype=bool), upwards(9, 9, 9, 9)) == pytest.approx(np.ones(4))
    load = np.array([1.9, 1.4, LIGHT + SOFTNESS, LIGHT])
    load[0] += 4.0 - load.sum()
    found = support(np.ones(4, dtype=bool), upwards(*(5.0 * load)))
    assert found == pytest.approx(norm.cdf((load - LIGHT) / SOFTNESS))


def test_what_does_not_touch_does_not_stand():
    """Whatever its force; and the load is that of those that touch."""
    touching = np.array([True, False, True])
    found = support(touching, upwards(6.0, 90.0, 6.0))
    assert found == pytest.approx([1.0, 0.0, 1.0])


@pytest.mark.parametrize('nothing', [0.0, -1.0, np.nan, np.inf])
def test_without_forces_touching_alone_counts(nothing):
    """Where none is measured that pushes upwards, or none is a number."""
    touching = np.array([True, False, True])
    assert support(touching, upwards(nothing, nothing, nothing)).tolist() == [1.0, 0.0, 1.0]


def test_a_foot_without_a_number_does_not_stand_beside_others():
    """Its force is not known, theirs carry the robot."""
    found = support(np.ones(3, dtype=bool), upwards(9.0, np.nan, 9.0))
    assert found == pytest.approx([1.0, 0.0, 1.0], abs=0.01)


def test_feet_in_the_air_that_seem_to_touch_are_left_aside():
    """All feet touch at all times, those in the air with 0.4 N of 34: a cycle ends within 1 mm."""
    walk = Walk('shell')
    odometry = LegOdometry(walk.robot)
    for sample, touching in enumerate(walk.touching):
        measured = walk.measured(sample)
        measured.contacts.force[:, 2] = np.where(touching, 34.0 / touching.sum(), 0.4)
        measured.contacts.touching[:] = True
        base = odometry.update(measured, SECONDS if sample else 0.0)
    assert np.linalg.norm(walk.positions[-1, :2]) > 0.04
    assert np.abs(base.position - walk.positions[-1]).max() < 1e-3
