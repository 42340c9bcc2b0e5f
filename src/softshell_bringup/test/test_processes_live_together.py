"""Processes live and die together: real processes, tiny ones."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from softshell_bringup import processes as tested
from softshell_bringup.processes import Processes, ProcessSpec

#: [s] a safety net, no measure of anything; what is started would last twice as long.
PATIENCE = 30.0
POLITE = 'import time; print("hello", flush=True); time.sleep(60)'
STUBBORN = (
    'import signal, time\n'
    'for number in (signal.SIGINT, signal.SIGTERM): signal.signal(number, signal.SIG_IGN)\n'
    'print("hello", flush=True); time.sleep(60)'
)
PARENT = (
    'import subprocess, sys, time\n'
    f'subprocess.Popen([sys.executable, "-c", {STUBBORN!r}])\n'
    'time.sleep(60)'
)
MORTAL = 'import sys; print("last words", flush=True); sys.exit(3)'
RUNNER = f"""
import os, sys, time
from softshell_bringup.processes import Processes, ProcessSpec
specs = [ProcessSpec(n, (sys.executable, '-c', c)) for n, c in
         (('polite', {POLITE!r}), ('stubborn', {STUBBORN!r}))]
processes = Processes(specs, os.environ,
                      lambda name, line: print(name + ' ' + line + '\\n', end='', flush=True))
