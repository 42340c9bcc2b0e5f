"""How a node's process ends, whenever it is told to: real processes, real signals."""

import os
import signal
import subprocess
import sys
import time

import pytest

#: A node of which each part can be made slow.
NODE = """
import sys, time
from rclpy.node import Node
from softshell_common.ros.run import run
from softshell_kinematics.errors import SoftshellError

class Patient(Node):
    def __init__(self):
        super().__init__('patient')
        print('making', flush=True)
        time.sleep(float(sys.argv[1]))
        self.left = 3
        self.create_timer(0.01, self.work)

    def work(self):
        print('working', flush=True)
        if sys.argv[4:] in (['bug'], ['end']):
            raise {'bug': ValueError, 'end': SoftshellError}[sys.argv[4]]('out of order')
        time.sleep(float(sys.argv[2]))
        print('worked', flush=True)

    def begin_ending(self):
        self.create_timer(0.01, self.answer)

    def answer(self):
        self.left -= 1
        print('answered', flush=True)

    def is_ending(self):
        return self.left > 0

    def close(self):
        print('closed', flush=True)
        time.sleep(float(sys.argv[3]))
        if sys.argv[4:] == ['close']:
            raise SoftshellError('torque off is not confirmed')

def main():
    return run(Patient)
"""
START = 'import sys; from softshell_common.entry import run_node; sys.exit(run_node("patient"))'


class Run:
    """The node in a process of its own.

    Args:
        folder: to put the module in.
        slow_import: code that the module begins with.
        delays: of making, of a callback and of closing [s].
    """

    def __init__(self, folder, domains, slow_import='', delays=(0, 0, 0), before=None):
        (folder / 'patient.py').write_text(
            f'print("importing", flush=True)\n{slow_import}\n{NODE}'
        )
        paths = os.pathsep.join([str(folder), os.environ.get('PYTHONPATH', '')])
        self.process = subprocess.Popen(
            [sys.executable, '-c', START, *map(str, delays)],
            env={**os.environ, 'PYTHONPATH': paths, 'ROS_DOMAIN_ID': str(domains())},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=before,
        )
        self.lines = []

    def wait_for(self, text):
        for line in self.process.stdout:
            self.lines.append(line.strip())
            if text in line:
                return
        raise AssertionError(f'ended without {text!r}: {self.lines}')

    def signal(self, number=signal.SIGINT):
        self.process.send_signal(number)

    def end(self):
        """The exit status; what was printed is in `lines`."""
        rest, _ = self.process.communicate(timeout=60)
        self.lines += rest.splitlines()
        return self.process.returncode


@pytest.fixture
def start(tmp_path, domains):
    runs = []

    def make(**more):
        runs.append(Run(tmp_path, domains, **more))
        return runs[-1]

    yield make
    for run in runs:
        run.process.kill()


def test_no_search_for_unused_objects_looks_at_what_a_node_begins_with(start):
    """It would stop a control loop for several periods."""
    told = 'gc.isenabled(), len(gc.get_objects()), gc.get_freeze_count()'
    run = start(slow_import=f'import atexit, gc\natexit.register(lambda: print({told}))')
    run.wait_for('worked')
    run.signal()
    assert run.end() == 0
    enabled, searched, left_out = run.lines[-1].split()
    assert enabled == 'True'
    assert int(searched) < 0.1 * int(left_out)


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_node_in_order(start, number):
    """Those who wait are answered, then the node is closed; status 0 and no traceback."""
    run = start()
    run.wait_for('worked')
    run.signal(number)
    assert run.end() == 0
    end = [line for line in run.lines if line in ('answered', 'closed')]
    assert end[:3] == ['answered'] * 3
    assert end[-1] == 'closed'
    assert not any('Traceback' in line for line in run.lines)


def test_signals_until_the_very_end_are_not_noticed(start):
    """A process that is told to end again and again ends once, with status 0."""
    run = start(delays=(0, 0, 0.3))
    run.wait_for('worked')
    while run.process.poll() is None:
        run.signal()
        time.sleep(0.002)
    assert run.end() == 0
    assert run.lines.count('closed') == 1
    assert not any('Traceback' in line or 'Exception' in line for line in run.lines)


