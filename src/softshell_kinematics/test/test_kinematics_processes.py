"""Threads: as many as the process may use, and new ones in a process that is forked."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from softshell_kinematics import IkOptions, Limbs, solve_ik
from softshell_kinematics.examples import goals_of, lower_leg
from softshell_kinematics.solving.threads import threads_for, usable_cpus

#: [s] A process that hangs is given up after so long; nothing is measured by it.
PATIENCE = 120.0
FORKS = """
import multiprocessing, os, signal, sys
import numpy as np
from softshell_kinematics import IkOptions, solve_ik
from softshell_kinematics.examples import goals_of, lower_leg

leg = lower_leg()
goals = goals_of(leg, leg.random(1000, np.random.default_rng(0)), 'x y z')
options = IkOptions(threads=2)

def answer(_=None):
    return solve_ik(leg, goals, options=options).q.tobytes()

def end():
    for child in multiprocessing.active_children():
        child.kill()
    os._exit(1)

expected = answer()  # with threads, of which a fork has none
if sys.argv[1] == 'fork':
    child = os.fork()
    if child == 0:
        grandchild = os.fork()
        if grandchild == 0:
            os._exit(0 if answer() == expected else 1)
        status = os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1])
        os._exit(0 if answer() == expected and status == 0 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
else:
    with multiprocessing.get_context('fork').Pool(2) as pool:
        assert pool.map(answer, range(4)) == [expected] * 4
assert answer() == expected
print('answered')
"""


#: The thread gives the lock back when the fork is over, or waits for it.
COMPILES = """
import os, threading
from numba.core.compiler_lock import global_compiler_lock
from softshell_kinematics import solve_ik
from softshell_kinematics.examples import lower_leg

leg, held, forked = lower_leg(), threading.Event(), threading.Event()

def compile():
    with global_compiler_lock:
        held.set()
        forked.wait(2.0)

def solves():
    return solve_ik(leg, leg.forward(leg.middle())).converged

threading.Thread(target=compile).start()
held.wait()
child = os.fork()
if child == 0:
    os._exit(0 if solves() else 1)
forked.set()
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert solves()
print('answered')
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ('program', 'way'), [(FORKS, 'fork'), (FORKS, 'pool'), (COMPILES, '')],
    ids=['fork', 'pool', 'while a thread compiles'],
)  # fmt: skip
def test_a_forked_process_solves_as_the_one_it_comes_from(program, way):
    """After a large problem, child, grandchild, pool and parent each solve one, bit for bit."""
    command = [sys.executable, '-c', program, way]
    # A session of its own, so that whatever hangs is ended with it.
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            output, _ = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            pytest.fail('a forked process hangs')
    assert (process.returncode, output) == (0, 'answered\n')


AFFINITY = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
import threading
import numpy as np
from softshell_kinematics import IkOptions, solve_ik
from softshell_kinematics.examples import goals_of, lower_leg
leg = lower_leg()
goals = goals_of(leg, leg.random(2000, np.random.default_rng(0)), 'x y z')
for threads in (0, 1, 3):
    solve_ik(leg, goals, options=IkOptions(threads=threads))
    print(any(thread.name.startswith('kinematics') for thread in threading.enumerate()))
"""


@pytest.mark.skipif(not hasattr(os, 'sched_setaffinity'), reason='no affinity here')
def test_the_affinity_says_how_many_threads_and_the_option_overrides_it():
    """On one CPU no thread is started, also where the machine has more; if asked for, it is."""
    command = [sys.executable, '-c', AFFINITY]
    output = subprocess.run(command, check=True, timeout=PATIENCE, capture_output=True, text=True)
    assert output.stdout.split() == ['False', 'False', 'True']


def test_few_points_are_not_shared():
    """A thread is worth its start from 200 points on; 0 asks for all CPUs of the process."""
    assert [threads_for(points, 4) for points in (0, 1, 399, 400, 799, 800, 10**6)] == [
        1, 1, 1, 2, 3, 4, 4,
    ]  # fmt: skip
    assert threads_for(10**6, 0) == usable_cpus()


@pytest.mark.parametrize('warm_start', [False, True])
@pytest.mark.parametrize('limbs', [1, 3, 4])
def test_the_number_of_threads_changes_no_bit(limbs, warm_start):
    """By points or by limbs: the same answers, from several threads of the caller as well."""
    legs = [lower_leg(k) for k in range(limbs)]
    generator = np.random.default_rng(1)
    goals = np.stack([goals_of(leg, leg.random(800, generator), 'x y z') for leg in legs])
    answers = []

    def solve(threads):
        options = IkOptions(warm_start=warm_start, threads=threads, restarts=2)
        answers.append(Limbs(legs).solve(goals, options=options).q.tobytes())

    callers = [threading.Thread(target=solve, args=(threads,)) for threads in (1, 2, 3, 4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(answers) == 4
    assert len(set(answers)) == 1
    first = solve_ik(legs[0], goals[0], options=IkOptions(warm_start=warm_start, restarts=2))
    assert first.q.tobytes() == answers[0][: first.q.nbytes]