processes.start()
print('pids', processes.pids, flush=True)
time.sleep(60)
"""


class Lines(list):
    """Collects what processes print, and waits for it."""

    def __call__(self, name: str, line: str) -> None:
        self.append((name, line))

    def wait_for(self, *wanted: tuple[str, str], timeout: float = PATIENCE) -> None:
        end = time.monotonic() + timeout
        while not set(wanted) <= set(self):
            assert time.monotonic() < end, f'{wanted} not in {list(self)}'
            time.sleep(0.01)


def make(lines: Lines, *codes: tuple[str, str], optional: str = '') -> Processes:
    specs = [
        ProcessSpec(name, (sys.executable, '-c', code), name == optional) for name, code in codes
    ]
    return Processes(specs, os.environ, lines)


def test_an_output_that_fails_does_not_stop_reading(capfd):
    """Such as a terminal that cannot show a letter: a pipe that is full would stop the process."""
    lines = Lines()

    def show(name, line):
        lines(name, line)
        if line == '0':
            raise UnicodeEncodeError('latin-1', line, 0, 1, 'not in range')

    talk = (
        'import time\nfor n in range(20_000): print(n)\nprint("done", flush=True); time.sleep(60)'
    )
    specs = [ProcessSpec('talker', (sys.executable, '-c', talk))]
    processes = Processes(specs, os.environ, show)
    processes.start()
    try:
        lines.wait_for(('talker', 'done'), timeout=60.0)
    finally:
        processes.stop()
    assert capfd.readouterr().err.count("UnicodeEncodeError: 'latin-1'") == 1


def test_all_end_soon_however_stubborn(family):
    """Polite ones, those that ignore signals, and children of theirs: 3 s on an idle machine."""
    lines = Lines()
    processes = make(lines, ('a', POLITE), ('b', STUBBORN), ('c', PARENT))
    processes.start()
    lines.wait_for(('a', 'hello'), ('b', 'hello'), ('c', 'hello'))
    assert len(family.pids()) == 5  # with the grandchild and the guard
    start = time.monotonic()
    processes.stop()
    assert time.monotonic() - start < 10.0
    assert family.gone_after(20.0) < 20.0
    assert processes.death is None


def test_polite_processes_end_at_once(family, monkeypatch):
    """Nobody waits for a signal to be sent that is not needed."""
    first, *others = tested.ESCALATION
    late = [(number, after + PATIENCE) for number, after in others]
    monkeypatch.setattr(tested, 'ESCALATION', (first, *late))
    lines = Lines()
    processes = make(lines, ('a', POLITE), ('b', POLITE))
    processes.start()
    lines.wait_for(('a', 'hello'), ('b', 'hello'))
    start = time.monotonic()
    processes.stop()
    assert time.monotonic() - start < PATIENCE
    assert not family.pids()


def test_a_process_that_dies_ends_the_others_and_is_named(family):
    """The death says who, how, and the last words."""
    lines = Lines()
    processes = make(lines, ('a', POLITE), ('mortal', MORTAL))
    processes.start()
    assert processes.wait(PATIENCE)
    death = processes.death
    assert (death.name, death.how) == ('mortal', 'ended with exit status 3')
    assert death.lines == ('last words',)
    assert not family.pids()


def test_the_death_says_what_the_process_said(family):
    """What a node prints as its error is in the text of the death, for programs and for people."""
    code = 'import sys; print("hello"); print("error: bad robot\\n  - no legs"); sys.exit(1)'
    processes = make(Lines(), ('mortal', code))
    processes.start()
    assert processes.wait(PATIENCE)
    assert str(processes.death) == 'mortal ended with exit status 1: error: bad robot\n  - no legs'


@pytest.mark.parametrize(
    ('number', 'name'), [(signal.SIGKILL, 'SIGKILL'), (signal.SIGRTMIN + 6, 'signal 40')]
)
def test_a_killed_process_is_named_with_the_signal(family, number, name):
    """Killing one process ends all, and the death names process and signal, named or not."""
    lines = Lines()
    processes = make(lines, ('a', POLITE), ('b', POLITE))
    processes.start()
    lines.wait_for(('a', 'hello'), ('b', 'hello'))
    os.kill(processes.pids['b'], number)
    assert processes.wait(PATIENCE)
    assert str(processes.death) == f'b was killed by {name}'
    assert not family.pids()


def test_without_their_guard_processes_do_not_go_on(family):
    """Killing the guard ends all as well: nothing runs unguarded."""
    lines = Lines()
    processes = make(lines, ('a', POLITE))
    processes.start()
    lines.wait_for(('a', 'hello'))
    os.kill(processes.pids['guard'], signal.SIGKILL)
    assert processes.wait(PATIENCE)
    assert processes.death.name == 'guard'
    assert not family.pids()


def test_the_others_go_on_without_an_optional_process(family):
    """One that may end does so by itself, is named with its status, and ends nobody else."""
    lines = Lines()
    processes = make(lines, ('a', POLITE), ('mortal', MORTAL), optional='mortal')
    processes.start()
    lines.wait_for(('a', 'hello'), ('mortal', 'ended with exit status 3'))
    assert not processes.wait(0.3)
    assert set(processes.pids) == {'a', 'guard'}
    processes.stop()
    assert processes.death is None
    assert not family.pids()


def test_a_program_that_is_not_there_is_a_named_death(family):
    """A command that cannot be run ends the others."""
    specs = [ProcessSpec('a', (sys.executable, '-c', POLITE)), ProcessSpec('b', ('/no/such',))]
    processes = Processes(specs, os.environ, Lines())
    processes.start()
    assert processes.wait(PATIENCE)
    assert processes.death.name == 'b'
    assert any('/no/such' in line for line in processes.death.lines)
    assert not family.pids()


@pytest.mark.parametrize('number', [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_killing_the_runner_leaves_nothing_behind(family, number):
    """Whatever kills the runner, all it started is gone within 3 s, stubborn ones as well."""
    runner = subprocess.Popen([sys.executable, '-c', RUNNER], stdout=subprocess.PIPE, text=True)
    wanted = {'polite hello', 'stubborn hello'}
    while wanted:
        line = runner.stdout.readline()
        assert line, f'the runner ended without {wanted}'
        wanted.discard(line.strip())
    assert len(family.pids()) == 4
    runner.send_signal(number)
    runner.wait(PATIENCE)
    assert family.gone_after(20.0) < 20.0


def test_processes_outlive_the_thread_that_asked_for_them(family):
    """Linux' death signal follows threads: a short-lived caller must not trigger it."""
    lines = Lines()
    processes = make(lines, ('a', POLITE))
    thread = threading.Thread(target=processes.start)
    thread.start()
    thread.join()
    lines.wait_for(('a', 'hello'))
    assert not processes.wait(0.3)
    processes.stop()
    assert not family.pids()
