"""A process that does the jobs of a batch, one after the other."""

import os
import pickle
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.context import ForkContext, SpawnContext
from multiprocessing.resource_tracker import ensure_running
from typing import Any

from softshell_common.parent import end_with_parent
from softshell_kinematics.errors import SoftshellError

#: What does a job: it takes the job and a seed.
Function = Callable[[Any, int], Any]
#: What a worker says once, when it can take jobs.
READY = b''
#: For which a process that closed its pipe may take to end [s].
PATIENCE = 10.0


class Worker:
    """A process with a pipe to it.

    Args:
        context: how processes are started.
        function: does the jobs.

    Attributes:
        process, connection: the process, and the end of the pipe here.
        ready: whether it takes jobs.
        gone: whether it has ended.
        job: number of the job that it does; None: it does none.
    """

    def __init__(self, context: SpawnContext | ForkContext, function: Function) -> None:
        self.ready = self.gone = False
        self.job: int | None = None
        self.connection, theirs = context.Pipe()
        self.process = context.Process(
            target=_work, args=(function, theirs, os.getpid()), daemon=True
        )
        try:
            with _interrupts_blocked():
                self.process.start()
        except BaseException:
            self.connection.close()
            raise
        finally:
            theirs.close()  # else the pipe would stay open when the process ends

    def give(self, number: int, content: bytes) -> None:
        """Have a job done; that the process has ended meanwhile is left to `receive`.

        Args:
            number: of the job.
            content: the pickled job and its seed.
        """
        self.job = number
        with suppress(OSError):
            self.connection.send_bytes(content)

    def receive(self) -> bytes | None:
        """What it gave for its job, pickled; None: nothing, but it may be ready or gone now."""
        alive = self.process.is_alive()  # before the last that it said is looked for
        try:
            if not self.connection.poll():
                self.gone = not alive
                return None
            content = self.connection.recv_bytes()
        except (EOFError, OSError):
            self.gone = True
            return None
        if not self.ready:
            self.ready = content == READY
            return None
        self.job = None
        return content

    def how_it_ended(self) -> str:
        """In words, of a process that is gone."""
        self.process.join(PATIENCE)
        code = self.process.exitcode
        if code is None:
            how = 'closed its pipe'
        else:
            how = f'was ended by {_signal_name(-code)}' if code < 0 else f'ended with code {code}'
        return f'worker process {self.process.pid} {how}'


def end_all(workers: list[Worker]) -> None:
    """End processes at once, whatever they do, and forget them."""
    for worker in workers:
        worker.process.kill()
    for worker in workers:
        worker.process.join()
        worker.connection.close()
    workers.clear()


def _work(function: Function, connection: Connection, parent: int) -> None:
    """Do jobs until there are no more; the life of the process."""
    end_with_parent(parent)
    with suppress(EOFError, BrokenPipeError):  # the program has ended
        connection.send_bytes(READY)
        while True:
            connection.send_bytes(_do(function, connection.recv_bytes()))


def _do(function: Function, content: bytes) -> bytes:
    """The pickled value of a job, or else its error in one line and its traceback."""
    try:
        job, seed = pickle.loads(content)
        return pickle.dumps((function(job, seed), '', ''))
    except (Exception, SystemExit) as error:
        return pickle.dumps((None, describe(error), traceback.format_exc()))


def describe(error: BaseException) -> str:
    """An error in one text, never empty; of a caller's mistake the text alone."""
    if isinstance(error, SoftshellError):
        return str(error)
    return f'{type(error).__name__}: {error}'


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f'signal {number}'


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Whatever is started here never sees a Ctrl-C, which goes to all processes of a terminal.

    The tracker of multiprocessing, which the first spawned process would start, lets interrupts
    through again once it runs.
    """
    ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
