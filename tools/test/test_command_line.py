"""The commands answer mistakes with one clear message."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from softshell_bringup.arguments import ARGUMENTS
from softshell_bringup.domain import claim, free_domain
from softshell_tools.cli import app, chosen_parts, main
from softshell_tools.parts import NAMED_PATHS, PARTS
from softshell_tools.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = [command.name or command.callback.__name__ for command in app.registered_commands]


def softshell(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    plain = {'NO_COLOR': '1', 'COLUMNS': '200', 'TERM': 'dumb'}
    return subprocess.run(
        [sys.executable, '-m', 'softshell_tools.cli', *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **plain, **environment},
    )


def test_help_lists_the_commands():
    """--help names every command, and each has help of its own."""
    text = softshell('--help').stdout
    assert all(re.search(rf'^│ {command} ', text, re.MULTILINE) for command in COMMANDS)
    for command in ('up', 'demo'):
        text = softshell(command, '-h').stdout
        assert all(f'{argument.name}:=' in text for argument in ARGUMENTS)
    for command, takes in (('teleop', ['namespace']), ('action', ['robot', 'namespace'])):
        text = softshell(command, '-h').stdout
        listed = [argument.name for argument in ARGUMENTS if f'\n {argument.name}:=' in text]
        assert listed == takes


@pytest.mark.parametrize('encoding', ['ascii', 'latin-1'])
def test_a_terminal_that_does_not_know_a_letter_is_no_error(encoding):
    """It shows the letter's code instead."""
    said = softshell('up', '--show-args', PYTHONIOENCODING=encoding, COLUMNS='80')
    assert said.returncode == 0, said.stderr
    assert '\\u2026' in said.stdout


