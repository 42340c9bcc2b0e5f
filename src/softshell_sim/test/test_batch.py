"""Batches: jobs in processes give what a loop gives, and no job spoils another."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import batch_jobs
import light_jobs
import numpy as np
import pytest
from every_engine import OTHERS_LONG

from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_sim.batch import run_batch

METHODS = ('fork', 'spawn')
HERE = Path(__file__).parent
#: Waits in two processes for what never comes.
PROGRAM = f"""
import sys
sys.path.insert(0, {str(HERE)!r})
from light_jobs import tell_and_wait
from softshell_sim.batch import run_batch
if __name__ == '__main__':
    list(run_batch(tell_and_wait, [sys.argv[1]] * 4, workers=2, method=sys.argv[2]))
"""


@pytest.mark.parametrize('engine', OTHERS_LONG)
@pytest.mark.parametrize('method', METHODS)
def test_a_batch_gives_what_a_loop_gives(method, engine):
    """The results are equal bit for bit, with seeds as numpy spawns them; all jobs differ."""
    seeds = [
        int(each.generate_state(1, np.uint64)[0]) for each in np.random.SeedSequence(5).spawn(3)
    ]
    expected = [batch_jobs.swing(engine, seed).tobytes() for seed in seeds]
    outcomes = run_batch(batch_jobs.swing, [engine] * 3, workers=2, method=method, seed=5)
    assert [outcome.result().tobytes() for outcome in outcomes] == expected
    assert len(set(expected)) == 3


@pytest.mark.parametrize('method', METHODS)
def test_a_job_that_fails_or_dies_says_how_and_the_others_go_on(method):
    """Outcomes come in the order of the jobs; each without a value has a text that says why."""
    jobs = ['slow', 'wrong', 'divide', 'killed', 'leave', 'ended', 'unsendable', 'fine']
    told = []
    outcomes = list(
        run_batch(
            light_jobs.behave, jobs, 2, method, progress=lambda *numbers: told.append(numbers)
        )
    )
    assert [outcome.job for outcome in outcomes] == jobs
    assert [outcome.number for outcome in outcomes] == list(range(8))
    assert told == [(k, 8) for k in range(1, 9)]
    errors = {outcome.job: outcome.error for outcome in outcomes}
    assert errors['wrong'] == 'no such robot'
    assert errors['divide'].startswith('ZeroDivisionError: ')
    assert errors['leave'] == 'SystemExit: 4'
    assert re.fullmatch(r'worker process \d+ was ended by SIGKILL', errors['killed'])
    assert errors['ended'].endswith('ended with code 3')
    assert 'lambda' in errors['unsendable']
    assert errors['slow'] == errors['fine'] == ''
    assert 'behave' in outcomes[2].details
    assert [outcomes[k].result()[0] for k in (0, 7)] == ['slow', 'fine']
    with pytest.raises(SoftshellError, match=r'^job 1: no such robot$'):
        outcomes[1].result()


def test_a_job_that_fails_without_a_word_has_failed():
    """Its error is the name of the type, also if its text is another error."""
    silent, wordless, fine = run_batch(
        light_jobs.behave, ['silent', 'wordless', 'fine'], 1, 'fork'
    )
    assert silent.error == 'SoftshellError'
    assert wordless.error == 'WordlessError: its text cannot be had: TypeError'
    assert fine.error == ''


@pytest.mark.timeout(60)
@pytest.mark.parametrize('sendable', [(False, True), (False,), (True, False)])
def test_a_job_that_cannot_be_sent_fails_alone(sendable):
    """A world cannot be pickled: its job has an error, all others have a value, and it ends."""
    jobs = ['fine' if each else lambda: None for each in sendable]
    outcomes = list(run_batch(light_jobs.behave, jobs, workers=1, method='fork'))
    assert [outcome.error == '' for outcome in outcomes] == list(sendable)
    errors = [outcome.error for outcome in outcomes if outcome.error]
    assert all(error.startswith('it cannot be sent: ') for error in errors)


def test_no_process_is_this_one_and_none_stays():
    """Jobs run in other processes, which end, also if not all outcomes are asked for."""
    outcomes = run_batch(light_jobs.behave, ['fine', 'fine', 'slow'], workers=1, method='fork')
    _, process = next(outcomes).result()
    assert process != os.getpid()
    outcomes.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    assert list(run_batch(light_jobs.behave, [])) == []


def test_seeds_do_not_depend_on_workers_or_on_later_jobs():
    """The first job has the same seed alone and among others; another batch has other seeds."""
    few = list(run_batch(light_jobs.behave, ['fine'], 1, 'fork', seed=3))
    many = list(run_batch(light_jobs.behave, ['fine'] * 5, 2, 'fork', seed=3))
    other = list(run_batch(light_jobs.behave, ['fine'], 1, 'fork', seed=4))
    assert few[0].seed == many[0].seed != other[0].seed
    assert len({outcome.seed for outcome in many}) == 5


@pytest.mark.parametrize(
    ('arguments', 'problem'),
    [
        ({'workers': 0}, 'workers is 0; expected a whole number of 1 or more'),
        ({'workers': 1.5}, r'workers is 1\.5; expected a whole number'),
        ({'workers': float('nan')}, 'workers is nan; expected a whole number'),
        ({'workers': 'two'}, "workers is 'two'; expected a whole number"),
        ({'seed': -1}, 'seed is -1; expected a whole number of 0 or more'),
        ({'seed': 1.5}, r'seed is 1\.5; expected a whole number of 0 or more'),
        ({'function': lambda job, seed: job}, r"lambda.* cannot be sent .*method='fork'"),
    ],
)
def test_what_no_batch_can_do_is_refused_at_once(arguments, problem):
    """Wrong arguments are refused before any outcome is asked for."""
    with pytest.raises(SoftshellError, match=problem):
        run_batch(**{'function': light_jobs.behave, 'jobs': ['fine'], **arguments})
    with pytest.raises(UnknownNameError, match='known: fork, spawn'):
        run_batch(light_jobs.behave, ['fine'], method='thread')


def test_a_program_without_a_main_guard_is_told(tmp_path):
    """A spawned process runs the program again: it ends, and the error names the guard."""
    program = tmp_path / 'program.py'
    program.write_text(PROGRAM.replace("if __name__ == '__main__':", 'if True:'))
    ended = subprocess.run(
        [sys.executable, program, str(tmp_path), 'spawn'],
        capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert ended.returncode == 1
    last = ended.stderr.strip().splitlines()[-1]
    assert 'before it took a job; expected a program that starts its batch below' in last


@pytest.mark.parametrize('method', METHODS)
@pytest.mark.parametrize(
    'blow', [pytest.param(signal.SIGINT, marks=pytest.mark.long), signal.SIGKILL]
)
def test_workers_end_with_the_program(blow, method, tmp_path):
    """They end at a Ctrl-C in the terminal, and when the program is killed."""
    program = tmp_path / 'program.py'
    program.write_text(PROGRAM)
    folder = tmp_path / 'workers'
    folder.mkdir()
    process = subprocess.Popen(
        [sys.executable, program, str(folder), method],
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        wait_for(lambda: len(list(folder.iterdir())) == 2)
        workers = [int(path.name) for path in folder.iterdir()]
        if blow is signal.SIGINT:
            os.killpg(process.pid, blow)
        else:
            process.send_signal(blow)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == -blow
        assert errors.count('Traceback') == (1 if blow is signal.SIGINT else 0)
        wait_for(lambda: not any(runs(worker) for worker in workers))
    finally:
        if process.poll() is None:
            process.kill()


@pytest.mark.parametrize('method', METHODS)
def test_no_worker_sees_an_interrupt(method, tmp_path):
    """SIGINT is blocked in each worker, also in the first: Ctrl-C is for the program alone."""
    program = tmp_path / 'program.py'
    program.write_text(PROGRAM)
    folder = tmp_path / 'workers'
    folder.mkdir()
    with subprocess.Popen([sys.executable, program, str(folder), method]) as process:
        try:
            wait_for(lambda: len(list(folder.iterdir())) == 2)
            for path in folder.iterdir():
                status = Path(f'/proc/{path.name}/status').read_text()
                blocked = int(re.search(r'^SigBlk:\s*(\w+)$', status, re.MULTILINE)[1], 16)
                assert blocked & 1 << signal.SIGINT - 1
        finally:
            process.kill()


def runs(process):
    """Whether a process is there, and not only waits to be reaped."""
    try:
        state = Path(f'/proc/{process}/stat').read_text().rpartition(')')[2].split()[0]
    except OSError:
        return False
    return state != 'Z'


def wait_for(condition):
    """Until it holds, or far too long."""
    end = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
