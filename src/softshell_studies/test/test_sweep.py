"""Sweeps in processes of their own: all is done once, whatever dies meanwhile."""

import contextlib
import json
import math
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from softshell_kinematics.errors import SoftshellError
from softshell_studies.study import workers
from softshell_studies.study.batches import task_of
from softshell_studies.study.results import JOURNAL, TABLE, Results, rows_of
from softshell_studies.study.study import read_study
from softshell_studies.study.sweep import sweep
from softshell_studies.study.work import do_run

pytestmark = pytest.mark.needs('studies')

#: [s] a safety net, no measure of anything.
PATIENCE = 90.0
#: Leaves a mark for each time that it begins; some runs fail, one ends its process, and those from
#: `held` on wait for a file.
FUNCTION = """
import os, signal, time
from pathlib import Path

def measure(parameters, seed):
    number = parameters['number']
    with open(Path(parameters['marks']) / str(number), 'a') as marks:
        marks.write('x')
    time.sleep(parameters.get('pause', 0.0))
    while number >= parameters.get('held', number + 1) and not Path('GO').exists():
        time.sleep(0.02)
    if number == parameters.get('fails'):
        raise ValueError(f'{number} is not to my taste')
    if number == parameters.get('kills'):
        os.kill(os.getpid(), signal.SIGKILL)
    if number == parameters.get('empty'):
        return {'square': float('nan'), 'chance': seed}
    return {'square': number ** 2, 'chance': seed, 'process': os.getpid()}
"""
#: A program that begins a sweep and is killed.
PROGRAM = """
import sys
from pathlib import Path
from softshell_studies.study.study import read_study
from softshell_studies.study.sweep import sweep
if __name__ == '__main__':
    sweep(read_study(Path(sys.argv[1])), Path(sys.argv[2]), workers=2)
"""


@pytest.fixture
def study(tmp_path):
    """Makes a study of so many runs, with further fixed parameters."""
    (tmp_path / 'marks').mkdir()
    function = FUNCTION.replace('GO', str(tmp_path / 'go'))
    (tmp_path / 'square.py').write_text(function, encoding='utf-8')

    def make(runs, **fixed):
        path = tmp_path / 'study.yaml'
        content = {
            'function': 'square.py:measure',
            'metrics': ['square', 'chance'],
            'fixed': {'marks': str(tmp_path / 'marks'), **fixed},
            'parameters': {'number': {'values': list(range(runs))}},
            'labels': {'large': 'square > 50'},
        }
        path.write_text(json.dumps(content), encoding='utf-8')
        return read_study(path)

    return make


def begun(tmp_path):
    """How often each run has begun."""
    return {int(file.name): len(file.read_text()) for file in (tmp_path / 'marks').iterdir()}


def by_run(folder):
    return {row['run']: row for row in rows_of(folder)}


def test_every_run_is_done_and_told(study, tmp_path):
    """With seed, parameters and versions; in a table as well."""
    import pyarrow.parquet

    told = []
    made = study(12, fails=3, empty=4)
    results = sweep(made, tmp_path / 'out', workers=2, progress=told.append)
    assert len(results.done) == 12
    assert results.failed == 1
    assert (told[-1].done, told[-1].failed, told[-1].runs) == (12, 1, 12)
    rows = by_run(tmp_path / 'out')
    assert begun(tmp_path) == dict.fromkeys(range(12), 1)
    for number in range(12):
        run = made.run(number)
        assert rows[number]['seed'] == run.seed
        assert rows[number]['parameters'] == {'number': number}
    assert rows[5]['metrics'] == {'square': 25.0, 'chance': made.run(5).seed}
    assert rows[3]['error'] == 'ValueError: 3 is not to my taste'
    assert "raise ValueError(f'{number} is not to my taste')" in rows[3]['trace']
    assert rows[4]['metrics']['square'] is None
    manifest = json.loads((tmp_path / 'out' / 'study.json').read_text())
    assert {'python', 'numpy', 'mujoco'} <= manifest['sessions'][0].keys()
    table = pyarrow.parquet.read_table(tmp_path / 'out' / TABLE).to_pydict()
    assert table['number'] == list(range(12))
    assert math.isnan(table['square'][3])
    assert table['square'][5] == 25.0
    assert table['is_large'] == [None if k == 3 else k > 7 for k in range(12)]


