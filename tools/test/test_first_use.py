"""What the first use says of the place of a checkout, and of how long it takes."""

import contextlib
import os
import sys
from pathlib import Path

import pytest

from softshell_tools import first_use
from softshell_tools.requirement_sets import CORE
from softshell_tools.steps import Steps
from softshell_tools.workspace import Workspace, write_stamp


@pytest.mark.parametrize('name', ['a;b', 'tab\there', 'cost$', 'say "hi"'])
def test_a_path_that_the_build_cannot_take_is_refused_at_once(tmp_path, name):
    """The error names the path and what is wrong with it, before anything is installed."""
    root = tmp_path / name
    root.mkdir()
    with pytest.raises(SystemExit, match='the path of this checkout') as caught:
        first_use.set_up(Workspace(root))
    assert str(root) in str(caught.value)
    assert list(root.iterdir()) == []


def test_a_set_up_says_how_long_it_usually_takes():
    """In seconds, or in minutes that are rather too many."""
    assert [first_use.in_words(t) for t in (15, 60, 61, 600)] == [
        '15 s', '1 minute', '2 minutes', '10 minutes',
    ]  # fmt: skip


def test_each_step_says_which_of_all_it_is_and_its_usual_time(workspace, capsys):
    """What is not planned, or runs beside others, says its title alone."""
    lock = os.open(workspace.root, os.O_RDONLY)
    steps, done = Steps(workspace, lock), (['true'], None)
    steps.plan = {'requirements, core': 40, 'workspace': 140}
    steps.run('requirements, core', *done)
    long = (['sh', '-c', 'until [ -e enough ]; do sleep 0.1; done'], None)
    with steps.beside({'solvers, compiled': long}):
        steps.run('workspace', *done)
        (workspace.root / 'enough').touch()
    os.close(lock)
    begun = [line for line in capsys.readouterr().err.splitlines() if line.endswith('...')]
    assert begun == [
        '  requirements, core (1 of 2, usually 40 s) ...',
        '  solvers, compiled ...',
        '  workspace (2 of 2, usually 3 minutes) ...',
        '  solvers, compiled ...',
    ]


@pytest.mark.parametrize(
    ('name', 'reason'),
    [('SIGKILL', r' \(Linux does this when memory runs out\)'),
     ('SIGILL', r' \(this processor lacks an instruction\)'), ('SIGTERM', ''),
     ('signal 40', '')],
)  # fmt: skip
def test_a_step_that_a_signal_has_ended_says_which(workspace, name, reason):
    """And what has usually sent it; a signal without a name by its number."""
    lock = os.open(workspace.root, os.O_RDONLY)
    sent = name.removeprefix('SIG').removeprefix('signal ')
    with pytest.raises(SystemExit, match=f'"a step" was ended by {name}{reason}; all of'):
        Steps(workspace, lock).run('a step', ['sh', '-c', f'kill -{sent} $$'], None)
    os.close(lock)


@pytest.mark.parametrize(('kind', 'live'), [('xterm', True), ('dumb', False)])
def test_a_line_is_rewritten_where_the_terminal_can(workspace, monkeypatch, capsys, kind, live):
    """A dumb one would show the codes."""
    monkeypatch.setenv('TERM', kind)
    monkeypatch.setattr(sys.stderr, 'isatty', lambda: True)
    lock = os.open(workspace.root, os.O_RDONLY)
    Steps(workspace, lock).run('a step', ['true'], None)
    os.close(lock)
    assert ('\r\033[K' in capsys.readouterr().err) == live


class Noted:
    """Stands for `Steps`: notes the titles of what is run."""

    def __init__(self):
        self.titles = []

    def run(self, title, command, environment):
        self.titles.append(title)
        if 'venv' in command:
            Path(command[-1], 'bin').mkdir(parents=True, exist_ok=True)
            Path(command[-1], 'bin', 'python').touch()

    def beside(self, commands):
        return contextlib.nullcontext()


@pytest.mark.parametrize('version', [[3, 11], [3, 12]])
def test_the_steps_that_are_planned_are_those_that_are_done(workspace, monkeypatch, version):
    """In their order; afterwards only what is lacking, and in the end nothing."""
    steps = Noted()
    python = {'executable': '/other', 'version': version}
    monkeypatch.setattr(first_use, 'Steps', lambda *_: steps)
    monkeypatch.setattr(first_use, 'checked_python', lambda *_: python)

    def build(workspace, steps):
        steps.titles.append('workspace')
        write_stamp(workspace.built_stamp, key=workspace.build_key(), prepend={
            'PYTHONPATH': [str(workspace.root / 'src/p')],
        })  # fmt: skip

    monkeypatch.setattr(first_use, 'build', build)
    workspace.stamp_of(CORE).unlink()
    first_use.set_up(workspace, ['pybullet', 'bench'])
    assert steps.titles == [*steps.plan]
    assert len(steps.titles) == 6
    assert steps.plan['requirements, pybullet'] == (5 if version == [3, 11] else 540)
    steps.titles.clear()
    first_use.set_up(workspace, ['test'])
    assert steps.titles == [*steps.plan] == ['requirements, test']
    assert first_use.planned(workspace, ['test', 'bench']) == {}


def test_a_new_interpreter_takes_all_sets_along(workspace, monkeypatch):
    """What was installed with the old one is planned again, and so is the build."""
    write_stamp(workspace.stamp_of('test'), key=workspace.key_of('test'))
    assert first_use.planned(workspace, ['test']) == {}
    monkeypatch.setenv('SOFTSHELL_PYTHON', '/other/python')
    python = {'executable': '/other/python', 'version': [3, 12]}
    monkeypatch.setattr(first_use, 'checked_python', lambda *_: python)
    assert [*first_use.planned(workspace, ['test'])] == [
        'Python 3.12 in .venv', 'requirements, core', 'requirements, test', 'workspace',
    ]  # fmt: skip
