"""Commanded positions from trajectories and from messages."""

import numpy as np
import pytest

from softshell_recording.commands import Followed, commanded_positions

TIMES = np.arange(0.0, 4.01, 0.25)


def ramp(start, names=('a',), end=np.inf, length=2.0, rates=True):
    """From 0 to `length` within `length` seconds, at a rate of 1."""
    times = np.array([0.0, length])
    values = np.repeat(times[:, None], len(names), axis=1)
    return Followed(start, end, names, times, values, np.ones_like(values) if rates else None)


def test_a_straight_line_is_evaluated_where_it_is_followed():
    """Inside its time the command is the line; before and after nothing is commanded."""
    commands = commanded_positions(TIMES, ('a', 'b'), [ramp(1.0)])
    inside = (TIMES >= 1.0) & (TIMES <= 3.0)
    assert commands[inside, 0] == pytest.approx(TIMES[inside] - 1.0)
    assert np.isnan(commands[~inside, 0]).all()
    assert np.isnan(commands[:, 1]).all()


def test_a_later_trajectory_takes_over_its_own_channels_alone():
    """The joint that both have follows the later one; the other joint stays with the first."""
    commands = commanded_positions(
        TIMES, ('a', 'b'), [ramp(0.0, ('a', 'b')), ramp(1.0, ('a', 'tendon'))]
    )
    row = int(np.searchsorted(TIMES, 1.5))
    assert commands[row].tolist() == pytest.approx([0.5, 1.5])


def test_a_trajectory_that_was_cut_short_commands_no_longer():
    """After it was replaced by a shorter one, nothing of the older comes back."""
    commands = commanded_positions(
        TIMES, ('a',), [ramp(0.0, end=1.0, length=4.0), ramp(1.0, length=1.0)]
    )
    assert np.isnan(commands[TIMES > 2.0]).all()
    assert commands[TIMES == 1.5, 0] == pytest.approx(0.5)


def test_a_single_point_is_a_position():
    """One point later than the start is a command for that moment alone."""
    one = Followed(0.5, np.inf, ('a',), np.array([0.5]), np.array([[0.7]]), None)
    commands = commanded_positions(TIMES, ('a',), [one])
    assert np.flatnonzero(np.isfinite(commands[:, 0])).tolist() == [4]
    assert commands[4, 0] == 0.7


def test_without_rates_the_curve_passes_through_the_points():
    """Values alone give a curve through all points."""
    times = np.array([0.0, 1.0, 2.0])
    one = Followed(0.0, np.inf, ('a',), times, np.array([[0.0], [1.0], [0.0]]), None)
    commands = commanded_positions(TIMES, ('a',), [one])
    assert commands[[0, 4, 8], 0] == pytest.approx([0.0, 1.0, 0.0])