def test_what_is_done_is_not_done_again(study, tmp_path):
    """Ended half way, and begun anew; another study is not mixed with it."""
    seen = []
    sweep(
        study(20, pause=0.2), tmp_path / 'out', workers=1,
        progress=seen.append, ended=lambda: bool(seen) and seen[-1].done > 3,
    )  # fmt: skip
    before = len(by_run(tmp_path / 'out'))
    assert 3 < before < 20
    results = sweep(study(20, pause=0.2), tmp_path / 'out', workers=2)
    assert results.done == set(range(20))
    rows = by_run(tmp_path / 'out')
    assert len(rows) == 20
    again = [number for number, times in begun(tmp_path).items() if times > 1]
    assert len(again) <= 20 - before  # what was under way as it was ended, and never told
    with pytest.raises(SoftshellError, match=r'out holds another study \(20 runs of square.py'):
        sweep(study(21, pause=0.2), tmp_path / 'out')


@pytest.mark.long
def test_a_sweep_that_is_killed_goes_on(study, tmp_path):
    """With SIGKILL, in the middle of a line as well; nothing is lost or told twice."""
    study(60, held=40)
    file, out = tmp_path / 'study.yaml', tmp_path / 'out'
    program = tmp_path / 'program.py'
    program.write_text(PROGRAM, encoding='utf-8')
    process = subprocess.Popen(
        [sys.executable, str(program), str(file), str(out)], start_new_session=True
    )
    end = time.monotonic() + PATIENCE
    while not (out / JOURNAL).exists() or (out / JOURNAL).read_bytes().count(b'\n') < 10:
        assert time.monotonic() < end, 'nothing is done'
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(PATIENCE)
    with (out / JOURNAL).open('a', encoding='utf-8') as journal:
        journal.write('{"run": 59, "err')
    before = {number: row['seconds'] for number, row in by_run(out).items()}
    assert 10 <= len(before) <= 40
    (tmp_path / 'go').touch()
    results = sweep(read_study(file), out, workers=2)
    rows = by_run(out)
    assert results.done == set(rows) == set(range(60))
    assert all(row['metrics']['square'] == number**2 for number, row in rows.items())
    assert {number: rows[number]['seconds'] for number in before} == before
    assert (out / JOURNAL).read_text().count('"run": 59,') == 1


@pytest.mark.long
def test_a_run_that_ends_its_process_is_told_and_the_others_go_on(study, tmp_path):
    """It is tried a few times, then as often alone, since a worker may be killed by others."""
    results = sweep(study(10, kills=4), tmp_path / 'out', workers=2)
    rows = by_run(tmp_path / 'out')
    assert results.failed == 1
    assert rows[4]['error'] == 'its worker died, also where it ran alone'
    assert all(rows[number]['metrics']['square'] == number**2 for number in set(range(10)) - {4})
    assert begun(tmp_path)[4] == 2 * (workers.DEATHS + 1)


@pytest.mark.long
def test_a_worker_that_is_killed_loses_nothing(study, tmp_path):
    """By somebody else, in the middle of a run."""
    killed = []

    def kill(state):
        if not killed and state.done > 2:
            workers = [
                int(entry.name)
                for entry in Path('/proc').iterdir()
                if entry.name.isdecimal() and is_worker(entry)
            ]
            killed.extend(workers[:1])
            for process in killed:
                os.kill(process, signal.SIGKILL)

    results = sweep(study(60, pause=0.05), tmp_path / 'out', workers=2, progress=kill)
    assert killed
    assert results.failed == 0
    assert set(by_run(tmp_path / 'out')) == set(range(60))


def is_worker(entry):
    """Whether a process is a worker of this test: a grandchild that runs what Dask spawns."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        command = (entry / 'cmdline').read_bytes()
        parent = int((entry / 'stat').read_text().rpartition(')')[2].split()[1])
        return parent == os.getpid() and b'spawn_main' in command
    return False


@contextlib.contextmanager
def full_after(size):
    """No file can become larger than so many bytes; a write ends there, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_told_in_one_line_and_what_was_written_stays(study, tmp_path):
    made = study(12)
    records = [do_run(task_of(made, tmp_path / 'study.yaml'), *each) for each in asked(made)]
    out = tmp_path / 'out'
    results = Results(out, made)
    results.add(records[:3])
    told = 'File too large; the same command goes on from here$'
    with full_after((out / JOURNAL).stat().st_size + 100):
        with pytest.raises(SoftshellError, match=f'{JOURNAL}: {told}'):
            results.add(records[3:])
        with pytest.raises(SoftshellError, match=f'{TABLE}: {told}'):
            results.close()
    assert set(by_run(out)) == {0, 1, 2}
    with Results(out, made) as results:
        assert results.done == {0, 1, 2}
        results.add(records)
    rows = by_run(out)
    assert [rows[number]['metrics']['square'] for number in range(12)] == [k**2 for k in range(12)]


