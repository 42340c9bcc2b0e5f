"""`./softshell action` tells of actions without a robot that runs."""

import shutil

import pytest
from typer.testing import CliRunner

from softshell_actions.rehearsal import Rehearsal
from softshell_description.load import load_robot
from softshell_description.robots import robot_folder
from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_tools.cli import app
from softshell_tools.installation import ROOT


def told(*words):
    """What the command prints, which ends well."""
    result = CliRunner(env={'COLUMNS': '160'}).invoke(app, ['action', *words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_actions_are_listed_with_their_parameters():
    """All of the robot that is meant, each parameter with its numbers, unit and meaning."""
    text = told('--list', 'robot:=arm')
    rows = [[cell.strip() for cell in line.split('│')[1:-1]] for line in text.splitlines()]
    assert [row[0] for row in rows if row and row[0]] == ['draw', 'home', 'reach', 'wave']
    assert ['', 'times', '2', '0', '20', '1', 'how often'] in rows
    assert 'stride' in told('--list')


def test_an_action_is_described():
    """What it requires, how long it takes, its parameters and its sub-actions."""
    text = told('--describe', 'walk', 'robot:=quadruped')
    assert text.startswith('walk of quadruped: Walk a distance in a straight line.')
    for part in (
        'requires  standing and not scattered; otherwise stand comes first',
        'takes     19.5 s with the defaults: stride × 42, settle',
        '│ distance  │ 0.3     │ -5    │ 5    │ m    │ how far',
        '│ use stride │ 32 = cycles * gait_parts',
        'quadruped/actions/walk.yaml',
    ):
        assert part in text, part


def test_the_robot_of_a_file_need_not_be_named(tmp_path):
    """It is the one in whose folder the file is; another one can be named."""
    folder = tmp_path / 'mine'
    shutil.copytree(robot_folder('arm'), folder)
    path = folder / 'actions' / 'wave.yaml'
    for words in ((folder,), (folder / 'actions',), (path,)):
        assert f'{words[0]}: all right for mine' in told('--check', *map(str, words))
    assert told('--check', str(folder / 'robot.yaml')) == told('--check', str(folder))
    assert told('--check', str(path)).startswith('wave: takes 1.6 s\n')
    with pytest.raises(ProblemsError, match=r"line 10: .*unknown group 'arm'"):
        told('--check', str(path), 'robot:=shell')
    text = path.read_text(encoding='utf-8')
    path.write_text(text.replace('times', 'time', 1).replace('0.8', '0', 1), encoding='utf-8')
    with pytest.raises(ProblemsError) as caught:
        told('--check', str(folder))
    assert [problem.split(': ')[:2] for problem in caught.value.problems] == [
        ['actions/wave.yaml', 'line 7'],
        ['actions/wave.yaml', 'line 8'],
    ]


@pytest.mark.parametrize('by_file', [False, True])
def test_a_preview_is_written_where_it_is_wanted(tmp_path, by_file):
    """Of an action by its name or its file, with parameters, beginning in a pose."""
    what = str(load_robot('arm').folder / 'actions' / 'home.yaml') if by_file else 'home'
    path = tmp_path / 'home.gif'
    words = ('--preview', what, 'duration:=0.5', '--pose', 'reach', '--output', str(path))
    text = told(*words, *(() if by_file else ('robot:=arm',)))
    assert text.strip().endswith(f'home takes 0.5 s: {path}')
    assert path.read_bytes()[:6] == b'GIF89a'


@pytest.mark.long
def test_a_preview_follows_the_gait_that_is_chosen(tmp_path):
    """It takes as long as that does, which is not as long as without."""
    words = ('--preview', 'walk', 'distance:=0.02', '--pose', 'stand')
    lengths = []
    for gait in ('', 'wave', 'quick'):
        path = tmp_path / f'walk{gait}.gif'
        text = told(*words, *([f'gait:={gait}'] if gait else ()), '--output', str(path))
        lengths.append(text.split(' takes ')[1].split(' s')[0])
        assert path.exists()
    parts = list(
        Rehearsal(load_robot('shell'), 'stand').perform('walk', {'distance': 0.02}, 'wave')
    )
    assert lengths[1] == f'{sum(part.plan.times[-1] for part in parts):.1f}'
    assert len(set(lengths)) == 3


def test_a_schema_is_printed_or_written(tmp_path):
    """The same text both ways, which is the one that is published."""
    path = tmp_path / 'new' / 'gait.json'
    told('--schema', 'gait', '--output', str(path))
    assert told('--schema', 'gait') == path.read_text(encoding='utf-8')
    assert path.read_bytes() == (ROOT / 'config' / 'schema' / 'gait.json').read_bytes()


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        (('--describe', 'wlak'), "unknown action 'wlak'; did you mean walk?"),
        (('--list', 'robot:=amr'), "unknown robot 'amr'; did you mean arm?"),
        (('--preview', 'walk', 'distnace:=1'), "'distnace'; did you mean distance?"),
        (('--preview', 'walk', 'distance:=far'), "distance is 'far'; expected a number"),
        (('--preview', 'walk', 'gait:=wvae'), "walk: unknown gait 'wvae'; did you mean wave?"),
        (('--preview', 'stand', 'gait:=wave'), "stand: gait is 'wave'; expected none"),
        (('--preview', 'walk', '--pose', 'stnad'), "unknown pose 'stnad'; did you mean stand?"),
        (('--preview', 'walk', '--output', 'walk.png'), r'walk\.png: expected a name that ends'),
        (('--preview', 'nothing.yaml'), "there is no file or folder 'nothing.yaml'"),
        (('--schema', 'gaits'), "unknown kind of file 'gaits'; did you mean gait?"),
        (('--check', 'nothing.yaml'), "there is no file or folder 'nothing.yaml'"),
    ],
)
def test_a_mistake_is_one_error(words, said):
    """With the nearest of the known names."""
    with pytest.raises(SoftshellError, match=said):
        told(*words)


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        (('--list', '--describe', 'walk'), '--list and --describe: expected only one of them'),
        (('walk', '--output', 'walk.gif'), '--output: expected --preview or --schema as well'),
        (('--list', '--pose', 'stand'), '--pose: expected --preview as well'),
        (('--list', 'namespace:=one'), '--list needs no running robot; expected no namespace'),
        (('--describe', 'walk', 'distance:=1'), "unknown argument 'distance'; known: robot"),
        (('--list', 'walk'), "'walk': expected name:=value"),
    ],
)
def test_words_that_do_not_go_together_are_refused(words, said):
    """With what was expected, and status 2."""
    result = CliRunner(env={'COLUMNS': '160', 'NO_COLOR': '1'}).invoke(app, ['action', *words])
    assert result.exit_code == 2
    assert said in result.output
