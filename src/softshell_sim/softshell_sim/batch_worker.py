"""A worker process, which does jobs of a batch one after the other."""

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
from softshell_common.signal_name import signal_name
from softshell_kinematics.errors import SoftshellError

#: Does a job: takes the job and a seed, returns a value.
Function = Callable[[Any, int], Any]
#: Message that a worker sends once, when it can take jobs.
READY = b''
#: Time that a process may take to end after it has closed its pipe [s].
PATIENCE = 10.0


class Worker:
    """A worker process and the pipe to it.

    Args:
        context: starts the process.
        function: does the jobs.

    Attributes:
        process, connection: the process, and this program's end of the pipe.
        ready: whether the process takes jobs.
        gone: whether the process has ended.
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
            with interrupts_blocked():
                self.process.start()
        except BaseException:
            self.connection.close()
            raise
        finally:
            theirs.close()  # else the pipe would stay open when the process ends

    def give(self, number: int, content: bytes) -> None:
        """Send a job to the process. If the process has ended, `receive` notices it.

        Args:
            number: of the job.
            content: the pickled job and its seed.
        """
        self.job = number
        with suppress(OSError):
            self.connection.send_bytes(content)

    def receive(self) -> bytes | None:
        """The pickled result of its job; None: none yet. Updates `ready`, `gone` and `job`."""
        alive = self.process.is_alive()  # before the pipe: its last message is not lost
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
        """How a process that is gone has ended, in words."""
        self.process.join(PATIENCE)
        code = self.process.exitcode
        if code is None:
            how = 'closed its pipe'
        else:
            how = f'was ended by {signal_name(-code)}' if code < 0 else f'ended with code {code}'
        return f'worker process {self.process.pid} {how}'


def end_all(workers: list[Worker]) -> None:
    """Kill processes, whatever they do, and empty the list."""
    for worker in workers:
        worker.process.kill()
    for worker in workers:
        worker.process.join()
        worker.connection.close()
    workers.clear()


def _work(function: Function, connection: Connection, parent: int) -> None:
    """The main function of the process: do jobs until the pipe is closed."""
    end_with_parent(parent)
    with suppress(EOFError, BrokenPipeError):  # the parent program has ended
        connection.send_bytes(READY)
        while True:
            connection.send_bytes(_do(function, connection.recv_bytes()))


def _do(function: Function, content: bytes) -> bytes:
    """The pickled (value, error, traceback) of a job; without an error both texts are empty."""
    try:
        job, seed = pickle.loads(content)
        return pickle.dumps((function(job, seed), '', ''))
    except (Exception, SystemExit) as error:
        return pickle.dumps((None, describe(error), traceback.format_exc()))


def describe(error: BaseException) -> str:
    """An error as text, never empty: with its type, but for errors of softshell."""
    try:
        text = str(error)
    except Exception as other:
        text = f'its text cannot be had: {type(other).__name__}'
    if isinstance(error, SoftshellError):
        return text or type(error).__name__
    return f'{type(error).__name__}: {text}'


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Processes that are started in this context ignore Ctrl-C, which all of a terminal get.

    The resource tracker of multiprocessing is started first: the first spawned process would start
    it, and it would then let interrupts through again.
    """
    ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
