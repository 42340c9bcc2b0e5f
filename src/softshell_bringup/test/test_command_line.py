"""The commands answer mistakes with one clear message."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from softshell_bringup.checks import lint_checks, test_check
from softshell_bringup.nodes import ARGUMENTS
from softshell_bringup.runner import Stack
from softshell_common.errors import SoftshellError

ROOT = Path(__file__).resolve().parents[3]
COMMANDS = ('demo', 'test', 'up', 'teleop', 'action', 'doctor', 'bench')
test_check.__test__ = False  # not a test


def softshell(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, '-m', 'softshell_bringup.cli', *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, 'NO_COLOR': '1', 'COLUMNS': '200', 'TERM': 'dumb'},
    )


def test_help_lists_the_commands():
    """--help names every command, and each has help of its own."""
    text = softshell('--help').stdout
    assert all(command in text for command in COMMANDS)
    assert all(f'{argument.name}:=' in softshell('up', '-h').stdout for argument in ARGUMENTS)


def test_the_entry_script_lists_the_same_commands():
    """Help before the first use, when nothing is installed, names the same commands."""
    text = (ROOT / 'softshell').read_text()
    assert all(f'\n  {command} ' in text for command in COMMANDS)


@pytest.mark.parametrize(
    ('arguments', 'said'),
    [
        (('up', 'bridg:=sim'), 'known: bridge, gui'),
        (('up', 'bridge:=hardware'), 'expected sim or mock'),
        (('up', 'sim'), 'expected name:=value'),
        (('up', 'bridge:=sim', 'bridge:=mock'), 'given twice'),
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


def test_a_missing_executable_is_named():
    """A row whose package is not built says which."""
    from softshell_bringup.nodes import NodeRow

    with pytest.raises(SoftshellError, match='no_such_package'):
        Stack(rows=(NodeRow('no_such_package', 'node', 'node'),))


def test_pytest_runs_all_tests_unless_told_which(tmp_path):
    """Without a path all test folders are run; long tests only when asked for."""
    (tmp_path / 'src' / 'a' / 'test').mkdir(parents=True)
    (tmp_path / 'tests').mkdir()
    every = test_check(tmp_path, ['-k', 'gate'], long=False).command
    assert every[-2:] == (str(tmp_path / 'src/a/test'), str(tmp_path / 'tests'))
    assert 'not long' in every
    one = test_check(tmp_path, ['src/a/test'], long=True).command
    assert one[-1] == 'src/a/test'
    assert 'not long' not in one


def test_checks_cover_the_entry_script():
    """The entry script has no extension, so it is named to ruff."""
    checks = lint_checks(ROOT)
    assert [check.name for check in checks] == ['ruff check', 'ruff format', 'mypy']
    assert all('softshell' in check.command for check in checks[:2])
