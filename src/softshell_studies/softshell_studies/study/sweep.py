"""Does the runs of a study on Dask: processes of this machine, or a cluster."""

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softshell_kinematics.threads import usable_cpus
from softshell_studies.study.results import Results
from softshell_studies.study.study import Study
from softshell_studies.study.work import Record, Task, do_runs
from softshell_studies.study.workers import DEATHS, workers_of

if TYPE_CHECKING:
    from distributed import Client

#: A batch of runs should take so long [s]: the scheduler needs about a millisecond for each.
AIM = 1.0
#: Runs of a batch at most.
MOST = 500
#: Batches that are under way or wait, for each worker.
AHEAD = 2
#: Between two looks at what is over [s].
PERIOD = 0.2


@dataclass(frozen=True)
class Progress:
    """How far a sweep is.

    Attributes:
        done, failed: runs that are over, also those of earlier times, and that failed of them.
        runs: of the study.
        workers: that there are.
        left: time that the rest will take [s, wall]; NaN: not known yet.
    """

    done: int
    failed: int
    runs: int
    workers: int
    left: float


def sweep(
    study: Study,
    folder: Path,
    *,
    place: Path | None = None,
    scheduler: str = '',
    workers: int | None = None,
    progress: Callable[[Progress], None] = lambda progress: None,
    ended: Callable[[], bool] = lambda: False,
) -> Results:
    """Do all runs that are not done yet: what was ended or killed goes on by the same call.

    Args:
        study: what is done.
        folder: of the results.
        place: file of the study, for tracebacks of its function.
        scheduler: address of a Dask cluster; empty: processes of this machine.
        workers: how many of these; default: one for each CPU that this process may use.
        progress: told a few times a second.
        ended: asked as often; then what is over is kept.

    Returns:
        The results, closed.

    Raises:
        SoftshellError: there is no such cluster, or it has no workers; the results cannot be
            written.
    """
    with Results(folder, study) as results:
        left = [number for number in range(len(study)) if number not in results.done]
        if left:
            with workers_of(scheduler, min(workers or usable_cpus(), len(left))) as client:
                _Sweep(study, _task(study, place), results, client, progress, ended).run(left)
    return results


def _task(study: Study, place: Path | None) -> Task:
    form = study.form
    file, _, function = (form.function or '').partition(':')
    beside = str(place.parent / file) if place is not None else file
    return Task(form.scenario or '', function, study.source, beside, study.metrics)


class _Sweep:
    """Batches of runs on their way.

    Args:
        study, task, results: as of `sweep`.
        client: of the workers.
        progress, ended: as of `sweep`.
    """

    def __init__(
        self,
        study: Study,
        task: Task,
        results: Results,
        client: 'Client',
        progress: Callable[[Progress], None],
        ended: Callable[[], bool],
    ) -> None:
        self._study, self._task, self._results, self._client = study, task, results, client
        self._progress, self._ended = progress, ended
        self._under_way: dict[Any, list[int]] = {}
        self._deaths: dict[int, int] = {}
        self._again: list[list[int]] = []
        self._begin = time.monotonic()
        self._seconds, self._count, self._left = 0.0, 0, 0

    def run(self, left: Sequence[int]) -> None:
        """Do runs, by number."""
        numbers, self._left = iter(left), len(left)
        tell_at = 0.0
        while not self._ended():
            while len(self._under_way) < AHEAD * max(self._workers(), 1):
                batch = self._again.pop() if self._again else self._next(numbers)
                if not batch:
                    break
                self._submit(batch)
            if not self._under_way:
                break
            self._results.add(self._over())
            if time.monotonic() >= tell_at:
                tell_at = time.monotonic() + PERIOD
                self._progress(self._state())
        self._client.cancel(list(self._under_way))
        self._progress(self._state())

    def _next(self, numbers: Iterator[int]) -> list[int]:
        """A batch that will take about `AIM`, and leaves enough for all others in the end."""
        mean = self._seconds / self._count if self._count else AIM
        share = self._left // (AHEAD * max(self._workers(), 1))
        size = max(1, min(int(AIM / max(mean, 1e-6)), share, MOST))
        batch = list(itertools.islice(numbers, size))
        self._left -= len(batch)
        return batch

    def _submit(self, batch: list[int]) -> None:
        runs = [self._study.run(number) for number in batch]
        work = [(run.number, self._study.parameters(run.values), run.seed) for run in runs]
        # Each has a key of its own: what was done is never asked for again.
        future = self._client.submit(do_runs, self._task, work, pure=False)
        self._under_way[future] = batch

    def _over(self) -> list[Record]:
        """Records of batches that have come back within a while."""
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
                found = future.result()
            except KilledWorker:
                records += self._after_death(batch)
                continue
            records += found
            self._seconds += sum(record.seconds for record in found)
            self._count += len(found)
        return records

    def _after_death(self, batch: list[int]) -> list[Record]:
        """Runs of a batch whose workers died are tried alone; who ends them alone has failed."""
        if len(batch) > 1:
            self._again += [[number] for number in batch]
            return []
        return [Record(batch[0], 0.0, {}, f'its worker died, {DEATHS + 1} times')]

    def _workers(self) -> int:
        return sum(self._client.nthreads().values())

    def _state(self) -> Progress:
        done, runs = len(self._results.done), len(self._study)
        passed = time.monotonic() - self._begin
        left = passed / self._count * (runs - done) if self._count else float('nan')
        return Progress(done, self._results.failed, runs, self._workers(), left)
