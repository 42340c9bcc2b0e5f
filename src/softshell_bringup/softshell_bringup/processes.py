"""Starts processes, watches them, and ends all of them when one of them or this process ends."""

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from softshell_common.signal_name import signal_name
from softshell_kinematics.errors import SoftshellError

#: Signals that a process is sent at its end, each with its time [s after the beginning of the
#: end]. Our nodes treat the first two alike; a node that still imports ends on SIGTERM without a
#: traceback.
ESCALATION = ((signal.SIGTERM, 0.0), (signal.SIGINT, 1.6), (signal.SIGKILL, 2.2))
#: Signal that witnesses are sent when a process has ended by itself.
DEATH = signal.SIGUSR1
WATCH_PERIOD = 0.02  # [s]
#: Number of lines that are kept of each process.
LAST_LINES = 20

#: Called with the name of a process and a line it printed, from a thread of its own.
Output = Callable[[str, str], None]


class ProcessDiedError(SoftshellError):
    """A process ended by itself, and all others were ended with it.

    Args:
        name: name of the process.
        how: how it ended, e.g. `ended with exit status 1`.
        lines: its last lines. The error's text has those from `error:` on, or else the last one
            if there is a traceback.
    """

    def __init__(self, name: str, how: str, lines: Sequence[str]) -> None:
        self.name = name
        self.how = how
        self.lines = tuple(lines)
        last = max((i for i, line in enumerate(lines) if line.startswith('error:')), default=None)
        why = '' if last is None else ': ' + '\n'.join(self.lines[last:])
        if last is None and any(line.startswith('Traceback') for line in lines):
            why = f': {lines[-1]}'
        super().__init__(f'{name} {how}{why}')


@dataclass(frozen=True)
class ProcessSpec:
    """A process to run.

    Args:
        name: its name in messages.
        command: program and arguments.
        optional: whether the others go on when this one ends.
        witness: whether it is sent `DEATH` when another has ended by itself, before all end.
        holds_signals: whether the program unblocks SIGINT and SIGTERM once it handles them, so
            that an early signal is neither lost nor ends it with a traceback.
    """

    name: str
    command: tuple[str, ...]
    optional: bool = False
    witness: bool = False
    holds_signals: bool = False


@dataclass
class _Running:
    spec: ProcessSpec
    process: subprocess.Popen[bytes]
    reader: threading.Thread | None
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=LAST_LINES))


