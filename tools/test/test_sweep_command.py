"""The command `./softshell sweep`."""

import shlex
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from softshell_tools import sweep_command
from softshell_tools.cli import app


class Study(list):
    name = 'rod'


@pytest.mark.parametrize(
    'given',
    [
        (Path('my studies/rod.yaml'), Path('out/my results'), '', 2, True),
        (Path('rod.yaml'), None, 'tcp://host:8786', None, False),
    ],
)
def test_what_is_told_after_an_interruption_continues(monkeypatch, capsys, given):
    """Pasted into a shell, it is the same command: with its folder, cluster, workers and bags."""
    interrupted = SimpleNamespace(came=True)
    nothing = SimpleNamespace(done=(), failed=0)
    monkeypatch.setattr(sweep_command, 'noted_interrupts', lambda: nullcontext(interrupted))
    monkeypatch.setattr(sweep_command, '_done', lambda *_, **__: (nothing, []))
    monkeypatch.setattr('softshell_studies.study.study.read_study', lambda file: Study())
    monkeypatch.setenv('COLUMNS', '40')
    assert sweep_command.run_sweep(*given) == 130
    told = capsys.readouterr().out.partition('to continue: ./softshell ')[2].partition('\n')[0]
    again = []
    monkeypatch.setattr(sweep_command, 'set_up', lambda names: None)
    monkeypatch.setattr(sweep_command, 'run_sweep', lambda *words: again.append(words))
    assert CliRunner().invoke(app, shlex.split(told)).exit_code == 0
    assert again == [given]
