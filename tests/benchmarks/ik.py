"""Inverse kinematics against its peers: same problems, same machine, one run.

    ./softshell bench ik                 # all peers; their environment is made on first use
    ./softshell bench ik --without-peers
    ./softshell bench ik --quick         # whether the benchmark works, in seconds

Prints two tables and writes out/bench/ik.json. A solve counts as a
success if forward kinematics, always ours, finds all constrained coordinates within 1e-4 m and
1e-3 rad of the goal and all joints within limits; every solver is asked for 1e-6.

Like is compared with like. A call is of one problem, in a loop of Python, on one core, and the
time is that of the call alone; ours is `solve_ik` and its time that of the whole loop. A batch is
one call of all problems, which of the peers only EAIK takes. Warm, the search starts 0.1 rad off.
Cold, nothing is known: peers that need a seed get random ones, as many as it takes up to 100, and
ours finds its own. Of what is quick all is done several times, and the fastest
time counts. Slow peers have fewer of the 1000 problems of each case; the column n says how many.
"""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from _arguments import parser_of
from _ik_tables import compared, show, show_fastest

from softshell_kinematics import IkOptions, Limbs, SerialChain, solve_ik
from softshell_kinematics.examples import arm7, goals_of, lower_leg, puma, upper_leg, ur5
from softshell_kinematics.transforms import quaternion_from_rotation
from softshell_tools.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / 'out' / 'bench'
TOLERANCE = 1e-6
#: Seeds that a start may try; Robotics Toolbox's own default.
SEARCHES = 100
#: So often a batch of ours has all problems, to be worth a second thread.
ROUNDS = 10
WARM = 0.1


@dataclass(frozen=True)
class Effort:
    """How much is measured.

    Attributes:
        problems: of each case.
        repeats: of calls and batches, of which the fastest counts.
        ticks: how often the limbs of one tick are solved.
    """

    problems: int = 1000
    repeats: int = 5
    ticks: int = 3000


QUICK = Effort(20, 1, 10)


@dataclass(frozen=True, eq=False)
class Case:
    """One chain, what of its tip is asked for, and where searches start.

    Attributes:
        name: as in the table.
        chain: the chain, all of whose variables move.
        constrained: as in `goals_of`.
        start: 'warm' (0.1 rad off) or 'cold' (random).
        truth, seeds: (problems, n)
        goals: (problems, 6)
    """

    name: str
    chain: SerialChain
    constrained: str
    start: str
    truth: np.ndarray
    seeds: np.ndarray
    goals: np.ndarray


def three_joint_leg() -> SerialChain:
    """A lower leg whose fold is held at -1 rad: its first joint becomes a constant."""
    chain = lower_leg()
    first, second, *rest = chain.joints
    turned = np.array(first.origin)
    cosine, sine = np.cos(-1.0), np.sin(-1.0)
    turned[:3, :3] = turned[:3, :3] @ [[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]]
    joint = type(second)(
        second.name, second.kind, turned @ second.origin, second.axis, second.lower, second.upper
    )
    return SerialChain('lower leg, 3 joints', (joint, *rest), chain.tool)


def cases(problems: int) -> list[Case]:
    """All cases with so many problems each, from fixed seeds."""
    result = []
    for name, chain, constrained in (
        ('lower leg, 3 joints, position', three_joint_leg(), 'x y z'),
        ('lower leg, 4 joints, position', lower_leg(), 'x y z'),
        ('upper leg, 2 joints, x and z', upper_leg(), 'x z'),
        ('Puma 560, full pose', puma(), 'all'),
        ('UR5, full pose', ur5(), 'all'),
        ('7-joint arm, full pose', arm7(), 'all'),
    ):
        generator = np.random.default_rng(2024)
        truth = chain.random(problems, generator)
        off = truth + generator.uniform(-WARM, WARM, truth.shape)
        warm = np.clip(off, chain.lower, chain.upper)
        for start, seeds in (('warm', warm), ('cold', chain.random(problems, generator))):
            goals = goals_of(chain, truth, constrained)
            result.append(Case(name, chain, constrained, start, truth, seeds, goals))
    return result