def test_the_entry_script_lists_the_same_commands():
    """Help before the first use, when nothing is installed, names the same commands, each once."""
    listed = re.findall(r'^  ([a-z-]+) +\S', (ROOT / 'softshell').read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(COMMANDS)


@pytest.mark.parametrize('name', [name for name in COMMANDS if name != 'setup'])
def test_help_says_all_that_is_written(name):
    """Nothing of it is read as markup, which would swallow units and defaults in brackets."""
    wide = {'COLUMNS': '400', 'NO_COLOR': '1', 'TERM': 'dumb'}
    shown = ' '.join(CliRunner().invoke(app, [name, '--help'], env=wide).stdout.split())
    command = typer.main.get_command(app).commands[name]
    assert ' '.join(command.help.split()) in shown
    for parameter in command.params:
        assert parameter.help in shown
        if isinstance(parameter.show_default, str):
            assert f'[default: ({parameter.show_default})]' in shown


@pytest.mark.parametrize(
    ('arguments', 'said'),
    [
        (('up', 'bridg:=sim'), "unknown argument 'bridg'; did you mean bridge? known: "),
        (('up', 'namespace:=a b'), "namespace is 'a b'; expected names of letters, digits and _"),
        (('up', 'real_time_factor:=1e-9'), "is '1e-9'; expected 0, or a number from 0.01 to 100"),
        (('up', 'bridge:=wings'), 'expected sim or mock'),
        (('up', 'sim'), "'sim': expected name:=value"),
        (('up', '--bridge=sim'), 'did you mean bridge:=sim?'),
        (('up', 'bridge:=sim', 'bridge:=mock'), 'given twice'),
        (('demo', 'quadruped'), "'quadruped': expected name:=value"),
        (('demo', 'bridge=mock'), 'did you mean bridge:=mock?'),
        (('demo', '--bridge', 'mock'), 'No such option: --bridge'),
        (('test', '--part', 'wings'), "unknown part 'wings'; known: lint, unit"),
        (('test', '--all', '--part', 'unit'), 'expected it without --part'),
        (('test', 'unit'), "'unit' is a part; expected --part unit"),
        (('test', 'tests/nothing.py'), "there is no file or folder 'tests/nothing.py' of tests"),
        (('test', '--all', 'tests/system'), '--all comes with tests/system; expected only one'),
        (
            ('test', '--part', 'unit', 'tests'),
            '--part unit comes with tests; expected only one of the two',
        ),
        (('setup', 'wings'), "unknown set 'wings'; known: core"),
        (('bench', 'nothing'), "unknown benchmark 'nothing'"),
        (('action', 'walk', 'length:=far'), 'expected a number'),
        (('action', 'walk', '0.5'), "'0.5': expected name:=value"),
        (('action', 'walk', 'namespace:=1a'), "namespace is '1a'; expected names of letters"),
        (('action', 'distance:=1'), 'distance: expected the name of an action as well'),
        (('set', 'namespace:=one'), 'expected the name of a node'),
        (('set', '/'), 'expected the name of a node'),
        (('teleop', 'namespace:=1a'), "namespace is '1a'; expected names of letters"),
        (('teleop', 'robot:=arm'), "unknown argument 'robot'; known: namespace"),
        (('fly',), 'fly'),
    ],
)
def test_a_mistake_is_one_message_and_a_bad_status(arguments, said, monkeypatch, capsys):
    """What is wrong, and what is valid; nothing is started."""
    for name, value in {'NO_COLOR': '1', 'COLUMNS': '200', 'TERM': 'dumb'}.items():
        monkeypatch.setenv(name, value)
    for begins in ('os.execv', 'softshell_bringup.runner.Stack.start'):
        monkeypatch.setattr(begins, lambda *_: pytest.fail('it starts something'))
    monkeypatch.setattr(sys, 'argv', ['./softshell', *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in (1, 2)
    assert said in capsys.readouterr().err


def test_a_mistake_leaves_no_traceback():
    """Of a process of its own."""
    run = softshell('demo', '--scenario', 'nothing.yaml')
    assert run.returncode in (1, 2)
    known = 'carry, demo, grasp, rough, tour; or the path of a file'
    assert f"unknown scenario 'nothing.yaml'; known: {known}" in run.stderr
    assert 'Traceback' not in run.stderr


@pytest.mark.parametrize(
    'words',
    ['action walk', 'action', 'teleop', 'record', 'replay out/none', 'inject elbow dead',
     'reboot elbow'],
)  # fmt: skip
def test_a_wrong_domain_is_one_error(words, monkeypatch):
    """Of every command that talks to a stack, as of `up`, which starts one."""
    monkeypatch.setattr('os.execv', lambda *_: pytest.fail('it starts a node'))
    for domain in ('abc', '300'):
        monkeypatch.setenv('ROS_DOMAIN_ID', domain)
        error = CliRunner().invoke(app, words.split()).exception
        assert str(error) == (
            f'ROS_DOMAIN_ID is {domain!r}; expected a whole number from 0 to 232'
        )


def test_the_help_of_a_benchmark_installs_nothing(monkeypatch):
    """Without the sets that it needs, what it is for, and what installs them."""
    monkeypatch.setattr(Workspace, 'has_set', lambda workspace, name: False)
    for begins in ('set_up', 'os.execv'):
        monkeypatch.setattr(
            f'softshell_tools.bench_command.{begins}',
            lambda *_: pytest.fail('it begins something'),
        )
    shown = CliRunner().invoke(app, ['bench', 'environments', '--help'])
    assert shown.exit_code == 0, shown.output
    assert shown.output.startswith('What environments cost')
    assert './softshell setup studies, then this again' in shown.output


def test_the_help_of_a_benchmark_is_no_output_that_is_kept(monkeypatch):
    """With --record it is shown as without it."""
    begun = []
    monkeypatch.setattr('softshell_tools.figures.record', lambda *_: pytest.fail('it is kept'))
    monkeypatch.setattr('os.execv', lambda program, words: begun.append(words[2:]))
    for words in (['--help', '--record'], ['--record', '-h']):
        shown = CliRunner().invoke(app, ['bench', 'client_import', *words])
        assert shown.exit_code == 0, shown.output
    assert begun == [['--help'], ['-h']]


def test_the_parts_of_a_test_run():
    """Lint, unit and system by default; --all has all; --part one; paths stand alone."""
    assert chosen_parts(['-k', 'gate'], [], False) == ['lint', 'unit', 'system']
    assert chosen_parts(['--junitxml', 'out/tests.xml'], [], False) == ['lint', 'unit', 'system']
    assert chosen_parts([], [], True) == [*PARTS]
    assert chosen_parts([], ['system', 'lint'], False) == ['lint', 'system']
    assert chosen_parts(['tests/system', '-x'], [], False) == ['lint', NAMED_PATHS]


def test_the_parts_are_listed():
    """The help of `test` names every part with what it checks."""
    text = softshell('test', '--help').stdout
    assert all(f' {name}: {what}' in text for name, what in PARTS.items())


@pytest.mark.long
@pytest.mark.parametrize('words', [('namespace:=one',), ('wave', 'namespace:=/one/')])
def test_an_action_is_asked_for_in_the_namespace_that_is_given(words):
    """`namespace:=` is no parameter of the action, and needs no name of one."""
    run = softshell('action', *words, ROS_DOMAIN_ID=str(free_domain()))
    assert run.returncode == 1
    assert 'no action manager in namespace /one within 10 s' in run.stderr


@pytest.mark.parametrize(
    ('words', 'asks'),
    [
        ('call /one/bridge/reset namespace:=one', 'call.call'),
        ('set /one/bridge speed:=1 namespace:=one', 'tune.set_parameters'),
        ('set /one/bridge namespace:=one', 'tune.list_parameters'),
    ],
)
def test_a_full_name_stays_one(words, asks, monkeypatch):
    """What begins with a slash is not taken for a name in the namespace."""
    told = []
    monkeypatch.setattr(f'softshell_client.ros.{asks}', lambda *given: told.append(given) or 0)
    assert CliRunner().invoke(app, words.split()).exit_code == 0
    ((name, *_, namespace),) = told
    assert (name, namespace) == (words.split()[1], 'one')


def test_the_keyboard_gets_the_namespace_and_what_is_meant_for_ros(monkeypatch):
    """`namespace:=` becomes its remapping; words after --ros-args are passed on as they are."""
    replaced = []
    monkeypatch.setattr('os.execv', lambda program, command: replaced.append(command))
    runner = CliRunner()
    for words in (
        ['teleop', 'namespace:=/one/', '--ros-args', '-p', 'key_map:=keys.yaml'],
        ['teleop'],
    ):
        assert runner.invoke(app, words).exit_code == 0
    assert replaced[0][2:] == [
        '--ros-args', '-r', '__ns:=/one', '--ros-args', '-p', 'key_map:=keys.yaml',
    ]  # fmt: skip
    assert len(replaced[1]) == 2


def test_the_doctor_sees_stacks_in_every_namespace():
    """A stack that runs with namespace:=one is reported with its namespace and process."""
    domain = free_domain()
    with claim(domain, 'one'):
        text = softshell('doctor', ROS_DOMAIN_ID=str(domain)).stdout
    assert f'running in namespace one, process {os.getpid()}' in text


def test_the_doctor_goes_on_whatever_is_wrong():
    """A domain that is none is a finding like any other, with what helps."""
    run = softshell('doctor', ROS_DOMAIN_ID='abc')
    assert run.returncode == 1
    assert "ROS_DOMAIN_ID is 'abc'; expected a whole number from 0 to 232" in run.stdout
    assert 'Traceback' not in run.stdout + run.stderr


def test_an_interrupted_demo_says_so(monkeypatch, tmp_path):
    """One line and status 130, whatever it was doing."""

    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr('softshell_recording.demo.main', interrupted)
    result = CliRunner().invoke(app, ['demo', '--output', str(tmp_path / 'out')])
    assert result.exit_code == 130
    assert 'interrupted' in result.output


@pytest.mark.parametrize('path', ['', '  '])
def test_an_output_without_a_path_is_refused(path):
    """It would be the folder in which the user happens to stand."""
    result = softshell('demo', '--output', path)
    assert result.returncode == 2
    assert 'is no path; expected a folder' in result.stderr
