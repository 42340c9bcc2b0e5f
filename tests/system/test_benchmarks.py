"""Benchmarks work at any time, not only before a release when all of them run at full length."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from softshell_tools.parts import benchmarks

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = benchmarks(ROOT)
LONG = ('faults', 'fuzz', 'stack')


def python(*arguments: str | Path) -> subprocess.CompletedProcess:
    paths = [str(ROOT / 'tools'), os.environ.get('PYTHONPATH', '')]
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(paths)},
    )


@pytest.fixture
def ik(monkeypatch):
    monkeypatch.syspath_prepend(PROGRAMS['ik'].parent)
    import ik

    return ik


@pytest.mark.parametrize(
    'name',
    [pytest.param(name, marks=pytest.mark.long if name in LONG else ()) for name in PROGRAMS],
)
def test_every_benchmark_runs_to_its_end(name):
    """With --quick, which asks for no further set of requirements, each ends well."""
    run = python(PROGRAMS[name], '--quick')
    assert run.returncode == 0, run.stdout + run.stderr
    assert 'Traceback' not in run.stderr


@pytest.mark.parametrize('name', PROGRAMS)
def test_help_after_a_name_is_of_that_benchmark(name):
    """`bench NAME --help` shows the benchmark's own arguments; `bench --help` the command's."""
    text = python('-m', 'softshell_tools.cli', 'bench', name, '--help').stdout
    assert f'usage: ./softshell bench {name} ' in text
    assert '--quick' in text
    assert (
        'without it they are listed' in python('-m', 'softshell_tools.cli', 'bench', '-h').stdout
    )


@pytest.mark.parametrize(('name', 'wrong'), [('client_import', '0'), ('fuzz', 'many')])
def test_a_number_of_runs_or_messages_is_a_number(name, wrong):
    """What is no whole number from 1 on is refused in one line."""
    run = python(PROGRAMS[name], wrong)
    assert run.returncode == 2
    assert f'{wrong!r}: expected a whole number from 1 on' in run.stderr


def test_the_judge_counts_what_meets_the_goal_within_limits(ik):
    """True answers count; those a millimetre off or beyond a limit do not."""
    for case in ik.cases(4):
        assert ik.judge(case, case.truth)[0] == 1.0
        off, beyond = case.truth.copy(), case.truth.copy()
        off[0] += 0.01
        beyond[:2] = case.chain.upper + 1e-3
        assert ik.judge(case, off)[0] == pytest.approx(0.75)
        assert ik.judge(case, beyond)[0] == pytest.approx(0.5)


def test_peers_are_asked_for_the_same_poses(ik):
    """The chain that peers are handed reaches the poses that they are asked for at the truth."""
    import _ik_peers as peers
    from _ik_problem import good

    for case in ik.cases(3):
        problem = peers.problem_of(ik.question_of(case), searches=1)
        assert all(good(problem, i, q) for i, q in enumerate(case.truth))
        assert np.array_equal(problem.limits, [case.chain.lower, case.chain.upper])
