"""Starts processes, watches them and ends them all, whatever happens to any of them or to us."""

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from softshell_kinematics.errors import SoftshellError

#: What an ending process is sent, and when [s after the beginning of the end]. Our nodes take the
#: first two alike; one that is still importing ends on SIGTERM without a traceback.
ESCALATION = ((signal.SIGTERM, 0.0), (signal.SIGINT, 1.6), (signal.SIGKILL, 2.2))
#: What witnesses are sent when a process has ended by itself.
DEATH = signal.SIGUSR1
WATCH_PERIOD = 0.02  # [s]
LAST_LINES = 20

#: Called with the name of a process and a line it printed, from a thread of its own.
Output = Callable[[str, str], None]


class ProcessDiedError(SoftshellError):
    """A process ended by itself, and all others were ended for it.

    Args:
        name: of the process.
        how: it ended.
        lines: the last ones it printed; those from `error:` on, or else the last one of a
            traceback, are in the text.
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
        name: for people.
        command: program and arguments.
        optional: the others go on when this one ends.
        witness: it is sent `DEATH` when another has ended by itself, before all are ended.
        holds_signals: the program unblocks SIGINT and SIGTERM once it listens to them, so that one
            in its first moments is neither lost nor ends it with a traceback.
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
    """Processes that live and die together.

    Each has a session of its own, so a Ctrl-C in the terminal reaches only us. One thread starts
    and watches them all; it stays as long as they do, for Linux tells a process of the death of
    the thread that started it (see `attached`). Should we be killed, `guard` ends what is left.

    Args:
        specs: what to run, in the order of starting.
        environment: the whole environment of the processes.
        output: takes the lines they print.
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
            OSError: one could not be started.
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
        """End all processes and wait for it: `ESCALATION` says how long that takes at most.

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
        """Wait until all processes have ended; whether they have."""
        return self._ended.wait(timeout)

    def request_stop(self) -> None:
        """Begin the end and return at once: for signal handlers."""
        self._stop.set()

    @property
    def death(self) -> ProcessDiedError | None:
        """The process that ended by itself and took the others with it."""
        return self._death

    @property
    def pids(self) -> dict[str, int]:
        """Process ids by name, that of the guard among them."""
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
        with contextlib.suppress(ValueError, OSError):
            for raw in running.process.stdout:
                line = raw.decode(errors='replace').rstrip('\r\n')
                running.lines.append(line)
                self._output(running.spec.name, line)

    def _tell_guard(self, text: str) -> None:
        assert self._guard is not None
        assert self._guard.process.stdin is not None
        with contextlib.suppress(OSError):  # it died: _watch sees it
            self._guard.process.stdin.write(text.encode() + b'\n')
            self._guard.process.stdin.flush()

    def _watch(self) -> None:
        """Act on processes that ended by themselves."""
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
        """Kill what an ended process left in its group, then give its id back."""
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
    """What is put before a command, so that its process ends with this one.

    Args:
        holds_signals: as of `ProcessSpec`.
    """
    hold = str(int(holds_signals))
    return (sys.executable, '-I', '-S', _beside('attached.py'), str(os.getpid()), hold)


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process has ended, without giving its id back to the system."""
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
        return f'was killed by {signal.Signals(-code).name}'
    return f'ended with exit status {code}'


def _beside(name: str) -> str:
    return str(Path(__file__).resolve().with_name(name))
