"""Batches of runs on their way to the workers and back."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softshell_actions.language.expression import ExpressionError
from softshell_kinematics.errors import SoftshellError
from softshell_studies.study.condition import is_true
from softshell_studies.study.results import Results
from softshell_studies.study.rows import numbers_of
from softshell_studies.study.scenario import SCENARIOS, scenario_of
from softshell_studies.study.study import Study
from softshell_studies.study.work import Record, Task, do_runs
from softshell_studies.study.workers import PERIOD, Watch, answering

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True)
class Progress:
    """Progress of a study.

    Attributes:
        done: number of runs that are over, those of earlier sessions included.
        failed: number of these that failed.
        runs: number of runs of the study.
        workers: number of workers; 0: all are gone.
        left: time that the remaining runs will take [s, wall]; NaN: not known yet.
    """

    done: int
    failed: int
    runs: int
    workers: int
    left: float


def task_of(study: Study, place: Path | None, record: Path | None = None) -> Task:
    """What workers do.

    Args:
        study: whose runs.
        place: its file, for tracebacks of its function.
        record: folder for a bag of each run.

    Raises:
        SoftshellError: the scenario has no robot that could be recorded.
    """
    form = study.form
    file, _, function = (form.function or '').partition(':')
    beside = str(place.parent / file) if place is not None else file
    if record is not None and (form.scenario is None or not scenario_of(form.scenario).has_joints):
        known = ', '.join(name for name in SCENARIOS if scenario_of(name).has_joints)
        raise SoftshellError(
            f'{form.scenario or "a function"} has no robot to record; expected one of {known}'
        )
    kept = '' if record is None else str(record.resolve())
    return Task(form.scenario or '', function, study.source, beside, study.metrics, kept)


class Batches:
    """Batches of runs that workers do; what comes back is written down.

    Args:
        study: whose runs are done.
        task: what is done in each.
        results: where that is written.
        client: of the workers.
        progress: told a few times a second.
    """

    def __init__(
        self,
        study: Study,
        task: Task,
        results: Results,
        client: 'Client',
        progress: Callable[[Progress], None],
    ) -> None:
        self._study, self._task, self._results, self._client = study, task, results, client
        self._progress = progress
        self._waiting: list[list[int]] = []
        self._under_way: dict[Any, list[int]] = {}
        #: Runs whose workers died, perhaps by another that they had: each is tried once more while
        #: nothing else is under way.
        self._suspects: list[int] = []
        self._suspect: Any = None
        self._watch, self._begin = Watch(client), time.monotonic()
        self._seconds, self._count, self._tell_at = 0.0, 0, 0.0
        self._error: Exception | None = None

    def __len__(self) -> int:
        return len(self._waiting) + len(self._under_way) + len(self._suspects)

    @property
    def workers(self) -> int:
        """Number of threads of all workers for which there is to be work; at least 1."""
        self._watch.ask()
        return max(self._watch.threads, 1)

    @property
    def mean(self) -> float | None:
        """What a run took so far [s]; None: not known."""
        return self._seconds / self._count if self._count else None

    def submit(self, batch: Sequence[int]) -> None:
        """Have runs done, by number; nothing is sent for an empty batch."""
        if batch:
            self._waiting.append(list(batch))

    def _send(self) -> None:
        """Send what waits, or one run alone whose worker has died, if nothing is under way."""
        if self._suspect in self._under_way:
            return
        if self._suspects and not self._under_way:
            self._suspect = self._submit([self._suspects.pop()])
            return
        for batch in self._waiting:
            self._submit(batch)
        self._waiting.clear()

    def _submit(self, batch: Sequence[int]) -> Any:
        runs = [self._study.run(number) for number in batch]
        work = [(run.number, self._study.parameters(run.values), run.seed) for run in runs]
        # Each has a key of its own: what was done is never asked for again.
        future = self._client.submit(do_runs, self._task, work, pure=False)
        self._under_way[future] = list(batch)
        return future

    def collect(self) -> list[Record]:
        """Records of runs that are over, within a while; they are written down.

        Raises:
            SoftshellError: the workers cannot do runs or have gone, or the records cannot be
                written.
        """
        self._watch.refuse_gone()
        self._send()
        records = [self._judged(record) for record in self._over()]
        self._results.add(records)
        if self._error is not None:
            raise self._error
        if time.monotonic() >= self._tell_at:
            self._tell_at = time.monotonic() + PERIOD
            self._tell()
        return records

    def close(self) -> None:
        """Give up what is under way."""
        self._client.cancel(list(self._under_way))
        self._tell()

    def _over(self) -> list[Record]:
        """Records of batches that have come back within a while; notes the error of the first."""
        from distributed import wait
        from distributed.scheduler import KilledWorker

        try:
            done = wait(list(self._under_way), timeout=PERIOD, return_when='FIRST_COMPLETED').done
        except TimeoutError:
            return []
        records: list[Record] = []
        for future in done:
            batch = self._under_way.pop(future)
            try:
                with answering():
                    found = future.result()
            except KilledWorker:
                if future is self._suspect:
                    text = 'its worker died, also where it ran alone'
                    records.append(Record(batch[0], 0.0, {}, text))
                else:
                    self._suspects += batch
                continue
            except Exception as error:  # raised once the records of the others are written
                self._error = self._error or error
                continue
            records += found
            self._seconds += sum(record.seconds for record in found)
            self._count += len(found)
        return records

    def _judged(self, record: Record) -> Record:
        """A record; it failed if the condition of a search has no value for it."""
        search = self._study.form.optimize
        if search is None or search.where is None or record.error:
            return record
        numbers = numbers_of(self._study.run(record.run).values)
        try:
            is_true(search.where, {**numbers, **record.metrics})
        except ExpressionError as error:
            return Record(record.run, record.seconds, {}, f'optimize.where: {error}')
        return record

    def _tell(self) -> None:
        done, runs = len(self._results.done), len(self._study)
        passed = time.monotonic() - self._begin
        left = passed / self._count * (runs - done) if self._count else float('nan')
        self._watch.ask()
        self._progress(Progress(done, self._results.failed, runs, self._watch.workers, left))
