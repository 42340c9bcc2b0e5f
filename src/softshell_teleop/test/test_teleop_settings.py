"""The key map and what is shown of it."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softshell_kinematics.errors import ProblemsError
from softshell_teleop.offer import Offer, offer_of
from softshell_teleop.screen import Reading, clipped, help_text, key_table, status_text
from softshell_teleop.settings import Binding, load_settings

settings.register_profile('shared machine', deadline=None)
settings.load_profile('shared machine')

PATH = Path(__file__).parents[3] / 'config/teleop.yaml'


def problems_of(tmp_path, *changes):
    """Problems of the installed key map with some of its text replaced."""
    text = PATH.read_text(encoding='utf-8')
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path = tmp_path / 'map.yaml'
    path.write_text(text, encoding='utf-8')
    with pytest.raises(ProblemsError) as caught:
        load_settings(path)
    assert caught.value.subject == str(path)
    return caught.value.problems


def line_of(text):
    lines = PATH.read_text(encoding='utf-8').split('\n')
    return 1 + next(index for index, line in enumerate(lines) if line.startswith(text))


def test_the_installed_key_map_has_the_keys_of_the_specification():
    """The installed key map is valid and has the keys of the robot's specification."""
    bindings = load_settings(PATH).bindings
    expected = {
        'w': 'forward',
        's': 'backward',
        'a': 'left',
        'd': 'right',
        'q': 'turn_left',
        'e': 'turn_right',
        'u': 'raise',
        'l': 'lower',
        'up': 'tilt_forward',
        'h': 'help',
        'k': 'keys',
        'x': 'exit',
        'ctrl-d': 'exit',
    }
    assert {key: bindings[key].command for key in expected} == expected
    assert bindings['i'] == Binding('action', 'idle')
    assert bindings['t'] == Binding('action', 'stand')


def test_dead_man_outlasts_the_delay_of_usual_terminals():
    """The installed times outlast 0.66 s before, and 0.1 s between repeats."""
    hold = load_settings(PATH).hold
    assert hold.first > 0.66
    assert hold.first > hold.repeat > 0.1


def test_all_problems_at_once(tmp_path):
    """Wrong types, ranges, names, unknown entries and double keys are listed together by line."""
    problems = problems_of(
        tmp_path,
        ('forward: [w] ', 'forward: [ww] '),
        ('backward: [s]', 'backwards: [s]'),
        ('idle: [i]', 'idle: [X]'),
        ('linear: 0.06', 'linear: fast'),
        ('height_step: 0.005', 'height_step: 0.5'),
    )
    for start, text in (
        ('  forward:', 'no key; expected one character or one of: backspace'),
        ('  backward:', 'backwards'),
        ('  idle:', "'X' is already bound to keys.exit"),
        ('  linear:', 'linear'),
        ('  height_step:', 'posture.height_step'),
    ):
        line = f'line {line_of(start)}: '
        assert any(one.startswith(line) and text in one for one in problems), (line, problems)
    assert any('keys.backward' in one and 'required' in one for one in problems)


@pytest.mark.parametrize(
    ('old', 'new', 'expected'),
    [
        ('repeat: 0.25', 'repeat: 0.9', 'is 0.9; expected less than hold.first, which is'),
        ('left: [a]  ', 'left: [Ctrl-C]  ', 'always exits'),
        ('level: [c]', 'level: [0]', 'keys.level'),
        ('stop: [space]', 'stop: [space, Escape]', 'cannot be told from the beginning'),
        ('rate: 20.0', 'rate: .nan', 'rate'),
        ('  linear: 0.06', '  linear: .inf', 'linear'),
        ('  linear: 0.06', '  linear: true', 'drive.linear: is true; expected a number'),
        ('  linear: 0.06', "  linear: '0.1'", "drive.linear: is '0.1'; expected a number"),
        ('repeat: 0.25', "repeat: '0.25'", "hold.repeat: is '0.25'; expected a number"),
    ],
)
def test_each_kind_of_nonsense_is_named(tmp_path, old, new, expected):
    """Each kind of nonsense is named."""
    assert any(expected in one for one in problems_of(tmp_path, (old, new)))


@pytest.mark.parametrize('text', ['', '[]', 'keys: 3', 'keys: {forward: w}', 'actions: [1]', '{'])
def test_no_key_map_at_all(tmp_path, text):
    """A file of another shape is refused with problems, not with a traceback."""
    path = tmp_path / 'map.yaml'
    path.write_text(text, encoding='utf-8')
    with pytest.raises(ProblemsError):
        load_settings(path)