class Processes:
    """Processes that start together and end together.

    Each has its own session, so Ctrl-C in the terminal reaches only this process. One thread
    starts and watches them; it lives as long as they do, since Linux signals a process when the
    thread that started it ends (see `attached`). If this process is killed, `guard` ends them.

    Args:
        specs: the processes, in the order in which they are started.
        environment: the whole environment of the processes.
        output: called with each line that they print.
    """

    def __init__(
        self, specs: Sequence[ProcessSpec], environment: Mapping[str, str], output: Output
    ) -> None:
        self._specs = tuple(specs)
        self._environment = dict(environment)
        self._output = output
        self._running: list[_Running] = []
        self._stop = threading.Event()
        self._started: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
        self._death: ProcessDiedError | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._supervise, name='processes', daemon=True)
        self._guard: _Running | None = None

    def start(self) -> None:
        """Start all processes, or none.

        Raises:
            OSError: a process could not be started.
            KeyboardInterrupt: Ctrl-C was pressed meanwhile; all processes have ended.
        """
        self._thread.start()
        try:
            problem = self._started.get()
        except KeyboardInterrupt:
            self.stop()
            raise
        if problem is not None:
            self._thread.join()
            raise problem

    def stop(self) -> None:
        """End all processes and wait until they have; `ESCALATION` bounds the time.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed meanwhile; all processes have ended.
        """
        self._stop.set()
        interrupt = None
        while self._thread.is_alive():
            try:
                self._thread.join()
            except KeyboardInterrupt as again:  # does not cut the clean-up short
                interrupt = again
        if interrupt is not None:
            raise interrupt

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all have ended, at most `timeout` [s]. Returns whether they have."""
        return self._ended.wait(timeout)

    def request_stop(self) -> None:
        """Begin to end all processes and return at once: for signal handlers."""
        self._stop.set()

    @property
    def death(self) -> ProcessDiedError | None:
        """The error of the process that ended by itself, and all others with it; else None."""
        return self._death

    @property
    def pids(self) -> dict[str, int]:
        """Process ids by name, also that of `guard`."""
        running = [*self._running, *([self._guard] if self._guard else [])]
        return {item.spec.name: item.process.pid for item in running}

    def _supervise(self) -> None:
        try:
            try:
                self._start_guard()
                for spec in self._specs:
                    self._running.append(self._spawn(spec))
            except BaseException as problem:
                self._started.put(problem)
                return
            self._started.put(None)
            while not self._stop.wait(WATCH_PERIOD):
                self._watch()
        finally:
            self._end_all()
            self._ended.set()

    def _start_guard(self) -> None:
        spec = ProcessSpec('guard', (sys.executable, '-I', '-S', _beside('guard.py')))
        process = subprocess.Popen(
            spec.command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
        )
        self._guard = _Running(spec, process, None)

    def _spawn(self, spec: ProcessSpec) -> _Running:
        process = subprocess.Popen(
            [*attached(spec.holds_signals), *spec.command],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._tell_guard(f'+{process.pid}')
        running = _Running(spec, process, None)
        running.reader = threading.Thread(target=self._read, args=(running,), daemon=True)
        running.reader.start()
        return running

    def _read(self, running: _Running) -> None:
        assert running.process.stdout is not None
        failed = False
        with contextlib.suppress(ValueError, OSError):
            for raw in running.process.stdout:
                line = raw.decode(errors='replace').rstrip('\r\n')
                running.lines.append(line)
                try:
                    self._output(running.spec.name, line)
                except Exception:  # reading goes on: a full pipe would stop the process
                    if not failed:
                        traceback.print_exc()
                    failed = True

    def _tell_guard(self, text: str) -> None:
        assert self._guard is not None
        assert self._guard.process.stdin is not None
        with contextlib.suppress(OSError):  # the guard has ended: _watch notices it
            self._guard.process.stdin.write(text.encode() + b'\n')
            self._guard.process.stdin.flush()

    def _watch(self) -> None:
        """Handle processes that ended by themselves."""
        assert self._guard is not None
        if self._guard.process.poll() is not None:
            self._die(self._guard)
        for running in list(self._running):
            if self._stop.is_set() or not _has_ended(running.process):
                continue
            self._bury(running)
            if running.spec.optional:
                self._running.remove(running)
                self._output(running.spec.name, _how(running.process))
            else:
                self._die(running)

    def _die(self, running: _Running) -> None:
        for other in self._running:
            if other.spec.witness and other.process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    other.process.send_signal(DEATH)
        self._death = ProcessDiedError(running.spec.name, _how(running.process), running.lines)
        self._stop.set()

    def _bury(self, running: _Running) -> None:
        """Kill the rest of an ended process's group, then let the system reuse its id."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(running.process.pid, signal.SIGKILL)
        self._tell_guard(f'-{running.process.pid}')
        running.process.wait()
        if running.reader is not None:
            running.reader.join(0.5)

    def _end_all(self) -> None:
        start = time.monotonic()
        left = [running for running in self._running if running.process.returncode is None]
        for number, after in ESCALATION:
            while left and time.monotonic() < start + after:
                left = self._bury_ended(left)
                time.sleep(WATCH_PERIOD / 2)
            for running in left:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(running.process.pid, number)
        while left:
            left = self._bury_ended(left)
            time.sleep(WATCH_PERIOD / 2)
        if self._guard is not None:
            assert self._guard.process.stdin is not None
            with contextlib.suppress(OSError):
                self._guard.process.stdin.close()
            self._guard.process.wait()

    def _bury_ended(self, left: list[_Running]) -> list[_Running]:
        for running in left:
            if _has_ended(running.process):
                self._bury(running)
        return [running for running in left if running.process.returncode is None]


def attached(holds_signals: bool) -> tuple[str, ...]:
    """The words to put before a command so that its process ends with this one.

    Args:
        holds_signals: see `ProcessSpec`.
    """
    hold = str(int(holds_signals))
    return (sys.executable, '-I', '-S', _beside('attached.py'), str(os.getpid()), hold)


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process has ended; does not let the system reuse its id."""
    if process.returncode is not None:
        return True
    flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
    try:
        return os.waitid(os.P_PID, process.pid, flags) is not None
    except ChildProcessError:
        return True


def _how(process: subprocess.Popen[bytes]) -> str:
    code = process.returncode
    if code < 0:
        return f'was killed by {signal_name(-code)}'
    return f'ended with exit status {code}'


def _beside(name: str) -> str:
    return str(Path(__file__).resolve().with_name(name))
