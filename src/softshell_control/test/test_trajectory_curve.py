"""Trajectories pass through their points as cubic Hermite curves."""

from itertools import pairwise

import numpy as np
import pytest
from follower_rig import PERIOD, SETTINGS, channels
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from numpy.polynomial import Polynomial
from scipy.interpolate import BarycentricInterpolator

from softshell_control.gate import Command
from softshell_control.trajectories import trajectory
from softshell_control.trajectories.check import Request, check_trajectory
from softshell_control.trajectories.following import Following
from softshell_control.trajectories.trajectory import NOBODY, Trajectory, smooth_rates, start

CUBIC = Polynomial([0.3, -1.2, 0.8, 0.25])


def make(times, values, rates=None):
    """A trajectory of channel 1 of 3."""
    column = np.asarray(values, dtype=float)[:, None]
    speeds = None if rates is None else np.asarray(rates, dtype=float)[:, None]
    return Trajectory(NOBODY, 0, np.array([1]), np.asarray(times, dtype=float), column, speeds)


def evaluate(curve, time):
    value, rate = np.full(3, 9.0), np.full(3, 9.0)
    curve.evaluate(time, value, rate)
    assert value[0] == value[2] == rate[0] == rate[2] == 9.0
    return value[1], rate[1]


def test_cubic_is_reproduced():
    """A cubic with its exact slopes at uneven knots is reproduced exactly, with its derivative."""
    knots = np.array([0.0, 0.4, 0.5, 1.7])
    curve = start(make(knots, CUBIC(knots), CUBIC.deriv()(knots)), np.zeros(3), np.zeros(3))
    for time in np.linspace(0.0, 1.7, 101):
        assert evaluate(curve, time) == pytest.approx(
            (CUBIC(time), CUBIC.deriv()(time)), abs=1e-13
        )


def test_first_segment_starts_at_the_command():
    """A first point later than 0 is reached from the present command with its present speed."""
    curve = start(make([0.5], [1.0], [0.0]), np.array([0.0, 0.2, 0.0]), np.array([0.0, -0.7, 0.0]))
    assert evaluate(curve, 0.0) == pytest.approx((0.2, -0.7))
    assert evaluate(curve, 0.5) == pytest.approx((1.0, 0.0))


def test_parabola_is_smoothed_exactly():
    """Inner slopes chosen from values are those of any parabola, at uneven knots too.

    That is so where it goes one way between the neighbours of a knot; at 0.3 it turns, and rests.
    """
    parabola = Polynomial([0.1, 2.0, -3.0])
    knots = np.array([0.0, 0.1, 0.15, 0.3, 0.5, 0.7])
    slopes = smooth_rates(knots, parabola(knots)[:, None], np.array([2.0]))
    assert slopes[[0, 1, 2, 4], 0] == pytest.approx(parabola.deriv()(knots[[0, 1, 2, 4]]))
    assert slopes[[3, 5], 0].tolist() == [0.0, 0.0]


def sampled(curve, parts=24):
    """(segments, parts + 1) values of channel 1, each segment from end to end."""
    rows = []
    for begin, end in pairwise(curve.times):
        times = np.linspace(begin, end, parts + 1)
        rows.append([evaluate(curve, time)[0] for time in times])
    return np.array(rows)


STEPS = st.lists(st.floats(1e-3, 10.0), min_size=1, max_size=8)
PLACES = st.one_of(st.floats(-3.0, 3.0), st.sampled_from([-1.0, 0.0, 1.0]))


