"""Processes that do work on Dask: of this machine, or of a cluster."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from softshell_kinematics.errors import SoftshellError

if TYPE_CHECKING:
    from distributed import Client

#: How long workers of a cluster are waited for [s].
PATIENCE = 60.0
#: Within how long a scheduler answers [s].
ANSWERS = 10.0
#: How often a run may end its worker before it counts as failed.
DEATHS = 2
#: Workers keep what memory they have: by Dask's own setting they give each array of a run back to
#: the system, which can take as long as the run itself. Arrays are computed on one thread.
MEMORY = {
    'MALLOC_TRIM_THRESHOLD_': 128 * 2**20,
    'MALLOC_MMAP_THRESHOLD_': 32 * 2**20,
    'OPENBLAS_NUM_THREADS': 1,
    'OMP_NUM_THREADS': 1,
    'MKL_NUM_THREADS': 1,
}


@contextmanager
def workers_of(scheduler: str, workers: int) -> Iterator['Client']:
    """A client of the workers of a cluster, or of as many processes of this machine.

    Args:
        scheduler: address of the cluster; empty: this machine.
        workers: processes of this machine.

    Raises:
        SoftshellError: it cannot be reached, or has no workers.
    """
    import dask
    from distributed import Client, LocalCluster

    settings = {
        'distributed.scheduler.allowed-failures': DEATHS,
        'distributed.worker.daemon': True,
        'distributed.comm.timeouts.connect': '10s',
        'distributed.nanny.pre-spawn-environ': MEMORY,
    }
    with ExitStack() as stack:
        stack.enter_context(dask.config.set(settings))
        try:
            if scheduler:
                client = stack.enter_context(Client(scheduler, timeout=ANSWERS))
                client.wait_for_workers(1, timeout=PATIENCE)
            else:
                cluster = LocalCluster(
                    n_workers=workers, threads_per_worker=1, processes=True, host='127.0.0.1',
                    dashboard_address='127.0.0.1:0', silence_logs='CRITICAL',
                )  # fmt: skip
                client = stack.enter_context(Client(stack.enter_context(cluster)))
        except (OSError, TimeoutError) as error:
            where = f'scheduler {scheduler}' if scheduler else 'Dask on this machine'
            raise SoftshellError(f'{where} cannot be used: {error or "no answer"}') from error
        yield client