def test_a_missing_file_is_named(tmp_path):
    """A missing file is named."""
    with pytest.raises(ProblemsError, match=r'nowhere\.yaml'):
        load_settings(tmp_path / 'nowhere.yaml')


def test_table_shows_every_key():
    """Each command and action stands in the table of keys, within 60 columns."""
    settings = load_settings(PATH)
    table = key_table(settings)
    words = [*settings.keys.model_dump(by_alias=True), *settings.actions]
    for word in words:
        assert re.search(rf'\b{word.replace("_", " ")}\b', table), word
    assert max(len(line) for line in table.split('\n')) <= 60
    assert max(len(line) for line in help_text(settings).split('\n')) <= 72


def test_an_action_may_have_the_name_of_a_command():
    """Each then stands in the table with its own key."""
    settings = load_settings(PATH).model_copy(update={'actions': {'raise': ('r',)}})
    for key in 'UR':
        assert re.search(rf'\b{key} +raise\b', key_table(settings)), key


def test_keys_that_this_robot_has_no_use_for_are_not_in_the_table():
    """Actions, postures and velocities are shown where the robot takes them, in the same order."""
    settings = load_settings(PATH)
    rests = Offer(frozenset({'idle', 'wave'}), walks=False, poses=False)
    titles = [line[2:10].strip() for line in key_table(settings, rests).split('\n')]
    assert titles == ['action', 'other', '', '']
    assert re.search(r'^  action  I +idle$', key_table(settings, rests), re.MULTILINE)
    for word in ('stand', 'wave', 'raise', 'forward', 'faster'):
        assert word not in help_text(settings, rests)
    walks = key_table(settings, Offer(frozenset(), walks=True, poses=False))
    titles = [line[2:10].strip() for line in walks.split('\n')]
    assert titles == ['walk', '', '', 'speed', 'other', '', '']
    everything = Offer(frozenset({'idle', 'stand', 'close', 'open'}), gaits=('wave', 'tripod'))
    assert key_table(settings, everything) == key_table(settings)


def action(name, **ranges):
    """An action as `list_actions` tells it, with ranges by parameter."""
    parameters = [
        SimpleNamespace(name=key, minimum=low, maximum=high) for key, (low, high) in ranges.items()
    ]
    return SimpleNamespace(name=name, parameters=parameters)


def test_ranges_are_those_of_the_action_that_poses_the_base():
    """It is known by its coordinates, whatever it is called; where it is unclear, none are."""
    pose = action('crouch', x=(-1, 1), z=(0.0, 0.2), pitch=(-0.3, 0.3), roll=(-0.2, 0.2))
    others = [action('lift', z=(0.0, 0.1)), action('wave', times=(1, 10))]
    offer = offer_of([*others, pose], walks=False, poses=True)
    names = frozenset({'lift', 'wave', 'crouch'})
    assert offer == Offer(names, False, True, (0.0, 0.2), (-0.2, 0.2), (-0.3, 0.3))
    assert offer_of([], True, True, ['trot', 'crawl']).gaits == ('trot', 'crawl')
    lean = action('lean', z=(0, 1), pitch=(0, 1), roll=(0, 1))
    for unclear in (others, [pose, lean]):
        assert offer_of(unclear, walks=True, poses=True).height == (-np.inf, np.inf)


@given(text=st.text(max_size=60), columns=st.integers(0, 50))
def test_clipped_is_one_printable_line(text, columns):
    """The status line never wraps and never moves the cursor."""
    shown = clipped(text, columns)
    assert len(shown) <= columns
    assert all(character.isprintable() for character in shown)


def test_the_status_tells_the_pose_or_that_there_is_none():
    """The status tells the pose in metres and degrees, or that there is none."""
    reading = Reading(1.234, -0.5, 0.141, 0.0, np.radians(-2.5), np.radians(90), 0.0)
    text = status_text(reading, 1.0, 'forward')
    assert 'height 0.141 m' in text
    assert '-2.5' in text
    assert '+90.0°' in text
    assert '+1.23 -0.50 m' in text
    assert text.endswith('forward')
    assert 'waiting for odom' in status_text(None, 1.0, '')
    assert 'no odom for 7 s' in status_text(Reading(0, 0, 0, 0, 0, 0, 7.0), 1.0, '')