def asked(made):
    """Number, parameters and seed of each run."""
    for run in map(made.run, range(len(made))):
        yield run.number, made.parameters(run.values), run.seed


def test_one_sweep_at_a_time_has_a_folder(study, tmp_path):
    made = study(3)
    refused = pytest.raises(SoftshellError, match='another sweep runs there')
    with Results(tmp_path / 'out', made), refused:
        sweep(made, tmp_path / 'out')
    assert sweep(made, tmp_path / 'out', workers=1).done == {0, 1, 2}


class Cluster:
    """A scheduler and workers, each a process that knows no file of a study.

    Attributes:
        address: of the scheduler.
        scheduler: its process.
    """

    def __init__(self, stack, folder, count):
        with socket.socket() as probe:
            probe.bind(('127.0.0.1', 0))
            port = probe.getsockname()[1]
        self.address = f'tcp://127.0.0.1:{port}'
        dask = ['scheduler', '--host', '127.0.0.1', '--port', str(port)]
        worker = ['worker', self.address, '--nthreads', '1', '--local-directory', str(folder)]
        self.scheduler, *_ = [self._start(stack, words) for words in (dask, *[worker] * count)]

    @staticmethod
    def _start(stack, words):
        """A process of Dask, which ends with the stack."""
        name, *rest = words
        command = [sys.executable, '-m', f'distributed.cli.dask_{name}', *rest, '--no-dashboard']
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd='/')
        stack.callback(process.wait, PATIENCE)
        stack.callback(process.terminate)
        return process

    def come(self, do):
        """What a sweep on it returns, or what it says once the cluster can be used."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return do(self.address)
            except SoftshellError as error:
                if 'cannot be used' not in str(error):
                    return str(error)
                if time.monotonic() > end:
                    raise
                time.sleep(0.5)


@pytest.fixture
def cluster(tmp_path):
    """Makes a cluster of so many workers."""
    with contextlib.ExitStack() as stack:
        yield lambda count: Cluster(stack, tmp_path / 'work', count)


@pytest.mark.long
def test_the_same_study_runs_on_a_cluster(study, tmp_path, cluster):
    made = study(30, pause=0.05)
    cluster(2).come(lambda address: sweep(made, tmp_path / 'out', scheduler=address))
    assert set(by_run(tmp_path / 'out')) == set(range(30))


@pytest.mark.long
def test_a_scheduler_that_ends_meanwhile_is_told(study, tmp_path, cluster):
    """With what to do; the runs that were done are kept."""
    made, started = study(300, pause=0.1), cluster(1)

    def look(state):
        if state.done > 3:
            started.scheduler.kill()

    told = started.come(
        lambda address: sweep(made, tmp_path / 'out', scheduler=address, progress=look)
    )
    assert told == f'scheduler {started.address} was lost; the same command goes on from here'
    assert 3 < len(by_run(tmp_path / 'out')) < 300


@pytest.mark.parametrize('address', ['nowhere://1', 'tcp://a:b'])
def test_an_address_that_is_none_is_named(study, tmp_path, address):
    with pytest.raises(SoftshellError, match=f'scheduler {address} cannot be used'):
        sweep(study(2), tmp_path / 'out', scheduler=address)


def test_a_cluster_that_is_not_there_is_named(study, tmp_path, monkeypatch):
    monkeypatch.setattr(workers, 'ANSWERS', 1.0)
    threads = set(threading.enumerate())
    told = r'scheduler tcp://127\.0\.0\.1:1 cannot be used: no answer for 1 s'
    with pytest.raises(SoftshellError, match=told):
        sweep(study(2), tmp_path / 'out', scheduler='tcp://127.0.0.1:1')
    end = time.monotonic() + PATIENCE
    while left := set(threading.enumerate()) - threads:
        assert time.monotonic() < end, f'{left} go on'
        time.sleep(0.02)


@pytest.mark.parametrize('place', ['/proc/nothing/here', '/dev/null/out'])
def test_a_folder_that_cannot_be_written_is_told_before_the_first_run(study, tmp_path, place):
    with pytest.raises(SoftshellError, match=f'{place} cannot be written'):
        sweep(study(2), Path(place))
    assert not begun(tmp_path)