def test_a_callback_is_not_cut_short(start):
    """A signal in the middle of a callback waits for its end."""
    run = start(delays=(0, 0.5, 0))
    run.wait_for('working')
    run.signal()
    assert run.end() == 0
    assert run.lines.count('working') == run.lines.count('worked')


def test_a_callback_that_fails_does_not_end_the_node(start):
    """It is told with where it happened, and the next callback comes."""
    run = start(delays=(0, 0, 0, 'bug'))
    for _ in range(3):
        run.wait_for('working')
    run.signal()
    assert run.end() == 0
    assert any('a callback failed, the node continues' in line for line in run.lines)
    assert any('ValueError: out of order' in line for line in run.lines)


def test_an_error_of_our_own_ends_the_node_by_name(start):
    """What says that the node cannot do its work any more ends it, with status 1."""
    run = start(delays=(0, 0, 0, 'end'))
    assert run.end() == 1
    assert 'error: out of order' in run.lines
    assert 'closed' in run.lines


def test_an_error_while_it_is_closed_is_one_line(start):
    """Such as servos that have no supply any more and do not confirm that they are off."""
    run = start(delays=(0, 0, 0, 'close'))
    run.wait_for('worked')
    run.signal()
    assert run.end() == 1
    assert 'error: torque off is not confirmed' in run.lines
    assert not any('Traceback' in line for line in run.lines)


def test_a_node_that_hangs_while_it_ends_says_where_and_ends(start):
    """Nobody waits for it longer than `LONGEST_ENDING`; the status tells that it went wrong."""
    soon = 'import softshell_common.ros.run as r; r.LONGEST_ENDING = 10'
    run = start(slow_import=soon, delays=(0, 0, 600))
    run.wait_for('worked')
    run.signal()
    assert run.end() == 1
    assert 'closed' in run.lines
    assert any('in close' in line for line in run.lines)


def test_a_process_that_hangs_after_its_node_ended_is_ended(start):
    """A library may hang where it is unloaded, after Python and what watches in it have ended."""
    hang = (
        'import ctypes, softshell_common.ros.run  # which ends the node in its own time\n'
        'import softshell_common.entry as e; e.LONGEST_ENDING = 2\n'
        'c = ctypes.CDLL(None); c.__cxa_atexit.argtypes = [ctypes.c_void_p] * 3\n'
        'c.__cxa_atexit(ctypes.cast(c.pause, ctypes.c_void_p), None, None)'
    )
    run = start(slow_import=hang)
    run.wait_for('worked')
    run.signal()
    assert run.end() == -signal.SIGALRM
    assert run.lines[-1] == 'closed'


SLOW_START = """
import rclpy, time
rclpy.init = lambda **options: print('initialising', flush=True) or time.sleep(30)
"""


@pytest.mark.parametrize(
    ('slow_import', 'delays', 'moment'),
    [
        ('import time; time.sleep(30)', (0, 0, 0), 'importing'),
        (SLOW_START, (0, 0, 0), 'initialising'),
        ('', (30, 0, 0), 'making'),
    ],
    ids=['importing', 'initialising', 'making'],
)
def test_a_signal_before_the_node_spins_ends_it_at_once(start, slow_import, delays, moment):
    """Neither imports nor the start of ROS nor what a constructor does are waited for."""
    run = start(slow_import=slow_import, delays=delays)
    run.wait_for(moment)
    begin = time.monotonic()
    run.signal()
    assert run.end() == 0
    assert time.monotonic() - begin < 15
    assert not any('Traceback' in line for line in run.lines)


def test_a_signal_that_was_held_back_counts_once_the_node_listens(start):
    """Who starts the process may block signals; the entry point takes what came meanwhile."""

    def hold():
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        os.kill(os.getpid(), signal.SIGINT)

    run = start(before=hold)
    assert run.end() == 0
    assert run.lines == []
