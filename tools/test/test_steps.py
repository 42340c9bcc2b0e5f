"""The commands of the set-up: one that fails is told, and none outlives it."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from softshell_tools import build, first_use
from softshell_tools.steps import Steps


def test_a_failed_step_shows_its_output_and_leaves_no_stamp(workspace, capsys):
    """A failing command ends the set-up with its output and where all of it is."""
    lock = os.open(workspace.root, os.O_RDONLY)
    steps = Steps(workspace, lock)
    with pytest.raises(SystemExit, match=r'log/setup/a-step\.log'):
        steps.run('a step', ['sh', '-c', 'echo the reason; exit 3'], None)
    assert 'the reason' in capsys.readouterr().err
    os.close(lock)


@pytest.mark.parametrize('failing', ['asked', 'beside'])
def test_what_runs_beside_others_ends_with_them(workspace, failing, capsys):
    """Whichever fails is told, and nothing goes on behind the back of someone who reads that."""
    lock = os.open(workspace.root, os.O_RDONLY)
    steps = Steps(workspace, lock)
    forever = ['sh', '-c', 'echo $$ >pid; exec sleep 99'], None
    fails = ['sh', '-c', 'until [ -s pid ]; do sleep 0.1; done; echo the reason; exit 3'], None
    asked, beside = (fails, forever) if failing == 'asked' else (forever, fails)
    with (
        pytest.raises(SystemExit, match=f'"{failing}" failed with exit status 3'),
        steps.beside({'beside': beside}),
    ):
        steps.run('asked', *asked)
    assert 'the reason' in capsys.readouterr().err
    assert not Path('/proc', (workspace.root / 'pid').read_text().strip()).exists()
    os.close(lock)


def test_a_build_is_complete_when_all_is_compiled(workspace, monkeypatch):
    """Whoever ends the set-up while it compiles finds that it goes on there."""
    lock = os.open(workspace.root, os.O_RDONLY)
    steps = Steps(workspace, lock)
    workspace.built_stamp.unlink()
    monkeypatch.setattr(steps, 'run', lambda title, command, environment: None)
    monkeypatch.setattr(build, 'source', lambda *_: {})
    with (
        pytest.raises(SystemExit, match='"solvers, compiled" failed with exit status 3'),
        steps.beside({'solvers, compiled': (['sh', '-c', 'exit 3'], None)}),
    ):
        build.build(workspace, steps)
    assert not workspace.built_stamp.exists()
    os.close(lock)


def test_a_killed_set_up_takes_its_commands_along(tmp_path):
    """Whoever kills the set-up finds nothing that goes on installing."""
    code = (
        'import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path\n'
        'from softshell_tools.steps import Steps\n'
        'from softshell_tools.workspace import Workspace\n'
        'import os; lock = os.open(".", os.O_RDONLY)\n'
        'command = ["sh", "-c", "echo $$ >pid; sleep 99"]\n'
        'Steps(Workspace(Path.cwd()), lock).run("a step", command, None)'
    )
    tools = str(Path(first_use.__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, '-c', code, tools], cwd=tmp_path, stderr=subprocess.DEVNULL
    )
    while not (tmp_path / 'pid').exists() or not (tmp_path / 'pid').read_text():
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait()
    command = Path('/proc', (tmp_path / 'pid').read_text().strip())
    end = time.monotonic() + 20
    while command.exists():
        assert time.monotonic() < end
        time.sleep(0.02)
