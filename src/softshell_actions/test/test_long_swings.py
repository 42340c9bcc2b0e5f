"""Gaits in which a foot is in the air for several parts of the cycle."""

from pathlib import Path

import pytest
import yaml

from softshell_actions.library import Instead
from softshell_actions.rehearsal import Rehearsal
from softshell_actions.robot import body_of
from softshell_actions.trajectories.joint_limits import peak
from softshell_actions.trajectories.pacing import TOLERANCE, joint_limits_of
from softshell_description.load import load_robot

ANT = Path(__file__).resolve().parents[3] / 'examples' / 'my_robot_pkg' / 'robots' / 'ant'
#: Legs of the ant, in the order in which they lift.
ORDER = ('left_front', 'left_rear', 'right_middle', 'left_middle', 'right_front', 'right_rear')


@pytest.fixture(scope='module')
def ant():
    return load_robot(str(ANT))


@pytest.fixture(scope='module')
def library(ant, tmp_path_factory):
    """Its actions, with a gait in which a leg lifts each sixth of the cycle and swings for 0.4."""
    gait = {
        'name': 'tripod',
        'description': 'Legs step one after another, before the one before has landed.',
        'legs': {leg: {'phase': place / 6, 'duty': 0.6} for place, leg in enumerate(ORDER)},
        'stride': 'stride',
        'reach': {'x': 0.07, 'y': 0.05},
    }
    path = tmp_path_factory.mktemp('gaits') / 'tripod.yaml'
    path.write_text(yaml.safe_dump(gait), encoding='utf-8')
    return body_of(ant).library(instead=Instead(gaits=(path,)))


@pytest.mark.parametrize(
    'cycle', [0.6, *(pytest.param(c, marks=pytest.mark.long) for c in (0.5, 0.7, 0.9, 1.2))]
)
def test_a_foot_in_the_air_is_as_slow_as_its_next_part_needs(ant, library, cycle):
    """It keeps its speed from part to part, so the one before is the last that can be slower."""
    rehearsal, limits, way = Rehearsal(ant, library=library), joint_limits_of(ant), 0.0
    list(rehearsal.perform('stand'))
    for part in rehearsal.perform('walk', {'distance': -0.2, 'cycle': cycle}):
        way += part.plan.base.origins[-1, 0] - part.plan.base.origins[0, 0]
        assert peak(part.motion, limits).slowdown <= 1.0 + TOLERANCE
    assert way == pytest.approx(-0.2, abs=0.01)
    assert rehearsal.state.at_rest
