"""Many simulations in parallel, each in a process that makes its own worlds.

A function takes a job and a seed, makes a world, runs it, and returns what was measured:

    def fall(height, seed):
        world = World(load_robot('shell'), WorldSettings(seed=seed))
        ...

    if __name__ == '__main__':
        for outcome in run_batch(fall, [0.1, 0.2, 0.3]):
            print(outcome.job, outcome.result())

A world cannot go from one process to another: not as a job, not as a result, not by a fork.
"""

import multiprocessing
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any

import numpy as np

from softshell_kinematics.errors import ProblemsError, SoftshellError, UnknownNameError
from softshell_kinematics.solving.threads import usable_cpus
from softshell_sim.batch_worker import Function, Worker, describe, end_all
from softshell_sim.number_checks import whole_problems

#: Called whenever a job is done, with the number of jobs that are done and that of all jobs.
Progress = Callable[[int, int], object]


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of a job: a value or an error.

    Args:
        number: of the job, from 0.
        job: the job.
        seed: that the function was given.
        value: that the function returned.
        error: why there is no value; empty: there is one.
        details: traceback of the error, if the function raised it.
    """

    number: int
    job: Any
    seed: int
    value: Any = None
    error: str = ''
    details: str = ''

    def result(self) -> Any:
        """The value.

        Raises:
            SoftshellError: the job failed; the text names the job and says why.
        """
        if self.error:
            raise SoftshellError(f'job {self.number}: {self.error}')
        return self.value


def seeds_of(seed: int, count: int) -> list[int]:
    """One seed for each job; those of the first jobs do not depend on how many there are.

    Args:
        seed: from which all are made, 0 or more.
        count: number of jobs.
    """
    children = np.random.SeedSequence(seed).spawn(count)
    return [int(child.generate_state(1, np.uint64)[0]) for child in children]


def run_batch(
    function: Function,
    jobs: Iterable[Any],
    workers: int | None = None,
    method: str = 'spawn',
    seed: int = 0,
    progress: Progress | None = None,
) -> Iterator[Outcome]:
    """Do jobs in parallel, in worker processes.

    If a job fails, or its process dies, its outcome holds the error and the other jobs go on.
    Work begins when the first outcome is asked for. All processes are ended after the last
    outcome, when the iterator is closed, and at a Ctrl-C.

    Args:
        function: takes a job and a seed and returns a value; with `spawn` it has to be at the top
            level of a module.
        jobs: objects that can be pickled.
        workers: number of processes; None: one for each CPU that this process may use.
        method: how processes start: `spawn`, as new ones, or `fork`, as copies of this one; a fork
            starts faster, but is not safe in a program with threads. Results are the same.
        seed: from which each job gets its own seed; it does not depend on the number of workers.
        progress: called whenever a job is done.

    Returns:
        The outcomes, in the order of the jobs.

    Raises:
        UnknownNameError: there is no such method.
        ProblemsError: numbers are out of range; it lists all of them.
        SoftshellError: another process cannot import the function; while outcomes are asked for:
            a worker does not start.
    """
    if method not in ('fork', 'spawn'):
        raise UnknownNameError('method', method, ('fork', 'spawn'))
    problems = list(whole_problems('seed', seed))
    if workers is not None:
        problems += whole_problems('workers', workers, least=1)
    if problems:
        raise ProblemsError('arguments of the batch', problems)
    if method == 'spawn':
        _refuse_unimportable(function)
    listed = list(jobs)
    return _Batch(function, listed, workers or usable_cpus(), method, seed).outcomes(progress)


class _Batch:
    """Jobs, and the workers that do them."""

    def __init__(
        self, function: Function, jobs: list[Any], most: int, method: str, seed: int
    ) -> None:
        self._function, self._jobs, self._most = function, jobs, most
        self._context: Any = multiprocessing.get_context(method)
        self._seeds = seeds_of(seed, len(jobs))
        self._waiting = deque(range(len(jobs)))
        self._workers: list[Worker] = []

    def outcomes(self, progress: Progress | None) -> Iterator[Outcome]:
        """The outcomes in the order of the jobs; see `run_batch`."""
        done: dict[int, Outcome] = {}
        total = len(self._jobs)
        try:
            for number in range(total):
                while number not in done:
                    for outcome in self._turn():
                        done[outcome.number] = outcome
                        if progress is not None:
                            progress(number + len(done), total)
                yield done.pop(number)
        finally:
            end_all(self._workers)

    def _turn(self) -> Iterator[Outcome]:
        """Give jobs to idle workers, wait for any worker, and yield what is finished."""
        busy = sum(worker.job is not None for worker in self._workers)
        while len(self._workers) < min(self._most, busy + len(self._waiting)):
            self._workers.append(Worker(self._context, self._function))
        for worker in self._workers:
            if worker.ready and worker.job is None:
                yield from self._give(worker)
        if all(worker.ready and worker.job is None for worker in self._workers):
            return  # the last jobs could not be sent
        sources: dict[Any, Worker] = {worker.connection: worker for worker in self._workers}
        sources |= {worker.process.sentinel: worker for worker in self._workers}
        for worker in {sources[source] for source in wait(sources)}:
            number, content = worker.job, worker.receive()
            if content is not None:
                assert number is not None
                yield self._read(number, content)
            elif worker.gone:
                yield from self._lost(worker)

    def _give(self, worker: Worker) -> Iterator[Outcome]:
        """Send the worker its next job; yield an outcome for each job that cannot be pickled."""
        while self._waiting:
            number = self._waiting.popleft()
            try:
                content = pickle.dumps((self._jobs[number], self._seeds[number]))
            except Exception as error:
                yield self._outcome(number, error=f'it cannot be sent: {describe(error)}')
            else:
                worker.give(number, content)
                return

    def _read(self, number: int, content: bytes) -> Outcome:
        try:
            value, error, details = pickle.loads(content)
        except Exception as reason:
            return self._outcome(number, error=f'its value cannot be read: {describe(reason)}')
        return self._outcome(number, value, error, details)

    def _lost(self, worker: Worker) -> Iterator[Outcome]:
        """Remove a worker that has ended, and yield the outcome of its job.

        Raises:
            SoftshellError: it ended before it was ready for jobs, as all others would.
        """
        how = worker.how_it_ended()
        if not worker.ready:
            raise SoftshellError(
                f'{how} before it took a job; expected a program that starts its batch below '
                "if __name__ == '__main__':, and modules that can be imported"
            )
        self._workers.remove(worker)
        end_all([worker])
        if worker.job is not None:
            yield self._outcome(worker.job, error=how)

    def _outcome(
        self, number: int, value: Any = None, error: str = '', details: str = ''
    ) -> Outcome:
        return Outcome(number, self._jobs[number], self._seeds[number], value, error, details)


def _refuse_unimportable(function: Function) -> None:
    """Check that another process can import a function.

    Raises:
        SoftshellError: it cannot; the text names the function and what is expected.
    """
    try:
        pickle.dumps(function)
    except Exception as error:
        raise SoftshellError(
            f'function {getattr(function, "__qualname__", function)!r} cannot be sent to another '
            f"process ({error}); expected one at the top level of a module, or method='fork'"
        ) from None
