"""Workers that are lacking or killed, or lack what they are to do."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from softshell_kinematics.errors import SoftshellError
from softshell_studies.study import batches, workers
from softshell_studies.study.study import read_study
from softshell_studies.study.sweep import sweep
from softshell_studies.study.work import Record

pytestmark = pytest.mark.needs('studies')


class Unknown:
    """A function that cannot be read where it is sent to, as one of another version."""

    def __call__(self, task, runs):
        return []

    def __reduce__(self):
        return exec, ("raise ModuleNotFoundError('No module named softshell_studies')",)


def test_workers_that_cannot_do_runs_are_told_in_one_error(tmp_path, monkeypatch):
    path = tmp_path / 'study.yaml'
    content = {'scenario': 'tendon_rod', 'parameters': {'above': {'values': [0.1, 0.2]}}}
    path.write_text(json.dumps(content), encoding='utf-8')
    monkeypatch.setattr(batches, 'do_runs', Unknown())
    with pytest.raises(SoftshellError, match=r'^the workers cannot do runs: .* same version'):
        sweep(read_study(path), tmp_path / 'out', workers=1)


def test_workers_that_do_not_come_back_are_an_error(tmp_path, monkeypatch):
    """Rather than a study that waits for ever; workers that are seen meanwhile reset the time."""
    threads, now = {'tcp://a': 1}, [0.0]
    monkeypatch.setattr(batches.time, 'monotonic', lambda: now[0])
    monkeypatch.setattr(batches.Batches, '_over', lambda made: [])
    made = batches.Batches(
        range(3), None, SimpleNamespace(done=set(), failed=0, add=lambda records: None),
        SimpleNamespace(nthreads=lambda: threads), lambda progress: None,
    )  # fmt: skip
    for now[0] in (1.0, 400.0):
        made.collect()
    threads.clear()
    for now[0] in (500.0, 690.0):
        made.collect()
    now[0] = 701.0
    with pytest.raises(SoftshellError, match='no worker for 300 s; the same command goes on'):
        made.collect()


def test_the_workers_that_are_told_are_those_that_there_are():
    """Not their threads, and none if all are gone; there is work for one then, as one may come."""
    threads, told = {'tcp://a': 4, 'tcp://b': 2}, []
    made = batches.Batches(
        range(3), None, SimpleNamespace(done={1}, failed=0),
        SimpleNamespace(nthreads=lambda: threads, cancel=lambda futures: None), told.append,
    )  # fmt: skip
    assert made.workers == 6
    made.close()
    threads.clear()
    made._watch._ask_at = 0.0
    made.close()
    assert [each.workers for each in told] == [2, 0]
    assert made.workers == 1


class Over:
    """A batch that is over: its records, or what it raises."""

    def __init__(self, told):
        self.told = told

    def result(self):
        if isinstance(self.told, Exception):
            raise self.told
        return self.told


@pytest.mark.parametrize('place', [0, 1, 2])
def test_a_batch_that_fails_loses_no_record_of_another(monkeypatch, place):
    """Where both are over at once, whichever is looked at first; the error is told then."""
    written = []
    made = batches.Batches(
        SimpleNamespace(form=SimpleNamespace(optimize=None)), None,
        SimpleNamespace(done=set(), failed=0, add=written.extend),
        SimpleNamespace(nthreads=lambda: {'tcp://a': 1}), lambda progress: None,
    )  # fmt: skip
    records = [Record(number, 1.0, {'y': 2.0}) for number in (4, 7)]
    over = [Over([record]) for record in records]
    over.insert(place, Over(SoftshellError('the disk is full')))
    made._under_way = {future: [number] for number, future in enumerate(over)}
    monkeypatch.setattr('distributed.wait', lambda *_, **__: SimpleNamespace(done=over))
    with pytest.raises(SoftshellError, match=r'^the disk is full$'):
        made.collect()
    assert written == records


def test_the_scheduler_of_a_cluster_is_told_what_that_of_this_machine_is():
    """By what docs/studies.md exports: how often a run may kill its worker."""
    from dask import config

    page = (Path(__file__).parents[3] / 'docs/studies.md').read_text(encoding='utf-8')
    told = config.collect_env(dict(re.findall(r'^export (\w+)=(\S+)$', page, re.MULTILINE)))
    assert config.get('distributed.scheduler.allowed-failures', config=told) == workers.DEATHS
