"""The peers' side of the IK benchmark; runs in an environment of its own, without softshell.

    python _ik_peers.py PROBLEMS.npz ANSWERS.npz SEARCHES

A case is a serial chain of revolute joints, each a constant transform and then a turn about z, and
a last constant to the tip. Only the call into the solver is timed, not the setting of its start,
and all on one core.
"""

import os
import sys

import numpy as np
from _ik_problem import Problem
from _ik_solvers import (
    NotMadeForError,
    bullet,
    eaik,
    eaik_batch,
    ikpy_chain,
    optik,
    pinocchio_loop,
    toolbox,
    trac_ik,
)

#: Peer, and how many problems it is given: the slow ones fewer.
PEERS = (
    ('EAIK', eaik, 1000),
    ('Robotics Toolbox', toolbox, 1000),
    ('OptIK', optik, 300),
    ('TRAC-IK', trac_ik, 300),
    ('Pinocchio DLS', pinocchio_loop, 300),
    ('PyBullet', bullet, 300),
    ('ikpy', ikpy_chain, 20),
)
#: What takes less than this for a problem [s] is repeated so often; the fastest counts.
SHORT, REPEATS = 3e-4, 5
#: Peers that take many problems in one call.
BATCHES = {'EAIK': eaik_batch}


def problem_of(case: dict[str, np.ndarray], searches: int) -> Problem:
    """A case as ik.py wrote it, with so many searches from a cold start."""
    transforms = np.tile(np.eye(4), (len(case['constants']), 1, 1))
    transforms[:, :3, :3] = case['constants'][:, :9].reshape(-1, 3, 3)
    transforms[:, :3, 3] = case['constants'][:, 9:]
    most = searches if case['cold'] else 10
    return Problem(transforms, case['limits'], case['poses'], case['seeds'], case['mask'], most)


def main() -> None:
    """Solve every case with every peer that imports."""
    source, target, searches = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if hasattr(os, 'sched_setaffinity'):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with np.load(source) as data:
        arrays = dict(data)
    answers = {}
    for index in range(len({name.split('_')[0] for name in arrays})):
        prefix = f'{index}_'
        case = {k.removeprefix(prefix): a for k, a in arrays.items() if k.startswith(prefix)}
        problem = problem_of(case, searches)
        for name, make, count in PEERS:
            try:
                solve = make(problem)
            except NotMadeForError:
                continue
            except ImportError as error:
                print(f'{name} is left out: {error}', file=sys.stderr)
                continue
            solve(0)
            points = range(min(count, len(problem.poses)))
            rows = [solve(i) for i in points]
            times = [np.mean([row[0] for row in rows])]
            if times[0] < SHORT:
                times += [np.mean([solve(i)[0] for i in points]) for _ in range(REPEATS - 1)]
            key = f'{name}|{index}'
            answers[f'{key}|us'] = np.array(1e6 * min(times))
            answers[f'{key}|q'] = np.array([row[1] for row in rows])
            answers[f'{key}|iterations'] = np.array([row[2] for row in rows])
            if name in BATCHES:
                times = [BATCHES[name](problem) for _ in range(REPEATS)]
                answers[f'{key}|batch_us'] = np.array(1e6 * min(times))
        print(f'case {index + 1} done', file=sys.stderr)
    np.savez(target, **answers)


if __name__ == '__main__':
    main()
