"""Trajectories pass through their points as cubic Hermite curves."""

import numpy as np
import pytest
from follower_rig import PERIOD, SETTINGS, channels
from numba import njit
from numpy.polynomial import Polynomial

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
    """Inner slopes chosen from values are those of any parabola, at uneven knots too."""
    parabola = Polynomial([0.1, 2.0, -3.0])
    knots = np.array([0.0, 0.1, 0.5, 0.7])
    slopes = smooth_rates(knots, parabola(knots)[:, None], np.array([2.0]))
    assert slopes[:-1, 0] == pytest.approx(parabola.deriv()(knots[:-1]))
    assert slopes[-1, 0] == 0.0


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
