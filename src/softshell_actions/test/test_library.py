"""Action files: what is refused, and what a call becomes."""

import math
from pathlib import Path

import pytest

from softshell_actions.library import ActionLibrary, ParameterError
from softshell_common.errors import ProblemsError, UnknownNameError

CONFIG = Path(__file__).parents[3] / 'config'
CHAINS = {
    'fold': (),
    'lower': tuple(f'lower_{k}' for k in range(6)),
    'upper': tuple(f'upper_{k}' for k in range(6)),
}
FACTS = {'stand_height': 0.2, 'lying_height': 0.07}
GAIT = """
name: tripod
description: d
leg_sets: [[lower_0, lower_2, lower_4], [lower_1, lower_3, lower_5]]
stride: nod
"""
NOD = """
name: nod
description: d
parameters:
  depth: {default: 0.01, minimum: 0.0, maximum: 0.02, unit: m, meaning: how far}
sub_actions:
  - name: down
    duration: 0.5
    moves: [{group: base, relative: true, points: [{z: -depth}]}]
"""


def library(folder: Path, **files: str) -> ActionLibrary:
    for name, text in {'gaits': GAIT, 'nod': NOD, **files}.items():
        path = folder / ('gaits/tripod.yaml' if name == 'gaits' else f'actions/{name}.yaml')
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return ActionLibrary(folder, CHAINS, ('idle', 'stand'), FACTS)


@pytest.fixture(scope='module')
def shipped() -> ActionLibrary:
    return ActionLibrary(CONFIG, CHAINS, ('idle', 'stand'), FACTS)


def test_shipped_actions_are_those_the_robot_needs(shipped):
    """Stand, idle, walk, turn, raise and lower are there, each with a description."""
    assert {'stand', 'idle', 'walk', 'turn', 'raise', 'lower'} <= set(shipped.actions)
    assert all(action.description for action in shipped.actions.values())


@pytest.mark.parametrize(('distance', 'strides'), [(0.07, 1), (0.21, 3), (0.211, 4), (-0.28, 4)])
def test_walk_takes_as_many_strides_as_its_longest_step_asks(shipped, distance, strides):
    """n = ⌈distance / step⌉ strides at speed distance / (n period), and one to halt."""
    calls = shipped.call('walk', {'distance': distance, 'step': 0.07, 'period': 0.4})
    assert len(calls) == strides + 1
    assert calls[0].values['x'] == pytest.approx(distance / strides / 0.4)
    assert calls[-1].values['x'] == 0.0
    assert math.fsum(call.duration for call in calls) == pytest.approx((strides + 1) * 0.4)


def test_walking_no_distance_is_no_stride(shipped):
    """A distance of zero leaves nothing to do."""
    assert shipped.call('walk', {'distance': 0.0}) == []


def test_unknown_action_lists_those_there_are(shipped):
    """The error names what was asked for and what there is."""
    with pytest.raises(UnknownNameError, match=r"unknown action 'fly'; known: .*stand.*walk"):
        shipped.call('fly')


@pytest.mark.parametrize('value', [99.0, -99.0, math.nan, math.inf])
def test_parameter_outside_its_range_is_refused(shipped, value):
    """The error names the action, the parameter, its value, the range and the unit."""
    with pytest.raises(ParameterError, match=r'walk: parameter distance is .*-20 to 20 m'):
        shipped.call('walk', {'distance': value})


def test_unknown_parameter_lists_those_there_are(shipped):
    """The error names what was given and what there is."""
    with pytest.raises(ParameterError, match=r"walk: unknown parameter 'far'; known: direction"):
        shipped.call('walk', {'far': 1.0})


BAD = """
name: bad
description: d
prepare: levitate
sub_actions:
  - name: a
    duration: 0
    moves:
      - {group: base, points: [{z: deep}]}
      - {group: upper, chains: [upper_7], joints: [{elbow: 1.0}], weights: [1, 2]}
      - {group: lower, legs: trot, step: [{along: 1}]}
      - {group: fold, pose: bell}
  - use: nod
    with: {depth: 5}
"""


def test_every_problem_of_a_file_is_listed_with_its_line(tmp_path):
    """One error holds all that is wrong, each with file, line, value and what was expected."""
    with pytest.raises(ProblemsError) as caught:
        library(tmp_path, bad=BAD)
    problems = '\n'.join(caught.value.problems)
    for part in (
        "bad.yaml: line 4: prepare: unknown action 'levitate'; known: bad, nod",
        'bad.yaml: line 7: sub_actions.0.duration: is 0; expected a positive number',
        "line 9: sub_actions.0.moves.0: expression 'deep': unknown name 'deep'",
        "line 10: sub_actions.0.moves.1: unknown chain 'upper_7'; known: upper_0",
        'line 10: sub_actions.0.moves.1: weights has 2 entries; expected 1',
        "line 11: sub_actions.0.moves.2: unknown gait 'trot'; known: tripod",
        "line 12: sub_actions.0.moves.3: unknown pose 'bell'; known: idle, stand",
        'nod: parameter depth is 5; expected 0 to 0.02 m',
    ):
        assert part in problems


@pytest.mark.parametrize(
    ('change', 'part'),
    [
        (('depth:', 'depth_:'), "unknown name 'depth'"),
        (('duration: 0.5', 'durations: 0.5'), 'line 8: sub_actions.0.sub-action.durations: Extra'),
        (('default: 0.01', 'default: 0.03'), 'default is 0.03; expected 0.0 to 0.02'),
        (('points:', 'spots:'), 'expected one of the keys velocity, step, points, joints, pose'),
        (('name: nod', 'name: bow'), "line 2: name: is 'bow'; expected 'nod'"),
        (('z: -depth', 'h: -depth'), 'line 9'),
        (('description: d', ': ['), 'nod.yaml'),
    ],
)
def test_a_malformed_file_is_refused_by_line(tmp_path, change, part):
    """A wrong key, value or name is named with its line."""
    with pytest.raises(ProblemsError) as caught:
        library(tmp_path, nod=NOD.replace(*change))
    assert part in str(caught.value)


def test_actions_that_use_each_other_without_end_are_refused(tmp_path):
    """A circle of uses is an error that shows the circle."""
    use = 'name: {}\ndescription: d\nsub_actions: [{{use: {}}}]\n'
    with pytest.raises(ProblemsError, match='chicken → egg → chicken'):
        library(tmp_path, chicken=use.format('chicken', 'egg'), egg=use.format('egg', 'chicken'))


def test_a_leg_that_never_steps_is_refused(tmp_path):
    """Each leg steps exactly once in a gait's cycle."""
    with pytest.raises(ProblemsError, match='lower_5 steps 0 times; expected once'):
        library(tmp_path, gaits=GAIT.replace(', lower_5]', ']'))
