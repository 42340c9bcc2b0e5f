"""Action files: what is refused, and what a call becomes."""

import math
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from softshell_actions.language.vocabulary import Vocabulary
from softshell_actions.library import ActionLibrary, Instead, ParameterError
from softshell_kinematics.errors import ProblemsError, UnknownNameError

sys.path.insert(0, str(Path(__file__).parent))
from six_legs import CONFIG, LEGS, OWN, vocabulary

VOCABULARY = vocabulary(
    ('lying', 'standing', 'scattered', 'fallen', 'ball', 'transforming', 'tilted')
)
GAIT = """
name: tripod
description: d
legs:
  lower_0: {phase: 0.0, duty: 0.5}
  lower_1: {phase: 0.5, duty: 0.5}
  lower_2: {phase: 0.0, duty: 0.5}
  lower_3: {phase: 0.5, duty: 0.5}
  lower_4: {phase: 0.0, duty: 0.5}
  lower_5: {phase: 0.5, duty: 0.5}
stride: step
"""
STEP = """
name: step
description: d
parameters:
  x: {default: 0.0, minimum: -0.1, maximum: 0.1, unit: m/s, meaning: forwards}
  y: {default: 0.0, minimum: -0.1, maximum: 0.1, unit: m/s, meaning: to the left}
  yaw: {default: 0.0, minimum: -0.5, maximum: 0.5, unit: rad/s, meaning: to the left}
sub_actions:
  - name: step
    moves:
      - {velocity: {x: x, y: y, yaw: yaw}}
      - {gait: tripod, cycle: tripod_parts * 0.5, height: 0.01}
"""
NOD = """
name: nod
description: d
parameters:
  depth: {default: 0.01, minimum: 0.0, maximum: 0.02, unit: m, meaning: how far}
sub_actions:
  - name: down
    duration: 0.5
    moves: [{base: [{z: -depth}], relative: true}]
"""


def library(folder: Path, **files: str) -> ActionLibrary:
    for name, text in {'gaits': GAIT, 'nod': NOD, 'step': STEP, **files}.items():
        path = folder / ('gaits/tripod.yaml' if name == 'gaits' else f'actions/{name}.yaml')
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return ActionLibrary(folder, VOCABULARY)


@pytest.fixture(scope='module')
def shipped() -> ActionLibrary:
    return ActionLibrary(CONFIG, VOCABULARY)


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
    assert all(call.value(call.gait_move.cycle) == pytest.approx(0.8) for call in calls)


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


def test_unknown_parameter_is_answered_with_the_nearest_and_with_all(shipped):
    """The error names what was given and what there is."""
    with pytest.raises(ParameterError, match=r"unknown parameter 'gate'; did you mean gait\?"):
        shipped.call('walk', {'gate': 1.0})
    with pytest.raises(ParameterError, match=r"walk: unknown parameter 'far'; known: direction"):
        shipped.call('walk', {'far': 1.0})
    with pytest.raises(ParameterError, match=r"'distnace'; did you mean distance\? known: dir"):
        shipped.call('walk', {'distnace': 1.0})
    with pytest.raises(ParameterError) as caught:
        shipped.call('walk', {'q' * 5000: 1.0})
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize('length', [1, 2, 3])
def test_an_action_that_requires_itself_is_refused(tmp_path, length):
    """However long the circle: file, line and the way round it are named, once."""
    names = [f'a{number}' for number in range(length)]
    files = {
        name: NOD.replace('name: nod', f'name: {name}')
        + f'requires: {{condition: lying, action: {names[(number + 1) % length]}}}\n'
        for number, name in enumerate(names)
    }
    with pytest.raises(ProblemsError) as caught:
        library(tmp_path, **files)
    circle = ' -> '.join([*names, names[0]])
    assert caught.value.problems == (
        f'actions/a0.yaml: line 10: requires.action: requires itself: {circle}',
    )


BAD = """
name: bad
description: d
requires: {condition: flying, action: levitate}
sub_actions:
  - name: a
    duration: 0
    when: lying or dreaming
    moves:
      - {base: [{z: deep}]}
      - {group: upper, chains: [upper_7], joints: [{elbow: 1.0}], weights: [1, 2]}
      - {group: fold, pose: bell}
      - {group: tail, pose: idle}
      - {legs: [upper_0, 'lower_{j}'], height: 0.01}
      - {group: upper, chains: [upper_1], joints: [{upper_1_elbow: 1.0, upper_2_elbow: 0.5}]}
  - name: b
    moves:
      - {gait: trot, cycle: -1, height: 0.01}
  - use: nod
    with: {depth: 5}
"""


