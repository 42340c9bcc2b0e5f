"""Does the runs of a study on Dask: processes of this machine, or a cluster."""

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.solving.threads import usable_cpus
from softshell_studies.study.batches import Batches, Progress, task_of
from softshell_studies.study.results import Results
from softshell_studies.study.study import Study
from softshell_studies.study.workers import workers_of

#: A batch of runs should take so long [s]: the scheduler needs about a millisecond for each.
AIM = 1.0
#: Runs of a batch at most.
MOST = 500
#: Batches that are under way or wait, for each worker.
AHEAD = 2


def sweep(
    study: Study,
    folder: Path,
    *,
    place: Path | None = None,
    scheduler: str = '',
    workers: int | None = None,
    record: Path | None = None,
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
        record: folder for a bag of each run.
        progress: told a few times a second.
        ended: asked as often; then what is over is kept.

    Returns:
        The results, closed.

    Raises:
        SoftshellError: the study is a search; there is no such cluster, or it has no workers, or
            none that can do its runs; the results cannot be written; there is nothing to record.
    """
    if study.form.optimize is not None:
        raise SoftshellError(f'{study.name} is a search; expected a call of optimise')
    task = task_of(study, place, record)
    with Results(folder, study) as results:
        left = [number for number in range(len(study)) if number not in results.done]
        if left:
            with workers_of(scheduler, min(workers or usable_cpus(), len(left))) as client:
                batches = Batches(study, task, results, client, progress)
                _run(batches, left, ended)
    return results


def _run(batches: Batches, numbers: Sequence[int], ended: Callable[[], bool]) -> None:
    """Do runs, by number."""
    rest, left = iter(numbers), len(numbers)
    while not ended():
        while left and len(batches) < AHEAD * batches.workers:
            batch = list(itertools.islice(rest, _size(batches, left)))
            left -= len(batch)
            batches.submit(batch)
        if not len(batches):
            break
        batches.collect()
    batches.close()


def _size(batches: Batches, left: int) -> int:
    """Number of runs of a batch: it takes about `AIM`, and leaves enough runs for all workers."""
    mean = AIM if batches.mean is None else batches.mean
    share = left // (AHEAD * batches.workers)
    return max(1, min(int(AIM / max(mean, 1e-6)), share, MOST))
