"""The commands answer mistakes with one clear message."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from softshell_bringup.nodes import ARGUMENTS
from softshell_tools.cli import chosen_parts
from softshell_tools.parts import NAMED_PATHS, PARTS

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = ('demo', 'test', 'up', 'teleop', 'action', 'doctor', 'bench', 'setup')


def softshell(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, '-m', 'softshell_tools.cli', *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, 'NO_COLOR': '1', 'COLUMNS': '200', 'TERM': 'dumb'},
    )


def test_help_lists_the_commands():
    """--help names every command, and each has help of its own."""
    text = softshell('--help').stdout
    assert all(command in text for command in COMMANDS)
    for command in ('up', 'demo'):
        text = softshell(command, '-h').stdout
        assert all(f'{argument.name}:=' in text for argument in ARGUMENTS)


def test_the_entry_script_lists_the_same_commands():
    """Help before the first use, when nothing is installed, names the same commands."""
    text = (ROOT / 'softshell').read_text()
    assert all(f'\n  {command} ' in text for command in COMMANDS)


@pytest.mark.parametrize(
    ('arguments', 'said'),
    [
        (('up', 'bridg:=sim'), "unknown argument 'bridg'; known: "),
        (('up', 'bridge:=wings'), 'expected sim or mock'),
        (('up', 'sim'), "'sim': expected name:=value"),
        (('up', '--bridge=sim'), 'did you mean bridge:=sim?'),
        (('up', 'bridge:=sim', 'bridge:=mock'), 'given twice'),
        (('demo', 'quadruped'), "'quadruped': expected name:=value"),
        (('demo', 'bridge=mock'), 'did you mean bridge:=mock?'),
        (('demo', '--bridge', 'mock'), 'No such option: --bridge'),
        (
            ('demo', '--scenario', 'nothing.yaml'),
            "'nothing.yaml': expected a file, or a robot's folder",
        ),
        (('test', '--part', 'wings'), "unknown part 'wings'; known: lint, unit"),
        (('test', '--all', '--part', 'unit'), 'expected it without --part'),
        (('test', '--all', 'tests/system'), 'expected either paths'),
        (('setup', 'wings'), "unknown set 'wings'; known: core"),
        (('bench', 'nothing'), "unknown benchmark 'nothing'"),
        (('action', 'walk', 'length:=far'), 'expected a number'),
        (('fly',), 'fly'),
    ],
)
def test_a_mistake_is_one_message_and_a_bad_status(arguments, said):
    """No traceback, but what is wrong and what is valid."""
    run = softshell(*arguments)
    assert run.returncode in (1, 2)
    assert said in run.stderr
    assert 'Traceback' not in run.stderr


def test_the_parts_of_a_test_run():
    """Lint, unit and system by default; --all has all; --part one; paths stand alone."""
    assert chosen_parts(['-k', 'gate'], [], False) == ['lint', 'unit', 'system']
    assert chosen_parts([], [], True) == [*PARTS]
    assert chosen_parts([], ['system', 'lint'], False) == ['lint', 'system']
    assert chosen_parts(['tests/system', '-x'], [], False) == ['lint', NAMED_PATHS]


def test_the_parts_are_listed():
    """--list-parts names every part with what it checks."""
    text = softshell('test', '--list-parts').stdout
    assert all(f'{name} ' in text and what in text for name, what in PARTS.items())
