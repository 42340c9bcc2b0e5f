"""An action is told in words as it is written, with the times that follow from its numbers."""

import math

import pytest

from softshell_actions.language.grammar import SubAction
from softshell_actions.overview import overview, told
from softshell_description.load import load_robot
from softshell_kinematics.errors import UnknownNameError


def test_a_walk_takes_one_stride_a_step_and_one_more():
    """Of the default distance: ceil(distance / step) + 1 strides of one period each."""
    shell = load_robot('shell')
    found = overview(shell, 'walk')
    defaults = found.action.defaults
    strides = math.ceil(defaults['distance'] / defaults['step']) + 1
    seconds = strides * defaults['period']
    assert found.performed.startswith(f'{seconds:.1f} s with the defaults: stride × {strides}; ')
    assert 'from the pose idle' in found.performed
    assert found.requires == 'standing; otherwise stand comes first'
    assert [(row.name, row.repeat) for row in found.rows] == [
        ('use stride', f'{strides - 1} = steps'),
        ('use stride', '1 = min(steps, 1) * ending'),
    ]
    assert found.rows[1].what == ('height: height, period: period',)
    assert found.gaits == ('quick', 'ripple', 'tetrapod', 'tripod', 'wave')
    assert overview(shell, 'idle').gaits == ()
    assert found.path == shell.folder / 'actions' / 'walk.yaml'


def test_sub_actions_are_told_with_duration_repetition_and_condition():
    """Numbers are those of the defaults; what a gait decides has no duration of its own."""
    level, spread, _, rest = overview(load_robot('quadruped'), 'idle').rows
    assert (level.repeat, level.duration) == ('1', '0.5 s')
    assert level.what[0] == 'only when standing'
    assert (spread.repeat, spread.duration) == ('8 = crawl_parts', '')
    assert spread.what[1:] == ('comes to rest', 'follows the gait crawl')
    assert rest.what == ('moves all joints of legs to the pose rest',)
    wave = overview(load_robot('arm'), 'wave')
    assert wave.performed == '1.6 s with the defaults: to × 2'
    assert wave.requires == 'nothing'


def test_what_cannot_be_done_at_the_start_is_told():
    """A robot that lies has no feet to gather."""
    found = overview(load_robot('quadruped'), 'gather')
    assert found.performed == '0.0 s with the defaults: does nothing'


def test_what_a_controller_decides_has_no_duration():
    """The time of `roll` is that of its controllers; before it the ball closes."""
    found = overview(load_robot('shell'), 'roll').performed
    assert found.startswith(
        '0.0 s and as long as its controllers need with the defaults: what a controller decides; '
    )
    assert found.endswith(' s more, before that')


def test_an_unknown_action_is_refused_with_the_nearest():
    """The error suggests the nearest name."""
    with pytest.raises(UnknownNameError, match=r"unknown action 'wavr'; did you mean wave\?"):
        overview(load_robot('arm'), 'wavr')


@pytest.mark.parametrize(
    ('move', 'words'),
    [
        ({'velocity': {'yaw': 'speed', 'x': 0.1}}, 'travels, at the end with x: 0.1, yaw: speed'),
        ({'legs': 'all', 'height': 0.1}, 'steps with all legs'),
        ({'legs': ['a', 'b'], 'height': 0.1}, 'steps with a, b'),
        (
            {'gait': 'trot', 'cycle': 1, 'height': 0.1, 'lift': False},
            'follows the gait trot, lifting no foot',
        ),
        ({'base': [{'z': 'h'}, {'z': 0}]}, 'moves the base to z: h → z: 0'),
        (
            {'group': 'g', 'points': [{'x': 1}], 'relative': True},
            'moves the tips of all chains of g by x: 1',
        ),
        (
            {'group': 'g', 'chains': ['a'], 'points': [{'x': 1}]},
            'moves the tips of a to x: 1',
        ),
        (
            {'group': 'g', 'like': 'a', 'points': [{'x': 1}]},
            'moves the tips of all chains of g, each like a, to x: 1',
        ),
        ({'group': 'g', 'chains': ['a'], 'pose': 'rest'}, 'moves joints of a to the pose rest'),
        ({'group': 'g', 'joints': [{'knee': 1}]}, 'moves all joints of g to knee: 1'),
    ],
)
def test_every_kind_of_move_is_told_in_words(move, words):
    """The words say what moves and where to."""
    duration = {} if 'gait' in move else {'duration': 1}
    (read,) = SubAction.model_validate({'name': 'a', 'moves': [move], **duration}).moves
    assert told(read) == words