@settings(max_examples=100, deadline=None)
@given(STEPS, st.lists(PLACES, min_size=9, max_size=9), st.floats(-9.0, 9.0))
def test_values_alone_make_a_curve_between_them(steps, values, rate):
    """It never leaves the values at the ends of a segment, nor turns between them.

    Whatever the times, the values and the rate at which the channel moves when it begins.
    """
    times = np.cumsum(steps)
    begin, speed = np.full(3, values[-1]), np.full(3, rate)
    curve = start(make(times, values[: len(times)]), begin, speed)
    for row in sampled(curve):
        towards = np.sign(row[-1] - row[0])
        assert (np.diff(row) * towards >= -1e-12).all()
        assert np.abs(row - row[0]).max() <= abs(row[-1] - row[0]) + 1e-12


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0.1, 10.0), min_size=2, max_size=8), st.lists(PLACES, min_size=9))
def test_slopes_are_those_of_the_parabola_where_that_is_monotone(steps, values):
    """As scipy finds it through three knots; limited where a cubic would turn or pass its end."""
    knots = np.concatenate(([0.0], np.cumsum(steps)))
    values = np.array(values[: len(knots)])
    rates = smooth_rates(knots, values[:, None], np.zeros(1))[:, 0]
    slopes = np.diff(values) / np.diff(knots)
    for knot in range(1, len(knots) - 1):
        three = slice(knot - 1, knot + 2)
        parabola = BarycentricInterpolator(knots[three], values[three])
        free = float(parabola.derivative(knots[knot]))
        beside = slopes[knot - 1 : knot + 1]
        most = 3.0 * np.abs(beside).min() if beside.prod() > 0.0 else 0.0
        assert rates[knot] == pytest.approx(np.clip(free, -most, most), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(
    ('times', 'values', 'highest'),
    [([0.1, 5.0], [0.3, 0.35], 0.35), ([1.0, 2.0, 3.0], [1.0, 1.0, 0.0], 1.0)],
)
def test_uneven_times_and_dwells_do_not_bulge(times, values, highest):
    """A quick way before a slow one ends at the last value; what is told to stay stays."""
    curve = start(make(times, values), np.zeros(3), np.zeros(3))
    assert sampled(curve).max() == pytest.approx(highest, abs=1e-12)


def test_values_alone_make_a_smooth_curve():
    """Without rates value and rate are continuous at every knot, and it ends at rest."""
    knots = [0.2, 0.5, 0.6, 1.4]
    curve = start(make(knots, [0.1, 0.5, 0.4, -0.3]), np.zeros(3), np.zeros(3))
    for knot in knots[:-1]:
        before, after = evaluate(curve, knot - 1e-9), evaluate(curve, knot + 1e-9)
        assert before == pytest.approx(after, abs=1e-6)
    assert evaluate(curve, 1.4) == (-0.3, 0.0)


def test_rests_after_the_end():
    """The end keeps its speed at the very end only; later the last point holds at rest."""
    curve = start(make([0.0, 1.0], [0.0, 1.0], [1.0, 1.0]), np.zeros(3), np.zeros(3))
    assert evaluate(curve, 1.0) == (1.0, 1.0)
    assert evaluate(curve, 1.001) == (1.0, 0.0)


def test_single_point_at_once():
    """One point at time 0 is wanted at once and held."""
    curve = start(make([0.0], [0.4]), np.zeros(3), np.zeros(3))
    assert evaluate(curve, 0.0)[0] == evaluate(curve, 5.0)[0] == 0.4


def test_the_first_trajectory_waits_for_no_compiler(monkeypatch):
    """The curve is compiled before there is a trajectory, for whatever passes the check."""
    fresh = njit(trajectory._evaluate.py_func)
    monkeypatch.setattr(trajectory, '_evaluate', fresh)
    limits = channels(0.05, 0.05)
    following = Following(limits, PERIOD, SETTINGS)
    compiled = list(fresh.signatures)
    assert len(compiled) == 1
    request = Request(NOBODY, 0, ['j1'], [0.5, 1.0], [[1.0], [2.0]], [[], []])
    following.offer(check_trajectory(request, limits.names), 0, Command.at_rest(np.zeros(2)))
    zero = np.zeros(2)
    following.follower.update(0, 500_000_000, zero, zero, zero)
    assert following.follower.value.tolist() == pytest.approx([0.0, 1.0])
    assert fresh.signatures == compiled
