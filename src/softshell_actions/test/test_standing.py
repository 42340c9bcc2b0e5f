"""While all feet stand, load passes to those that stay; the base sways without a jolt."""

import numpy as np
import pytest

from softshell_actions.planning.standing import Feet
from softshell_actions.rehearsal import Rehearsal
from softshell_description.load import load_robot

TIMES = np.linspace(0.0, 0.4, 21)
PASSAGE = 0.1


@pytest.fixture(scope='module')
def crawl():
    """Parts of a walk of the quadruped."""
    robot = load_robot('quadruped')
    return list(Rehearsal(robot, robot.legs.stand).perform('walk', {'distance': 0.1}))


def shares(feet, rests=False):
    """(points, feet) part to which each stands."""
    return feet.standing(np.ones((len(TIMES), 3)), rests).shares(PASSAGE)


def test_load_goes_from_the_foot_that_lifts_to_the_one_that_has_landed():
    """All through the part one gains what the other loses; the third keeps its own."""
    feet = Feet(np.array([0.0, np.inf, np.inf]), TIMES)
    feet.pass_load([2])
    found = shares(feet)
    assert found[[0, -1]] == pytest.approx(np.array([[0.0, 1.0, 1.0], [1.0, 1.0, 0.0]]))
    assert found[:, 0] + found[:, 2] == pytest.approx(np.ones(len(TIMES)))
    assert found[len(TIMES) // 2, 0] == pytest.approx(0.5)
    assert feet.stood(rests=False).tolist() == [np.inf, np.inf, 0.0]


def test_a_foot_without_load_has_none_in_the_air():
    """A foot that lifts with its load gives it up within a passage."""
    feet = Feet(np.array([0.0, np.inf, np.inf]), TIMES)
    for foot in (0, 1):
        feet.swings(foot, (0.0, 1.0))
    found = shares(feet)
    assert found[:, 0].tolist() == [0.0] * len(TIMES)
    assert found[0, 1] == 1.0
    assert not found[TIMES >= PASSAGE, 1].any()


def test_a_robot_that_comes_to_rest_keeps_its_load_on_all_feet():
    """Also if load was to pass from a foot."""
    feet = Feet(np.full(3, np.inf), TIMES)
    feet.pass_load([2])
    assert shares(feet, rests=True).min() == 1.0
    assert np.isinf(feet.stood(rests=True)).all()


def test_the_crawl_lifts_feet_that_carry_nothing(crawl):
    """In each part in which a foot swings one foot has no load, from the first moment on."""
    swinging = crawl[1::2]
    for part in swinging:
        carrying = part.plan.standing.shares(PASSAGE)[0]
        assert sorted(carrying.tolist()) == pytest.approx([0.0, 1.0, 1.0, 1.0])


def test_sway_begins_and_ends_without_acceleration(crawl):
    """Measured to the side, where nothing else moves the base, by extrapolated differences."""
    for part in crawl[::2]:
        second = np.diff(part.plan.base.origins[:, 1], 2) / part.plan.times[1] ** 2
        largest = np.abs(second).max()
        ends = 3.0 * second[[0, -1]] - 3.0 * second[[1, -2]] + second[[2, -3]]
        assert np.abs(ends).max() < 0.02 * largest
