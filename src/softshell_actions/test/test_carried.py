"""No foot is carried out of the reach of its gait, and a robot gets in step with another gait."""

from dataclasses import replace

import numpy as np
import pytest

from softshell_actions.performing.walking import Pace, Strides, passage
from softshell_actions.planning.carried import _largest, put_down, share_within
from softshell_actions.planning.debt import Debt
from softshell_actions.rehearsal import Rehearsal
from softshell_description.load import load_robot


@pytest.fixture
def standing():
    """A rehearsal of Shell that begins on its feet."""
    return Rehearsal(load_robot('shell'), 'stand')


def share_of(rehearsal, gait, velocity):
    call = Strides(rehearsal.library, Pace(gait)).call(np.array(velocity))
    planner = rehearsal._planner
    return call, share_within(call, rehearsal.state, planner.stance, planner.cycle(gait))


def walk(rehearsal, gait, velocity, count):
    """Perform strides; the velocity after each, and (legs, 2) feet from their rest positions."""
    for _ in range(count):
        call, _ = share_of(rehearsal, gait, velocity)
        for _ in rehearsal._parts(call, Debt()):
            off = rehearsal.state.feet - rehearsal.body.stance.feet
            yield rehearsal.state.velocity, off[:, :2]


def test_the_way_of_a_stance_is_the_reach(standing):
    """Of a tripod that goes straight on: v T / 2 at the largest velocity is the reach."""
    gait = standing.library.gait('tripod')
    call, share = share_of(standing, 'tripod', [0.35, 0.0, 0.0])
    stance = call.value(call.gait_move.cycle) * gait.legs['lower_0'].duty
    assert share * call.velocity[0] * stance == pytest.approx(gait.reach.x)
    assert share_of(standing, 'tripod', [0.1, 0.0, 0.0])[1] == 1.0


@pytest.mark.parametrize('gait', ['tripod', 'tetrapod', 'wave'])
@pytest.mark.parametrize(
    'velocity',
    [
        pytest.param((0.35, 0.0, 0.0), marks=pytest.mark.long),
        pytest.param((-0.2, 0.3, 0.0), marks=pytest.mark.long),
        (0.1, -0.1, 0.7),
    ],
)
def test_feet_lift_within_reach(standing, gait, velocity):
    """From rest into a steady walk, and back: no foot is further from rest than half the reach.

    It may be 5 mm further, as feet roll and the base turns meanwhile.
    """
    half = standing.library.gait(gait).reach.x / 2
    ways = [*walk(standing, gait, velocity, 13), *walk(standing, gait, -np.array(velocity), 7)]
    furthest = max(np.linalg.norm(off, axis=1).max() for _, off in ways)
    assert half - 0.012 < furthest < half + 0.005


def test_a_foot_beyond_its_reach_is_carried_along_its_edge_only():
    """However its distance is rounded: at a right angle to it by nothing, inwards all the way."""
    random = np.random.default_rng(1)
    for off in random.uniform(-3.0, 3.0, (500, 2)):
        if np.linalg.norm(off) > 1.0:
            assert _largest(off, np.array([-off[1], off[0]])) == pytest.approx(0.0, abs=1e-7)
            assert _largest(off, off) == 1.0


def test_nothing_comes_between_strides_of_one_gait(standing):
    """Nor before a stride of another gait, if the robot is slow enough."""
    list(walk(standing, 'tripod', (0.15, 0.0, 0.0), 4))
    call, _ = share_of(standing, 'tripod', (0.0, 0.15, 0.0))
    assert passage(call, standing.state, standing._planner) is None
    list(walk(standing, 'tripod', (0.03, 0.0, 0.0), 2))
    call, _ = share_of(standing, 'wave', (0.03, 0.0, 0.0))
    assert passage(call, standing.state, standing._planner) is None


def test_feet_that_do_not_lift_are_not_brought_to_their_places(standing):
    """A stride of the gait would come before others, again and again before one of this kind."""
    call, _ = share_of(standing, 'tripod', (0.02, 0.0, 0.0))
    spread = replace(standing.state, feet=standing.state.feet * [1.5, 1.5, 1.0])
    assert passage(call, spread, standing._planner) is not None
    assert passage(call.landing(), spread, standing._planner) is None


def test_a_robot_that_is_too_fast_for_a_gait_slows_down_first(standing):
    """By strides of the gait that it follows so far."""
    list(walk(standing, 'tripod', (0.17, 0.0, 0.0), 5))
    call, _ = share_of(standing, 'wave', (0.17, 0.0, 0.0))
    between = passage(call, standing.state, standing._planner)
    assert between.gait_move.gait == 'tripod'
    assert 0.0 < between.velocity[0] < 0.5 * standing.state.velocity[0]
    parts = list(standing._parts(call, Debt()))
    assert [part.call.gait_move.gait for part in parts] == ['tripod', 'wave']


def test_a_foot_right_under_the_base_has_no_direction_outwards():
    """It stays; any other goes outwards and round the base by what is asked for."""
    under = np.zeros(3)
    assert put_down(under, 0.02, 0.01) == pytest.approx(under)
    assert put_down(np.array([0.1, 0.0, 0.0]), 0.02, 0.01) == pytest.approx([0.12, 0.01, 0.0])
