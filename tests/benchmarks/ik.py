"""Inverse kinematics against its peers: same problems, same machine, one run.

    ./softshell bench ik                 # all peers; their environment is made on first use
    ./softshell bench ik --without-peers
    ./softshell bench ik --quick         # whether the benchmark works, in seconds

Writes a table and out/bench/ik.json. A solve counts as a success if forward kinematics, always
ours, finds all constrained coordinates within 1e-4 m and 1e-3 rad of the goal and all joints
within limits; every solver is asked for 1e-6. Ours has all problems in one call and spreads them
over the cores; its time on one core is given as well. Peers have one problem a call.
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
from rich import box
from rich.console import Console
from rich.table import Table

from softshell_kinematics import IkOptions, Limbs, SerialChain, solve_ik
from softshell_kinematics.examples import arm7, goals_of, lower_leg, puma, upper_leg
from softshell_tools.first_use import set_up
from softshell_tools.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / 'out' / 'bench'
OPTIONS = IkOptions(tolerance=1e-6, restarts=0)
#: Seeds that a cold start may try; Robotics Toolbox's own default.
SEARCHES = 100
WARM = 0.1


@dataclass(frozen=True)
class Effort:
    """How much is measured.

    Attributes:
        problems: of each case.
        repeats: of a batch, whose median counts.
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


def ours(case: Case, repeats: int) -> dict:
    """Our solver on all problems in one call, and on one problem a call."""
    problems = len(case.goals)
    searches = SEARCHES if case.start == 'cold' else 10
    options = IkOptions(tolerance=OPTIONS.tolerance, restarts=searches)
    limbs, goals, seeds = Limbs([case.chain]), case.goals[None], case.seeds[None]
    limbs.solve(goals, seeds, options)
    result = limbs.solve(goals, seeds, options)[0]

    def batch(threads: int) -> float:
        shared = replace(options, threads=threads)
        times = []
        for _ in range(repeats):
            begin = time.perf_counter()
            limbs.solve(goals, seeds, shared)
            times.append((time.perf_counter() - begin) / problems)
        return 1e6 * float(np.median(times))

    all_cores, one_core = batch(0), batch(1)
    begin = time.perf_counter()
    for i in range(problems):
        limbs.solve(goals[:, i : i + 1], seeds[:, i : i + 1], options)
    single = (time.perf_counter() - begin) / problems
    success, residual = judge(case, result.q)
    return {
        'us': all_cores,
        'us_one_core': one_core,
        'us_single_call': 1e6 * single,
        'success': success,
        'residual': residual,
        'iterations': float(result.iterations.mean()),
        'problems': problems,
    }


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
    times = []
    for _ in range(ticks):
        begin = time.perf_counter()
        result = limbs.solve(goals[:, None], seeds, OPTIONS)
        times.append(time.perf_counter() - begin)
    return {'us': 1e6 * float(np.median(times)), 'all_converged': bool(result.all_converged)}


def peers_python() -> Path:
    """The interpreter that has the peers, which are installed on first use."""
    workspace = Workspace(ROOT)
    set_up(workspace, ['bench'])
    return workspace.python_of('bench')


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
            'success': success,
            'residual': residual,
            'iterations': iterations if iterations >= 0.0 else None,
            'problems': len(found[f'{key}|q']),
        }
    return results


def show(results: dict[str, dict], problems: list[Case], tick: dict) -> None:
    """Print the table."""
    table = Table(
        title='µs per solve, in a batch and on one core', box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    table.add_column('case and solver', no_wrap=True)
    for column in ('µs', '1 core', '% ok', 'resid.', 'iter.'):
        table.add_column(column, justify='right', no_wrap=True)
    for case in problems:
        table.add_row(f'[bold]{case.name}, {case.start}[/bold]')
        for key, row in results.items():
            solver, name, start = key.split('|')
            if (name, start) != (case.name, case.start):
                continue
            iterations = '' if row['iterations'] is None else f'{row["iterations"]:.1f}'
            table.add_row(
                f'  {solver}',
                f'{row["us"]:.2f}',
                f'{row.get("us_one_core", row["us"]):.2f}',
                f'{100 * row["success"]:.1f}',
                f'{row["residual"]:.0e}',
                iterations,
            )
        table.add_section()
    Console().print(table)
    print(f'twelve limbs of one tick, one call from Python: {tick["us"]:.1f} µs')


def compare(results: dict[str, dict], problems: list[Case]) -> dict[str, dict]:
    """Print and return how many times as fast as the fastest peer ours is, by 'case|start'."""
    ratios = {}
    for case in problems:
        suffix = f'|{case.name}|{case.start}'
        rows = {k.split('|')[0]: row for k, row in results.items() if k.endswith(suffix)}
        mine = rows.pop('softshell')
        if rows:
            fastest = min(rows, key=lambda peer: rows[peer]['us'])
            ratio = rows[fastest]['us'] / mine['us']
            one_core = rows[fastest]['us'] / mine['us_one_core']
            ratios[suffix[1:]] = {
                'fastest_peer': fastest,
                'ratio': ratio,
                'ratio_one_core': one_core,
            }
            print(
                f'{case.name}, {case.start}: {ratio:.1f} times as fast as {fastest} '
                f'({one_core:.1f} on one core)'
            )
    return ratios


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
    results = {
        f'softshell|{case.name}|{case.start}': ours(case, effort.repeats) for case in problems
    }
    tick = twelve_limbs(effort.ticks)
    if not options.without_peers:
        python = Path(sys.executable) if options.quick else peers_python()
        results |= run_peers(problems, python)
    show(results, problems, tick)
    document = {
        'solvers': results,
        'twelve_limbs': tick,
        'against_fastest_peer': compare(results, problems),
    }
    if not options.quick:
        OUT.mkdir(parents=True, exist_ok=True)
        (OUT / 'ik.json').write_text(json.dumps(document, indent=2) + '\n')
        print(f'written: {(OUT / "ik.json").relative_to(ROOT)}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