def test_every_problem_of_a_file_is_listed_with_its_line(tmp_path):
    """One error holds all that is wrong, each with file, line, value and what was expected."""
    with pytest.raises(ProblemsError) as caught:
        library(tmp_path, bad=BAD)
    problems = '\n'.join(caught.value.problems)
    for part in (
        "bad.yaml: line 4: requires.action: unknown action 'levitate'; known: bad, nod, step",
        "line 4: requires.condition: expression 'flying': unknown fact 'flying'; did you mean",
        'bad.yaml: line 7: sub_actions.0.duration: is 0; expected a positive number',
        "line 8: sub_actions.0.when: expression 'lying or dreaming': unknown fact 'dreaming'",
        "line 10: sub_actions.0.moves.0: expression 'deep': unknown name 'deep'",
        "line 11: sub_actions.0.moves.1: unknown chain 'upper_7'; known: upper_0",
        'line 11: sub_actions.0.moves.1: weights has 2 entries; expected 1',
        "line 12: sub_actions.0.moves.2: unknown pose 'bell'; did you mean ball? known: ball",
        "line 13: sub_actions.0.moves.3: unknown group 'tail'; known: fold, lower, upper",
        "line 14: sub_actions.0.moves.4: unknown placeholder 'j'; known: k",
        "sub_actions.0.moves.5: unknown joint 'upper_2_elbow'; did you mean upper_1_elbow?",
        "line 18: sub_actions.1.moves.0: unknown gait 'trot'; did you mean tripod? known: tripod",
        'line 18: sub_actions.1.moves.0: is -1; expected a positive number',
        'line 20: sub_actions.2.with.depth: nod: parameter depth is 5; expected 0 to 0.02 m',
    ):
        assert part in problems, f'{part}\nnot in\n{problems}'


