"""What a worker does: any end of a run is told, but one of its bag ends the study."""

import errno
from concurrent.futures import ThreadPoolExecutor
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


#: Functions that end in other ways than by an `Exception` with a text.
ODD = {
    'Panic': 'class Panic(BaseException):\n    pass\nRAISED = Panic("index out of bounds")\n',
    'CancelledError': 'import asyncio\nRAISED = asyncio.CancelledError()\n',
    'KeyboardInterrupt': 'RAISED = KeyboardInterrupt()\n',
    'GeneratorExit': 'RAISED = GeneratorExit()\n',
    'Mute': (
        'class Mute(Exception):\n    def __str__(self):\n        raise OSError("gone")\n'
        'RAISED = Mute()\n'
    ),
}
RAISES = 'def measure(parameters, seed):\n    raise RAISED\n'


def in_a_thread(source):
    """The record of a run in a thread, as workers do it."""
    with ThreadPoolExecutor(1) as thread:
        task = Task('', 'measure', source + RAISES, 'raises.py', ('y',))
        return thread.submit(do_run, task, 3, {}, 1).result()


@pytest.mark.parametrize('name', ODD)
def test_whatever_a_function_raises_is_a_run_that_failed(name):
    """Also what is no `Exception`, or has no text."""
    record = in_a_thread(ODD[name])
    assert record.run == 3
    assert record.error.startswith(name)
    assert 'in measure' in record.trace


def test_an_interruption_of_the_process_is_no_failure_of_the_run():
    """It comes in the main thread, and ends what goes on there."""
    with pytest.raises(KeyboardInterrupt):
        do_run(Task('', 'measure', ODD['KeyboardInterrupt'] + RAISES, 'a.py', ()), 0, {}, 1)


def test_the_text_of_an_error_is_one_that_files_can_hold():
    """Half a character, as names of files have that are not in UTF-8, is escaped."""
    record = in_a_thread('RAISED = ValueError("no \\udcff here, \xe4")\n')
    assert record.error == 'ValueError: no \\udcff here, ä'
    assert record.trace.encode().endswith('no \\udcff here, ä\n'.encode())


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
