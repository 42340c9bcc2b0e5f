"""What a worker does: any end of a run is told, but one of its bag ends the study."""

import errno
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from softshell_kinematics.errors import SoftshellError
from softshell_studies.observers import current_recorder
from softshell_studies.run_bag import RunBag
from softshell_studies.study import work
from softshell_studies.study.work import Task, do_run

#: What a bag asks of a robot before its first sample.
ROBOT = SimpleNamespace(time=0.0, robot=SimpleNamespace(resolved_urdf='<robot name="none"/>'))


@pytest.mark.parametrize(
    ('source', 'error'),
    [
        ('def measure(parameters, seed):\n    raise SystemExit(3)\n', 'SystemExit: 3'),
        ('raise SystemExit("no licence")\n', 'SystemExit: no licence'),
    ],
)
def test_a_function_that_exits_is_a_run_that_failed(source, error):
    """As any other error; its worker goes on."""
    record = do_run(Task('', 'measure', source, 'exits.py', ('y',)), 0, {}, 1)
    assert record.error == error
    assert 'raise SystemExit' in record.trace


def full(*_):
    raise OSError(errno.ENOSPC, 'No space left on device')


def lets_it_through():
    current_recorder().take(ROBOT)


def takes_no_notice():
    with suppress(SoftshellError):
        current_recorder().take(ROBOT)


def fails_itself():
    with suppress(SoftshellError):
        current_recorder().take(ROBOT)
    raise ValueError('of its own')


@pytest.mark.needs('studies')
@pytest.mark.parametrize('run', [lets_it_through, takes_no_notice, fails_itself])
def test_a_bag_that_cannot_be_written_is_no_failure_of_the_run(monkeypatch, tmp_path, run):
    """Whatever the run does with the error: the disk is full."""
    monkeypatch.setattr(RunBag, '_sample', full)
    monkeypatch.setattr(work, '_function', lambda task: lambda parameters, seed: run() or {})
    with pytest.raises(SoftshellError, match=r'/000007 cannot be written: No space left on dev'):
        do_run(Task('', '', '', '', (), str(tmp_path)), 7, {}, 1)


@pytest.mark.needs('studies')
def test_the_end_of_a_bag_that_cannot_be_written_is_told_in_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr('rosbags.rosbag2.Writer.close', full)
    with pytest.raises(SoftshellError, match=r'/bag cannot be written: No space left on device$'):
        RunBag(tmp_path / 'bag').close()


@pytest.mark.needs('studies')
def test_a_file_in_the_place_of_a_bag_is_named(tmp_path):
    """It is not deleted, as a bag that was there before is."""
    file = Path(tmp_path / 'bag')
    file.write_text('mine', encoding='utf-8')
    with pytest.raises(SoftshellError, match=r'/bag cannot be written: Not a directory$'):
        RunBag(file)
    assert file.read_text() == 'mine'
