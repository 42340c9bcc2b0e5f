"""The surface of two bodies: how it is blended, and how PyBullet's numbers stand for it."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softshell_kinematics.errors import ProblemsError
from softshell_sim.bodies import Body, Surface
from softshell_sim.contact.surface_fit import Meeting, fit_products, fit_sums
from softshell_sim.contact.surfaces import GIVEN, Surfaces, Touching, blend

frictions = st.floats(0.01, 5.0)


@given(frictions, frictions, st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_blend_of_friction_is_harmonic_and_of_restitution_arithmetic(one, other, e, f):
    """1/μ is the mean of both 1/μ, e the mean of both e; the order does not matter."""
    surface = blend(Surface(one, e), Surface(other, f))
    assert 1.0 / surface.friction == pytest.approx((1.0 / one + 1.0 / other) / 2.0)
    assert surface.restitution == pytest.approx((e + f) / 2.0)
    assert surface == blend(Surface(other, f), Surface(one, e))


def test_blend_of_springs():
    """Stiffness and damping are harmonic means; what is rigid counts as infinitely stiff."""
    soft, softer, rigid = Surface(1, 0, 3e4, 60.0), Surface(1, 0, 1e4, 20.0), Surface()
    surface = blend(soft, softer)
    assert (surface.stiffness, surface.damping) == pytest.approx((1.5e4, 30.0))
    almost_rigid = blend(soft, Surface(1, 0, 1e15, 1e15))
    surface = blend(soft, rigid)
    assert surface.stiffness == pytest.approx(almost_rigid.stiffness, rel=1e-9)
    assert surface.damping == pytest.approx(almost_rigid.damping, rel=1e-9)
    assert blend(rigid, rigid).stiffness is None
    assert blend(Surface(0.0), Surface(1.0)).friction == blend(Surface(0.0), Surface(0.0)).friction


def test_impossible_surfaces_are_refused():
    """Every wrong number is named with its value and range, all at once."""
    with pytest.raises(ProblemsError) as caught:
        Surface(-1.0, 1.5, 0.0, math.nan)
    assert [line.split(';')[0] for line in caught.value.problems] == [
        'friction is -1.0',
        'restitution is 1.5',
        'stiffness is 0.0 N/m',
        'damping is nan N s/m',
    ]
    with pytest.raises(ProblemsError, match='only stiffness is given; expected stiffness and'):
        Surface(stiffness=1e4)


def every_pair(count, own=False):
    """All pairs of classes; own: with themselves too."""
    pairs = list(combinations(range(count), 2)) + [(k, k) for k in range(count) if own]
    return Meeting.of(count, pairs, [1.0] * len(pairs))


@given(st.lists(frictions, min_size=3, max_size=3))
def test_three_classes_are_exact(own):
    """Products of three numbers are the three harmonic blends within 1e-6."""
    meeting = every_pair(3)
    wanted = np.array(
        [blend(Surface(own[k]), Surface(own[n])).friction for k, n in combinations(range(3), 2)]
    )
    values = fit_products(np.array(own), meeting, wanted)
    assert meeting.products(values) == pytest.approx(wanted, abs=1e-6)


def test_four_classes_are_the_best_there_is():
    """With four classes no small change of the numbers makes the squares of errors smaller."""
    own = np.array([0.2, 0.5, 1.0, 3.0])
    meeting = every_pair(4, own=True)
    wanted = np.array(
        [
            blend(Surface(own[k]), Surface(own[n])).friction
            for k, n in zip(meeting.first, meeting.second, strict=True)
        ]
    )
    values = fit_products(own, meeting, wanted)
    least = np.sum((meeting.products(values) - wanted) ** 2)
    assert least > 1e-3
    for change in np.random.default_rng(1).normal(0.0, 0.01, (200, 4)):
        assert np.sum((meeting.products(np.abs(values + change)) - wanted) ** 2) > least


def test_what_fits_stays():
    """Numbers whose products are wanted already are kept to the last bit."""
    own = np.array([0.3, 0.7, 1.1])
    meeting = every_pair(3)
    assert (fit_products(own, meeting, meeting.products(own)) == own).all()


def test_a_smooth_class_does_not_touch_the_others():
    """A class without friction is 0, and the other three pairs are exact."""
    own = np.array([0.0, 0.4, 0.8, 1.6])
    meeting = every_pair(4)
    wanted = np.array(
        [
            blend(Surface(own[k]), Surface(own[n])).friction
            for k, n in zip(meeting.first, meeting.second, strict=True)
        ]
    )
    values = fit_products(own, meeting, wanted)
    assert values[0] == 0.0
    assert meeting.products(values) == pytest.approx(wanted, abs=1e-6)


def test_given_pairs_come_first():
    """Where not all pairs can be had, those that were given are."""
    pairs = [(0, 1), (0, 2), (1, 2), (0, 0), (1, 1), (2, 2)]
    wanted = np.array([0.9, 0.1, 0.5, 0.5, 0.5, 0.5])
    meeting = Meeting.of(3, pairs, [GIVEN, GIVEN, 1.0, 1.0, 1.0, 1.0])
    values = fit_products(np.full(3, 0.7), meeting, wanted)
    assert meeting.products(values)[:2] == pytest.approx([0.9, 0.1], abs=1e-4)


def test_ground_comes_before_the_rest():
    """Of pairs that exclude each other the one with ground is nearer to what it should be."""
    surfaces, bodies = Surfaces(), [Body(name, (name,), ()) for name in ('ground', 'a', 'b')]
    for body, stands in zip(bodies, (True, False, False), strict=True):
        surfaces.enter(body, Touching(Surface(1.0, 0.5), stands))
    surfaces.set_pair(bodies[0], bodies[1], Surface(1.0, 0.0))
    pairs, wanted, weights = [], [], []
    for one, other, surface, weight in surfaces.meetings():
        pairs.append((one, other))
        wanted.append(surface.restitution)
        weights.append(weight)
    meeting = Meeting.of(3, [*pairs, (2, 2)], [*weights, 1.0])
    wanted.append(0.5)
    values = fit_products(np.full(3, 0.5), meeting, np.array(wanted))
    off = np.abs(meeting.products(values) - wanted)
    found = dict(zip([*pairs, (2, 2)], off.tolist(), strict=True))
    assert found[0, 1] < 1e-3
    assert found[0, 2] < found[1, 2]


def test_sums_of_three_classes_are_exact():
    """Sums of three numbers, one of which is held, meet the two that it leaves free."""
    meeting = every_pair(3)
    free = np.array([False, True, True])
    values = fit_sums(np.array([0.1, 0.0, 0.0]), free, meeting, np.array([0.4, 0.6, 0.8]))
    assert values == pytest.approx([0.1, 0.3, 0.5])


def test_pairs_override_the_blend():
    """A pair has what it was given, whichever is named first, until it is taken back."""
    surfaces, (one, other) = Surfaces(), (Body(name, (name,), ()) for name in 'ab')
    for body, friction in ((one, 0.5), (other, 1.5)):
        surfaces.enter(body, Touching(Surface(friction)))
    assert surfaces.between(one, other).friction == pytest.approx(0.75)
    surfaces.set_pair(one, other, Surface(0.1))
    assert surfaces.between(other, one).friction == 0.1
    assert surfaces.between(one, one).friction == 0.5
    surfaces.set_pair(other, one, None)
    assert surfaces.between(one, other).friction == pytest.approx(0.75)


def test_ground_does_not_meet_ground():
    """Bodies that stand are no pair; two alike that move are one class that meets itself."""
    surfaces = Surfaces()
    for name, friction, stands in (('a', 0.1, True), ('b', 0.2, True), ('c', 1, False)):
        surfaces.enter(Body(name, (name,), ()), Touching(Surface(friction), stands))
    assert {pair[:2] for pair in surfaces.meetings()} == {(0, 2), (1, 2)}
    surfaces.enter(Body('d', ('d',), ()), Touching(Surface(1)))
    assert {pair[:2] for pair in surfaces.meetings()} == {(0, 2), (1, 2), (2, 2)}