@pytest.mark.parametrize(
    ('change', 'part'),
    [
        (('depth:', 'depth_:'), "unknown name 'depth'"),
        (
            ('duration: 0.5', 'durations: 0.5'),
            "line 8: sub_actions.0.durations: unknown key; did you mean 'duration'?",
        ),
        (
            ('default: 0.01', 'default: 0.03'),
            'parameters.depth: default is 0.03; expected 0 to 0.02 m',
        ),
        (('base:', 'bass:'), 'expected one of the keys velocity, legs, gait, base, points'),
        (('duration: 0.5', 'name: down'), 'given twice'),
        (('    duration: 0.5\n', ''), 'line 7: sub_actions.0: lacks a duration [s]'),
        (('name: nod', 'name: bow'), "line 2: name: is 'bow'; expected the name of the file"),
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
    """A circle of uses is one problem that shows the circle once, wherever it is entered."""
    use = 'name: {}\ndescription: d\nsub_actions: [{{use: {}}}]\n'
    with pytest.raises(ProblemsError) as caught:
        library(
            tmp_path,
            chicken=use.format('chicken', 'egg'),
            egg=use.format('egg', 'chicken'),
            farm=use.format('farm', 'egg'),
            go=use.format('go', 'go'),
        )
    assert caught.value.problems == (
        'actions/chicken.yaml: line 3: sub_actions.0.use: uses itself: chicken -> egg -> chicken',
        'actions/go.yaml: line 3: sub_actions.0.use: uses itself: go -> go',
    )


def test_actions_that_use_each_other_too_deep_are_refused_once(tmp_path):
    """Of a long row of actions the innermost that is too long is named, with all that it uses."""
    use = 'name: {}\ndescription: d\nsub_actions: [{{use: {}}}]\n'
    row = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'nod']
    files = {name: use.format(name, other) for name, other in pairwise(row)}
    with pytest.raises(ProblemsError) as caught:
        library(tmp_path, **files)
    (problem,) = caught.value.problems
    assert problem.startswith(
        'actions/b.yaml: line 3: sub_actions.0.use: actions use each other 9'
    )
    library(tmp_path, **{**files, 'b': NOD.replace('nod', 'b')})


def test_a_call_has_a_limited_number_of_sub_actions(tmp_path):
    """A repetition that fills the memory is refused by name, when the files are read."""
    often = NOD.replace('    duration', '    repeat: 1e9\n    duration')
    with pytest.raises(ProblemsError, match='nod: has more than 100000 sub-actions'):
        library(tmp_path, nod=often)


@pytest.mark.parametrize(
    ('change', 'part'),
    [
        (('  lower_5: {phase: 0.5, duty: 0.5}\n', ''), "line 4: legs: lacks the leg 'lower_5'"),
        (('lower_5:', 'upper_5:'), "unknown leg 'upper_5'; known: lower_0"),
        (('phase: 0.0', 'phase: 1.0'), 'line 5: legs.lower_0.phase: is 1.0; expected less than 1'),
        (('duty: 0.5', 'duty: 0.0'), 'line 5: legs.lower_0.duty: is 0.0; expected more than 0'),
        (('duty: 0.5', 'duty: 0.9999999'), 'duty: is 0.9999999; expected 0.001 to 0.999: legs ne'),
        (('duty: 0.5', 'duty: 0.0000001'), 'line 5: legs.lower_0.duty: is 1e-07; expected 0.001'),
        (('stride: step', 'stride: hop'), "stride: unknown action 'hop'; known: nod, step"),
        (('stride: step', 'stride: step\nsway: 2'), 'line 12: sway: is 2; expected at most 1'),
    ],
)
def test_a_gait_that_cannot_be_walked_is_refused_by_line(tmp_path, change, part):
    """Every leg steps once in a cycle, at a phase and with a duty factor that make sense."""
    with pytest.raises(ProblemsError) as caught:
        library(tmp_path, gaits=GAIT.replace(*change, 1))
    assert part in str(caught.value)


def test_a_timing_written_with_a_placeholder_is_that_of_all_legs(tmp_path):
    """`lower_{k}` gives six legs one timing; a cycle of one swing has two parts."""
    legs = GAIT[GAIT.index('legs:') : GAIT.index('stride')]
    all_at_once = GAIT.replace(legs, "legs:\n  'lower_{k}': {phase: 0.0, duty: 0.7}\n")
    found = library(tmp_path, gaits=all_at_once)
    assert tuple(VOCABULARY.timings(found.gait('tripod'))) == LEGS
    assert found.values(found.action('nod'), {})['tripod_parts'] == 2.0


def test_a_robot_without_legs_has_no_gaits_and_its_base_stays(tmp_path):
    """Without legs no gaits are read, and a move of the base is refused."""
    legless = Vocabulary(groups=VOCABULARY.groups, own_joints=OWN, poses=('idle',))
    library(tmp_path)
    (tmp_path / 'gaits/tripod.yaml').unlink()
    with pytest.raises(ProblemsError, match='moves feet or base; expected a robot with legs'):
        ActionLibrary(tmp_path, legless)


def test_without_a_gait_on_cmd_vel_the_first_by_name_is_followed(tmp_path):
    """Also where it was read after the others, as a file that is added to them."""
    text = (CONFIG / 'gaits' / 'wave.yaml').read_text(encoding='utf-8')
    added = tmp_path / 'amble.yaml'
    added.write_text(text.replace('name: wave', 'name: amble'), encoding='utf-8')
    found = ActionLibrary(CONFIG, replace(VOCABULARY, gait=''), instead=Instead(gaits=(added,)))
    assert {call.gait_move.gait for call in found.call('walk')} == {'amble'}


def test_a_variable_has_no_name_of_a_parameter(tmp_path):
    """It would take the place of what the caller gave."""
    twice = NOD.replace('sub_actions:', 'variables: {depth: 0.1}\nsub_actions:')
    with pytest.raises(
        ProblemsError, match=r'variables\.depth: is the name of a parameter as well'
    ):
        library(tmp_path, nod=twice)


@pytest.mark.parametrize('name', ['gait', 'queue', 'stop'])
def test_a_parameter_has_no_name_that_callers_use_for_other_things(tmp_path, name):
    """`./softshell action nod queue:=1` would not reach it."""
    with pytest.raises(ProblemsError, match=f'line 5: parameters.{name}: is a name by which a'):
        library(tmp_path, nod=NOD.replace('depth', name))
