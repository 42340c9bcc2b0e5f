"""Calibration gives back what was measured; the published formulas do not, by known factors."""

from dataclasses import replace

import numpy as np
import pytest

from softshell_continuum.calibration import (
    Formula,
    actuation_moment,
    blocked_force,
    joint_stiffness,
    levers,
)
from softshell_continuum.elastic_chain import ElasticChain, ElasticJoint, chain_of
from softshell_continuum.files import from_data
from softshell_continuum.fits import root
from softshell_continuum.forms import ManipulatorForm
from softshell_continuum.parts import parts_of_manipulator
from softshell_continuum.statics import Statics
from softshell_kinematics.errors import OutOfRangeError

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


@pytest.mark.parametrize('joints', [1, 9, 10])
@pytest.mark.parametrize(
    ('arrangement', 'first', 'second'),
    [
        ('together', None, None),
        ('alternating', slice(0, None, 2), slice(1, None, 2)),
        ('listed', slice(0, None, 3), slice(1, None, 3)),
    ],
)
def test_a_chain_of_two_axes_bends_as_a_cantilever(arrangement, first, second, joints):
    """δ = F L³ / 3 E I in either direction; of the listed joints a third twists."""
    about = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    used, made = [], [{'axis': axis, 'stiffness': 1.0} for axis in about]
    for way, (chosen, bending) in enumerate(((first, 2e-3), (second, 7e-4))):
        which = None if chosen is None else range(joints)[chosen]
        if which is None or len(which):
            measured = 3.0 * bending / LENGTH**3
            made[way]['stiffness'] = joint_stiffness(measured, LENGTH, joints, which=which)
            used.append((1 - way, measured))  # about x it bends along y
    if arrangement == 'listed':
        made = [made[place % 3] for place in range(joints)]
    else:
        made = made[:2]
    link = {'shape': 'box', 'dimensions': [0.01, 0.01, LENGTH / joints], 'mass': 0.01}
    actuator = {
        'length': LENGTH, 'n_segments': joints, 'link': link, 'joints': made,
        'arrangement': arrangement,
    }  # fmt: skip
    form = from_data(ManipulatorForm, {'name': 'finger', 'actuators': [actuator]})
    statics = Statics(chain_of(parts_of_manipulator(form)), gravity=(0.0, 0.0, 0.0))
    for way, measured in used:
        force = 1e-3 * measured * LENGTH * np.eye(3)[way]
        deflected = statics.solve(tip_force=force).tip[:2]
        assert deflected == pytest.approx(1e-3 * LENGTH * np.eye(2)[way], rel=1e-4, abs=1e-12)


def test_joints_that_alternate_press_as_their_blocked_force_says():
    """The moments are in every second joint, and a tip that is held stays on its place."""
    joints, moment, odd = 10, 1e-4, range(1, 10, 2)
    force = blocked_force(moment, 0.1, LENGTH, joints, which=odd)
    assert actuation_moment(force, LENGTH, joints, which=odd) == pytest.approx(moment)
    efforts = np.zeros(joints)
    efforts[odd] = -moment
    stiffness = np.where(np.isin(np.arange(joints), odd), 0.1, 1e6)
    links = zip(finger(0.1, joints).joints, stiffness, strict=True)
    chain = ElasticChain(tuple(replace(j, stiffness=k) for j, k in links), 0.5 * LENGTH / joints)
    statics = Statics(chain, gravity=(0.0, 0.0, 0.0))
    held, free = (statics.solve(tip_force=[0.0, f, 0.0], efforts=efforts) for f in (-force, 0.0))
    assert abs(held.tip[1]) < 1e-4 * free.tip[1]


@pytest.mark.parametrize('which', [[], [10], [-1], [0.5], [0, 0], (3, 1, 3.0)])
def test_joints_that_the_chain_does_not_have_are_refused(which):
    """None at all, beyond either end, between two, and one twice."""
    with pytest.raises(OutOfRangeError, match=r'joints that bend is 0|place of a joint is'):
        levers(LENGTH, 10, which)


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
