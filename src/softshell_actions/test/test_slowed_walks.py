"""Walks that are slowed down end where the action asked for."""

import numpy as np
import pytest

from softshell_actions.planning.debt import EXACT
from softshell_actions.rehearsal import Rehearsal, length
from softshell_description.load import load_robot
from softshell_kinematics.transforms import transform


@pytest.fixture(scope='module')
def quadruped():
    return load_robot('quadruped')


def came(rehearsal, parts):
    """(4, 4) pose of the footprint after some parts, in that before them."""
    whole = np.eye(4)
    for part in parts:
        base, end = part.plan.base, part.plan.end
        after = transform(end.base_rotation.as_matrix(), end.base_origin)
        whole = whole @ transform(base.rotations[-1], base.origins[-1]) @ np.linalg.inv(after)
    assert rehearsal.state.at_rest
    return whole


@pytest.mark.parametrize(
    ('given', 'gait'),
    [
        ({'distance': 0.3, 'cycle': 0.4}, 'trot'),
        ({'distance': -0.3554, 'cycle': 0.48, 'height': 0.0229}, 'crawl'),
        pytest.param({'distance': 0.1, 'cycle': 0.3}, 'trot', marks=pytest.mark.long),
        pytest.param({'distance': 0.3, 'cycle': 1.0}, 'crawl', marks=pytest.mark.long),
    ],
)
def test_a_walk_that_is_slowed_down_is_as_long_as_asked_for(quadruped, given, gait):
    """Though parts of its cycle are of different length, and the halt is slowed down by itself."""
    rehearsal = Rehearsal(quadruped)
    list(rehearsal.perform('stand'))
    asked = rehearsal.library.call('walk', given, gait)
    parts = list(rehearsal.perform('walk', given, gait))
    whole = came(rehearsal, parts)
    assert whole[:2, 3] == pytest.approx([given['distance'], 0.0], abs=EXACT)
    usual = len(asked) * given['cycle'] / len(rehearsal._planner.cycle(gait).parts)
    assert length(parts) > 1.2 * usual


def test_a_turn_that_is_slowed_down_is_as_large_as_asked_for(quadruped):
    rehearsal = Rehearsal(quadruped)
    list(rehearsal.perform('stand'))
    whole = came(rehearsal, list(rehearsal.perform('turn', {'angle': 0.6, 'cycle': 0.6}, 'crawl')))
    assert np.arctan2(whole[1, 0], whole[0, 0]) == pytest.approx(0.6, abs=EXACT)


def test_an_action_that_ends_with_the_halt_is_made_up_for_as_well():
    """By a stride and a halt of its own, as nothing follows the halt of a walk by a tripod."""
    rehearsal = Rehearsal(load_robot('shell'), 'stand')
    given = {'distance': -0.25, 'period': 0.25}
    whole = came(rehearsal, list(rehearsal.perform('walk', given, 'tripod')))
    assert whole[:2, 3] == pytest.approx([-0.25, 0.0], abs=EXACT)
    assert rehearsal.state.feet == pytest.approx(rehearsal.body.stance.feet, abs=1e-3)
