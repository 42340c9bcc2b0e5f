"""What is refused in an action: impossible steps, names of numbers, many mistakes at once."""

import sys
from pathlib import Path

import pytest

from softshell_actions.robot import body_of
from softshell_description.load import load_robot
from softshell_description.robots import robot_folder

sys.path.insert(0, str(Path(__file__).parent))
from changed_robots import STRIDE, WALK, at_line_of, changed, problems_of


@pytest.mark.parametrize(
    ('file', 'old', 'new', 'problem'),
    [
        (
            'actions/idle.yaml',
            '{group: legs, pose: rest}',
            '{legs: all, height: -0.02}',
            'sub_actions.3.moves.0.height: is -0.02; expected at least 0',
        ),
        (
            'actions/idle.yaml',
            '{group: legs, pose: rest}',
            '{legs: all, height: 0.02, slant: 7}',
            'sub_actions.3.moves.0.slant: is 7; expected 0 to 0.5',
        ),
        (
            STRIDE,
            'height: height',
            'height: height, slant: -0.1',
            'sub_actions.0.moves.1.slant: is -0.1; expected 0 to 0.5',
        ),
        (
            STRIDE,
            'height: height',
            'height: 0.02 - height',
            'sub_actions.0.moves.1.height: is -0.01; expected at least 0',
        ),
        (
            STRIDE,
            'height: height',
            'height: 0.035 - height',
            'sub_actions.0.moves.1.height: is -0.005 where height is 0.04; expected at least 0',
        ),
    ],
)
def test_a_step_of_no_shape_is_refused_when_it_is_read(tmp_path, file, old, new, problem):
    """A height below 0 or a slant outside 0 to 0.5, also at the ends of a parameter's range."""
    (found,) = problems_of(tmp_path, 'quadruped', (file, old, new))
    assert found == at_line_of(tmp_path, 'quadruped', file, new, problem)


TIP = '      arm: {base: base_link, tip: tip}\n'
ELBOW = '      elbow: {base: base_link, tip: forearm}\n'
STILL = '  still: {gains: {kp: 1, kd: 1}, goal_tolerance: 0.1, joints: {}}\n'


@pytest.mark.parametrize(
    ('old', 'new', 'move'),
    [
        (
            TIP,
            f'{ELBOW}{TIP}shared: [shoulder, elbow]\n',
            'group: arm, chains: [elbow], pose: home',
        ),
        ('groups:\n', f'groups:\n{STILL}', 'group: still, pose: home'),
        ('groups:\n', f'groups:\n{STILL}', 'group: still, joints: [{}]'),
    ],
    ids=['shared', 'pose', 'joints'],
)
def test_a_move_of_no_joint_is_refused_when_it_is_read(tmp_path, old, new, move):
    """Its chains share all their joints with others, or its group has none."""
    home = 'actions/home.yaml'
    changes = ('robot.yaml', old, new), (home, 'group: arm, pose: home', move)
    found = problems_of(tmp_path, 'arm', *changes)
    text = 'moves no joint; expected a group or chains with joints of their own'
    expected = f'sub_actions.0.moves.0: {text}'
    assert found == (at_line_of(tmp_path, 'arm', home, move, expected),)


KNOWN = 'is a name that has a meaning in every expression already; expected another'
UNFIT = (
    'cannot be used in an expression; expected letters, digits and underscores, no digit first, '
    "and no word such as 'and'"
)


@pytest.mark.parametrize('key', ['parameters', 'variables'])
@pytest.mark.parametrize(
    ('name', 'problem'),
    [
        ('pi', KNOWN),
        ('max', KNOWN),
        ('stand_height', KNOWN),
        ('trot_parts', KNOWN),
        ('gait_stance', KNOWN),
        ('a b', UNFIT),
        ('2nd', UNFIT),
        ('and', UNFIT),
        ('', UNFIT),
    ],
)
def test_a_name_that_no_number_can_have_is_refused(tmp_path, key, name, problem):
    """It has a meaning in expressions already, or no expression could use it."""
    value = '{default: 1, minimum: 0, maximum: 2, unit: m, meaning: x}'
    if key == 'variables':
        value = '3'
    new = f"{key}:\n  '{name}': {value}\n"
    found = problems_of(tmp_path, 'quadruped', (WALK, f'{key}:\n', new))
    written = f"'{name}': {value}"
    where = f'{key}.{name}: {problem}'
    assert found == (at_line_of(tmp_path, 'quadruped', WALK, written, where),)


