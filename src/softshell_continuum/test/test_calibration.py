"""Calibration gives back what was measured; the published formulas do not, by known factors."""

import math

import numpy as np
import pytest
from rods import LEVEL

from softshell_continuum.calibration import (
    Formula,
    actuation_moment,
    blocked_force,
    joint_stiffness,
    levers,
    proportion,
    root,
)
from softshell_continuum.elastic_chain import ElasticChain, ElasticJoint
from softshell_continuum.rod import Rod
from softshell_continuum.statics import Statics
from softshell_kinematics.errors import SoftshellError

X, Z = np.eye(3)[[0, 2]]
LENGTH = 0.1


def finger(stiffness, joints):
    step = LENGTH / joints
    made = [
        ElasticJoint(
            X,
            (step if place else 0.5 * step) * Z,
            stiffness,
            length=step if place < joints - 1 else 0.5 * step,
        )
        for place in range(joints)
    ]
    return ElasticChain(tuple(made), 0.5 * step)


@pytest.mark.parametrize(('joints', 'too_stiff'), [(5, 2.165), (10, 2.075), (20, 2.035)])
@pytest.mark.parametrize('measured', [6.12, 29.05])
def test_a_chain_is_as_stiff_at_its_tip_as_was_measured(joints, too_stiff, measured):
    """Within 1 part in 10 000; by the published formula about twice as stiff."""
    for formula, factor in ((Formula.EXACT, 1.0), (Formula.REFERENCE, too_stiff)):
        statics = Statics(finger(joint_stiffness(measured, LENGTH, joints, formula), joints))
        force = 1e-3 * measured * LENGTH
        tip = statics.solve(tip_force=[0.0, force, 0.0]).tip
        assert force / tip[1] == pytest.approx(factor * measured, rel=1e-3 if factor > 1 else 1e-4)


def test_the_published_example_has_the_published_stiffness():
    """L 0.1 m, N 5: 0.219 and 1.038 N m/rad; 0.75 N: 0.075 N m."""
    for measured, expected in ((6.12, 0.219), (29.05, 1.038)):
        found = joint_stiffness(measured, 0.1, 5, Formula.REFERENCE)
        assert found == pytest.approx(expected, abs=6e-4)
    assert actuation_moment(0.75, 0.1, 5, Formula.REFERENCE) == pytest.approx(0.075)


def test_a_chain_presses_as_its_blocked_force_says():
    """Its tip is held on its place, or where a wall is; the force that does it is that."""
    stiffness, moment, joints = 0.1, 0.002, 10
    statics = Statics(finger(stiffness, joints), gravity=(0.0, 0.0, 0.0))

    def tip(force):
        return statics.solve(tip_force=[0, force, 0], efforts=-np.full(joints, moment)).tip[1]

    for gap in (0.0, 0.002):
        held = root(lambda force, gap=gap: tip(-force) - gap, 0.0, (0.001, 2.0))
        expected = blocked_force(moment, stiffness, LENGTH, joints, gap)
        assert held.value == pytest.approx(expected, rel=0.01)
    arms = levers(LENGTH, joints)
    assert moment * arms.sum() / (arms**2).sum() * LENGTH / moment == pytest.approx(
        1.504, abs=1e-3
    )
    assert actuation_moment(blocked_force(moment, stiffness, LENGTH, 10), LENGTH, 10) == (
        pytest.approx(moment)
    )
    assert blocked_force(moment, stiffness, LENGTH, joints, 0.1) == 0.0


def test_a_modulus_is_found_by_a_deflection():
    """That with which the deflection was made."""

    def sag(modulus):
        rod = Rod(0.25, 0.011, modulus, 7e6, 1000.0)
        return -Statics(rod.chain(25), base=LEVEL).solve().tip[2]

    found = root(sag, sag(16.6e6), (1e6, 1e8), "Young's modulus")
    assert found.value == pytest.approx(16.6e6, rel=1e-9)
    assert abs(found.residual) < 1e-12
    with pytest.raises(SoftshellError, match=r"Young's modulus from 1e.07 to 1e.08 gives"):
        root(sag, 0.2, (1e7, 1e8), "Young's modulus")


def test_a_proportion_is_fitted_through_the_origin():
    """Against the closed form; its deviation is that of the noise."""
    random = np.random.default_rng(3)
    x = np.linspace(1.0, 10.0, 400)
    found = proportion(x, 2.5 * x + random.normal(0.0, 0.1, 400))
    assert found.slope == pytest.approx(2.5, abs=4 * found.deviation)
    assert found.deviation == pytest.approx(0.1 / math.sqrt(x @ x), rel=0.1)
    for bad in (([0.0, 0.0], [1.0, 2.0]), ([1.0], [1.0, 2.0]), ([1.0, np.nan], [1.0, 2.0])):
        with pytest.raises(SoftshellError, match='expected as many numbers of both'):
            proportion(*bad)