def judge(case: Case, q: np.ndarray) -> tuple[float, float]:
    """Success rate within limits, and the median residual [m and rad] of the successes."""
    chain, count = case.chain, len(q)
    pose, wanted = chain.forward(q), chain.forward(case.truth[:count])
    axes = 'xyz' if case.constrained == 'all' else case.constrained
    rows = [i for i, axis in enumerate('xyz') if axis in axes]
    position = np.linalg.norm((pose - wanted)[:, rows, 3], axis=1)
    rotation = np.zeros(count)
    if case.constrained == 'all':
        difference = np.linalg.norm((pose - wanted)[:, :3, :3], axis=(1, 2)) / np.sqrt(8.0)
        rotation = 2.0 * np.arcsin(np.minimum(difference, 1.0))
    within = np.all((q >= chain.lower - 1e-9) & (q <= chain.upper + 1e-9), axis=1)
    good = within & (position < 1e-4) & (rotation < 1e-3)
    residual = np.hypot(position, rotation)[good]
    return float(good.mean()), float(np.median(residual)) if len(residual) else float('nan')


def ours(problems: list[Case], repeats: int) -> dict[str, dict]:
    """Our solver on all cases, by 'softshell|case|start'; of several rounds the fastest times."""
    for case in problems:
        measured(replace(case, goals=case.goals[:2], seeds=case.seeds[:2]))
    rounds = [[measured(case) for case in problems] for _ in range(repeats)]
    fastest = [
        rows[0] | {key: min(row[key] for row in rows) for key in rows[0] if key.endswith('us')}
        for rows in zip(*rounds, strict=True)
    ]
    return {
        f'softshell|{case.name}|{case.start}': row
        for case, row in zip(problems, fastest, strict=True)
    }


def measured(case: Case) -> dict:
    """Our solver, called for each problem, and for all in one call on one core and on two."""
    problems, chain = len(case.goals), case.chain
    options = IkOptions(tolerance=TOLERANCE, restarts=SEARCHES)
    seeds = None if case.start == 'cold' else case.seeds
    begin = time.perf_counter()
    for i in range(problems):
        solve_ik(chain, case.goals[i], None if seeds is None else seeds[i], options)
    row = {'us': 1e6 * (time.perf_counter() - begin) / problems}
    goals = np.tile(case.goals, (ROUNDS, 1))[None]
    starts = None if seeds is None else np.tile(seeds, (ROUNDS, 1))[None]
    for threads, name in ((1, 'batch_us'), (2, 'batch_two_cores_us')):
        begin = time.perf_counter()
        result = Limbs([chain]).solve(goals, starts, replace(options, threads=threads))[0]
        row[name] = 1e6 * (time.perf_counter() - begin) / len(result.q)
    success, residual = judge(case, result.q[:problems])
    return row | {
        'success': success,
        'residual': residual,
        'iterations': float(result.iterations.mean()),
        'problems': problems,
    }


def forms_of_goals(case: Case, repeats: int) -> dict[str, float]:
    """What a call takes for each form of a full goal [µs]; of several rounds the fastest."""
    poses = case.chain.forward(case.truth)
    turns = quaternion_from_rotation(poses[:, :3, :3])
    forms = {
        'six numbers': case.goals,
        'a 4×4 pose': poses,
        'a position and a quaternion': list(zip(poses[:, :3, 3], turns, strict=True)),
    }
    options, took = IkOptions(tolerance=TOLERANCE, restarts=SEARCHES), {}
    for form, goals in forms.items():
        rounds = []
        for _ in range(repeats + 1):
            begin = time.perf_counter()
            for goal, seed in zip(goals, case.seeds, strict=True):
                solve_ik(case.chain, goal, seed, options)
            rounds.append(1e6 * (time.perf_counter() - begin) / len(case.goals))
        took[form] = min(rounds)
    return took


def twelve_limbs(ticks: int) -> dict:
    """All twelve legs of one control tick in one call, warm: median [µs]."""
    chains = [lower_leg(k) for k in range(6)] + [upper_leg(k) for k in range(6)]
    limbs = Limbs(chains)
    generator = np.random.default_rng(7)
    truth = [0.5 * (chain.middle() + chain.random(1, generator)[0]) for chain in chains]
    goals = np.stack([goals_of(c, q, 'x y z') for c, q in zip(chains, truth, strict=True)])
    seeds = limbs.seeds(
        [np.clip(q + 0.05, c.lower, c.upper) for c, q in zip(chains, truth, strict=True)]
    )
    options = IkOptions(tolerance=TOLERANCE, restarts=0)
    times = []
    for _ in range(ticks):
        begin = time.perf_counter()
        result = limbs.solve(goals[:, None], seeds, options)
        times.append(time.perf_counter() - begin)
    return {'us': 1e6 * float(np.median(times)), 'all_converged': bool(result.all_converged)}