MANY = """name: many
description: mistakes of form and of meaning
priorty: 3
parameters:
  far: {default: 5, minimum: 0, maximum: 1, unit: m, meaning: x}
  pi: {default: 0, minimum: 0, maximum: 1, unit: m, meaning: x}
variables: {twice: 2 * far, thrice: 3 * fra}
sub_actions:
  - {name: one, moves: [{legs: all, height: 0.02}]}
  - {name: two, duration: -1, moves: [{group: legs, joints: [{knie: 0.2}]}]}
  - {name: three, duration: 1, moves: [{bse: [{x: 1}]}]}
  - {name: four, duration: twice + far, moves: [{base: [{z: far}]}]}
  - {use: wlk}
"""


def told(tmp_path, text):
    """Line and place of each mistake in an action of the quadruped."""
    idle = (robot_folder('quadruped') / 'actions/idle.yaml').read_text(encoding='utf-8')
    found = problems_of(tmp_path, 'quadruped', ('actions/idle.yaml', idle, text))
    return [tuple(problem.split(': ')[1:3]) for problem in found]


def test_mistakes_of_form_hide_none_of_meaning(tmp_path):
    """Well-formed parts are reviewed; the use of a wrong parameter is no further mistake."""
    assert told(tmp_path, MANY.replace('name: many', 'name: idle')) == [
        ('line 3', 'priorty'),
        ('line 5', 'parameters.far'),
        ('line 9', 'sub_actions.0'),
        ('line 11', 'sub_actions.2.moves.0'),
        ('line 6', 'parameters.pi'),
        ('line 7', 'variables.thrice'),
        ('line 10', 'sub_actions.1.duration'),
        ('line 10', 'sub_actions.1.moves.0'),
        ('line 13', 'sub_actions.4.use'),
    ]


@pytest.mark.parametrize(
    ('section', 'problems'),
    [
        ('paramters: {far: {default: 1}}', ['paramters']),
        ('parameters: [far]', ['parameters']),
        ('parameters:', ['parameters']),
        ('parameters: {far: 1}', ['parameters.far']),
        ('variables: {far: [1]}', ['variables.far']),
        ('priority: high\nrequires: {condition: 3}', ['priority', 'requires.condition']),
    ],
)
def test_a_wrong_section_is_told_without_what_follows_from_it(tmp_path, section, problems):
    """Its names are not reported as unknown where they are used."""
    far = '0.1' if section.startswith('priority') else 'far'
    moves = f'[{{base: [{{z: {far}}}]}}]'
    part = f'sub_actions: [{{name: a, duration: 1, moves: {moves}}}]'
    text = f'name: idle\ndescription: x\n{section}\n{part}\n'
    assert [place for _, place in told(tmp_path, text)] == problems


@pytest.mark.parametrize('text', ['', '[]', 'name: idle', '1: 2', 'sub_actions: 3'])
def test_a_file_with_nothing_well_formed_is_told_once(tmp_path, text):
    """Each mistake of form is listed once; that nothing can be reviewed is no further mistake."""
    found = told(tmp_path, text)
    assert found
    assert len(found) == len(set(found))


def test_a_sub_action_that_is_never_performed_may_be_impossible(tmp_path):
    """It may last no time, and lift feet below the ground; for whichever parameters that is."""
    new = 'duration: (duration - 0.5) / 2\n    repeat: duration - 1.5'
    folder = changed(
        tmp_path,
        'quadruped',
        ('actions/idle.yaml', 'duration: 1.0', new),
        ('actions/idle.yaml', '{group: legs, pose: rest}', '{legs: all, height: duration - 0.6}'),
    )
    assert 'idle' in body_of(load_robot(folder)).library().actions


@pytest.mark.parametrize(
    ('old', 'new', 'problem'),
    [
        (
            'duration: 1.0',
            'duration: 300',
            'sub_actions.3.duration: is 300; expected at most 120 s',
        ),
        (
            '{group: legs, pose: rest}',
            "{group: legs, joints: [{'{leg}_hip': 0.1, front_left_hip: 0.2}]}",
            "sub_actions.3.moves.0: joint 'front_left_hip' is given 2 times; expected it once",
        ),
    ],
    ids=['too long', 'twice'],
)
def test_what_could_not_be_performed_is_refused_when_it_is_read(tmp_path, old, new, problem):
    """A sub-action longer than any, and a joint that is to be in two places."""
    found = problems_of(tmp_path, 'quadruped', ('actions/idle.yaml', old, new))
    assert any(each.endswith(problem) for each in found), found
