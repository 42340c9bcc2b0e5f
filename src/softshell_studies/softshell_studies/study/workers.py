"""Worker processes of Dask, on this machine or a cluster."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from softshell_kinematics.errors import SoftshellError
from softshell_sim.batch_worker import interrupts_blocked

if TYPE_CHECKING:
    from distributed import Client

#: How long to wait for the first worker of a cluster [s].
PATIENCE = 60.0
#: How long to wait for an answer of a scheduler [s].
ANSWERS = 10.0
#: Between two looks at what is over, and two reports of progress [s].
PERIOD = 0.2
#: Between two questions how many workers there are [s].
COUNTED = 2.0
#: How long there may be no worker before that counts as an error [s].
GONE = 300.0
#: How work goes on whose cluster or workers are lost, unless it says so itself.
GOES_ON = 'the same command goes on from here'
#: How many times a run may kill its worker and is tried again; docs/studies.md has the scheduler
#: of a cluster told so as well.
DEATHS = 2
#: Environment of workers. With Dask's own settings, memory of each array of a run is returned to
#: the system, which can take as long as the run itself; with these, workers keep it. Each worker
#: computes on one thread.
MEMORY = {
    'MALLOC_TRIM_THRESHOLD_': 128 * 2**20,
    'MALLOC_MMAP_THRESHOLD_': 32 * 2**20,
    'OPENBLAS_NUM_THREADS': 1,
    'OMP_NUM_THREADS': 1,
    'MKL_NUM_THREADS': 1,
}


@contextmanager
def workers_of(scheduler: str, workers: int, then: str = GOES_ON) -> Iterator['Client']:
    """A context with a client of the workers of a cluster, or of processes of this machine.

    Ctrl-C does not reach these processes, also where they are replaced.

    Args:
        scheduler: address of the cluster's scheduler; empty: this machine.
        workers: number of processes on this machine.
        then: what is told to someone whose cluster is lost: how the work goes on.

    Raises:
        SoftshellError: the scheduler cannot be reached, has no workers, or is lost meanwhile.
    """
    import dask
    from distributed import Client, LocalCluster

    settings = {
        'distributed.scheduler.allowed-failures': DEATHS,
        'distributed.worker.daemon': True,
        'distributed.comm.timeouts.connect': '10s',
        'distributed.nanny.pre-spawn-environ': MEMORY,
        # Its sampling of stacks, a hundred times a second, takes from the runs; so do its looks at
        # its own delay and at memory, 50 and 10 times a second in each process.
        'distributed.worker.profile.enabled': False,
        'distributed.admin.tick.interval': '1s',
        'distributed.admin.system-monitor.interval': '5s',
        'distributed.worker.memory.monitor-interval': '500ms',
    }
    with ExitStack() as stack:
        stack.enter_context(dask.config.set(settings))
        where = f'scheduler {scheduler}' if scheduler else 'Dask on this machine'
        try:
            if scheduler:
                _reach(scheduler)
                client = stack.enter_context(Client(scheduler, timeout=ANSWERS))
                client.wait_for_workers(1, timeout=PATIENCE)
            else:
                with interrupts_blocked():  # its thread, too, which starts the processes
                    cluster = LocalCluster(
                        n_workers=workers, threads_per_worker=1, processes=True, host='127.0.0.1',
                        dashboard_address='127.0.0.1:0', silence_logs='CRITICAL',
                    )  # fmt: skip
                client = stack.enter_context(Client(stack.enter_context(cluster)))
        except (OSError, TimeoutError, ValueError) as error:
            why = str(error) or f'no answer for {ANSWERS:g} s'
            raise SoftshellError(f'{where} cannot be used: {why}') from error
        try:
            yield client
        except (OSError, CancelledError) as error:
            raise SoftshellError(f'{where} was lost; {then}') from error


@contextmanager
def answering() -> Iterator[None]:
    """A context in which workers that cannot do what they are asked for end in one error.

    Raises:
        SoftshellError: they lack softshell, or have another version; or what they raised.
        KilledWorker: one of them died, again and again.
        OSError: the cluster was lost.
        CancelledError: likewise.
    """
    from distributed.scheduler import KilledWorker

    try:
        yield
    except (SoftshellError, KilledWorker, OSError, CancelledError):
        raise
    except Exception as error:
        why = f'{type(error).__name__}: {" ".join(str(error).split())}'  # Dask's is a paragraph
        if not isinstance(error, (ImportError, AttributeError)) and 'deserializ' not in why:
            raise SoftshellError(f'what a worker did has failed: {why}') from error
        raise SoftshellError(
            f'the workers cannot do runs: {why}; expected the same version of softshell on each, '
            'with install/setup.bash sourced'
        ) from error


class Watch:
    """Asks the scheduler once in a while what workers there are.

    Args:
        client: of the workers.
        then: as in `workers_of`.

    Attributes:
        workers, threads: numbers of them; before the first question 0 and 1.
    """

    def __init__(self, client: 'Client', then: str = GOES_ON) -> None:
        self._client, self._then = client, then
        self.workers, self.threads = 0, 1
        self._ask_at, self._seen_at = 0.0, time.monotonic()

    def ask(self) -> None:
        """Ask, if the last time was a while ago."""
        if time.monotonic() >= self._ask_at:
            self._ask_at = time.monotonic() + COUNTED
            threads = self._client.nthreads()
            self.workers, self.threads = len(threads), sum(map(int, threads.values()))
            if self.workers:
                self._seen_at = time.monotonic()

    def refuse_gone(self) -> None:
        """Ask likewise.

        Raises:
            SoftshellError: there was no worker for `GONE`.
        """
        self.ask()
        if time.monotonic() > self._seen_at + GONE:
            raise SoftshellError(f'there was no worker for {GONE:g} s; {self._then}')


def gathered(client: 'Client', futures: Sequence[Any], then: str = GOES_ON) -> list[Any]:
    """The results of what workers do, once all of it is over.

    Args:
        client: of the workers.
        futures: what they do.
        then: as in `workers_of`.

    Raises:
        SoftshellError: there was no worker for `GONE`; or as `answering`.
        KilledWorker, OSError, CancelledError: as `answering`.
    """
    from distributed import wait

    watch = Watch(client, then)
    with answering():
        while all(future.status not in ('error', 'cancelled') for future in futures):
            try:
                wait(futures, timeout=PERIOD)
                break
            except TimeoutError:
                watch.refuse_gone()
        found: list[Any] = client.gather(futures)
    return found


def _reach(scheduler: str) -> None:
    """Return once a scheduler has answered.

    A `Client` that fails to begin closes whenever it is collected as garbage. If that is while
    another one begins, both wait for one lock for ever. So none begins in vain.

    Raises:
        OSError, TimeoutError, ValueError: none answers, or this is no address.
    """
    from distributed.comm.core import connect
    from distributed.security import Security

    async def ask() -> None:
        arguments = Security().get_connection_args('client')
        (await asyncio.wait_for(connect(scheduler, **arguments), ANSWERS)).abort()

    with ThreadPoolExecutor(1) as thread:  # a notebook has a loop of its own in this one
        thread.submit(asyncio.run, ask()).result()