def question_of(case: Case) -> dict[str, np.ndarray]:
    """A case as the peers get it."""
    return {
        'constants': case.chain._numbers[:, :12],
        'limits': np.stack([case.chain.lower, case.chain.upper]),
        'poses': case.chain.forward(case.truth),
        'seeds': case.seeds,
        'mask': ~np.isnan(case.goals[0]),
        'cold': np.array(case.start == 'cold'),
    }


def run_peers(problems: list[Case], python: Path) -> dict[str, dict]:
    """What each peer that this interpreter has makes of the cases, by 'peer|case|start'."""
    OUT.mkdir(parents=True, exist_ok=True)
    question, answer = OUT / 'ik_problems.npz', OUT / 'ik_answers.npz'
    arrays: dict[str, np.ndarray] = {}
    for i, case in enumerate(problems):
        arrays |= {f'{i}_{name}': array for name, array in question_of(case).items()}
    np.savez(question, **arrays)
    environment = {k: v for k, v in os.environ.items() if k not in ('PYTHONPATH', 'VIRTUAL_ENV')}
    script = Path(__file__).with_name('_ik_peers.py')
    command = [python, script, question, answer, str(SEARCHES)]
    subprocess.run(command, check=True, env=environment)
    with np.load(answer) as data:
        found = dict(data)
    question.unlink()
    answer.unlink()
    results = {}
    for key in sorted({name.rsplit('|', 1)[0] for name in found}):
        peer, index = key.split('|')
        case = problems[int(index)]
        success, residual = judge(case, found[f'{key}|q'])
        iterations = float(np.mean(found[f'{key}|iterations']))
        results[f'{peer}|{case.name}|{case.start}'] = {
            'us': float(found[f'{key}|us']),
            'batch_us': float(found[f'{key}|batch_us']) if f'{key}|batch_us' in found else None,
            'batch_two_cores_us': None,
            'success': success,
            'residual': residual,
            'iterations': iterations if iterations >= 0.0 else None,
            'problems': len(found[f'{key}|q']),
        }
    return results


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark."""
    parser = parser_of(__file__, __doc__)
    parser.add_argument('--without-peers', action='store_true', help='our own solver alone')
    parser.add_argument(
        '--quick', action='store_true', help='few problems, and only peers that are installed '
        'beside softshell: shows that the benchmark works; writes no file',
    )  # fmt: skip
    options = parser.parse_args(arguments)
    effort = QUICK if options.quick else Effort()
    solve_ik(puma(), np.zeros(6))
    problems = cases(effort.problems)
    results = ours(problems, effort.repeats)
    tick = twelve_limbs(effort.ticks)
    full = next(case for case in problems if case.constrained == 'all' and case.start == 'warm')
    forms = forms_of_goals(full, effort.repeats)
    if not options.without_peers:
        own = Path(sys.executable)
        python = own if options.quick else Workspace(ROOT).python_of('bench')
        results |= run_peers(problems, python)
    names = [(case.name, case.start) for case in problems]
    show(results, names)
    show_fastest(results, names)
    more = [
        row['us'] - row['batch_us'] for key, row in results.items() if key.startswith('softshell|')
    ]
    print(f'a call of solve_ik costs {np.median(more):.1f} µs beside the kernel')
    told = ', '.join(f'{form} {took:.1f}' for form, took in forms.items())
    print(f'one call by the form of its goal [µs], {full.name}, warm: {told}')
    print(f'twelve limbs of one tick, one call from Python: {tick["us"]:.1f} µs')
    if options.quick:
        return 0
    document = {
        'solvers': results,
        'forms_of_goals_us': forms,
        'twelve_limbs': tick,
        'compared': compared(results, names),
    }
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / 'ik.json').write_text(json.dumps(document, indent=2) + '\n')
    print(f'written: {(OUT / "ik.json").relative_to(ROOT)}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
