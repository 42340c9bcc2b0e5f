"""Soft rods against what was measured, closed forms, and other libraries: same problem, one run.

    ./softshell bench continuum                  # the peers' environment is made on first use
    ./softshell bench continuum --without-peers
    ./softshell bench continuum --quick          # whether the benchmark works, in seconds

The rod is that of `softshell_continuum/measured_rod.py`; nothing is fitted to where its tip was
measured. PyElastica and MuJoCo's cable have no statics: they move until nothing moves any more,
PyElastica with the damping that brings it there soonest. Writes out/bench/continuum.json, and
continuum.png: where the tips are, and how the error falls with the number of links.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from _arguments import parser_of
from _continuum_chain import chain
from matplotlib.figure import Figure

from softshell_continuum import measured_rod as rod
from softshell_continuum.fits import root
from softshell_tools.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / 'out' / 'bench'
#: Numbers of links that are compared, and that count as many.
LINKS, MANY = (5, 10, 20, 25, 50, 100), 400
#: Elements of the peers' rods.
ELEMENTS = 50
#: So often a pose is solved for its time; the fastest counts.
REPEATS = 20


def experiments() -> dict:
    """Tips of the trials [m], their errors [m] and times [s]; moduli by the other experiments."""
    statics = rod.measured_rod()
    rows = []
    for trial in rod.TRIALS:
        found, times = statics.solve(trial.tensions), []
        for _ in range(REPEATS):
            begin = time.perf_counter()
            statics.solve(trial.tensions)
            times.append(time.perf_counter() - begin)
        error = float(np.linalg.norm(found.tip - trial.tip))
        rows.append({'tip': found.tip.tolist(), 'error': error, 'seconds': min(times)})
    young = root(lambda value: -rod.measured_rod(value).solve().tip[2], rod.SAG, (1e6, 1e8), 'E')
    sideways = statics.solve([0.0, rod.SIDEWAYS]).tip
    return {'trials': rows, 'young': young.value, 'sideways': sideways.tolist()}


def convergence() -> dict[int, float]:
    """Largest error of a tip by number of links, against very many [m]."""

    def tips(links: int) -> np.ndarray:
        statics = rod.measured_rod(links=links)
        return np.array([statics.solve(trial.tensions).tip for trial in rod.TRIALS])

    exact = tips(MANY)
    return {n: float(np.linalg.norm(tips(n) - exact, axis=1).max()) for n in LINKS}


#: For each trial the tip [m], the time that it took and the time that was simulated [s].
Settled = list[tuple[list[float], float, float]]
#: The peers, by the name of the script that asks them.
PEERS = {'elastica': 'PyElastica', 'cable': 'cable of MuJoCo 3'}


def peers() -> dict[str, Settled]:
    """What the peers find, by name of their scripts."""
    python = Workspace(ROOT).python_of('bench')
    question, answer = OUT / 'continuum_problem.json', OUT / 'continuum_answer.json'
    problem = {
        'length': rod.LENGTH, 'diameter': rod.DIAMETER, 'density': rod.DENSITY,
        'young': rod.YOUNG, 'shear': rod.SHEAR, 'gravity': -rod.GRAVITY[2],
        'discs': rod.DISCS.tolist(), 'disc': rod.DISC_MASS, 'elements': ELEMENTS,
        'offsets': [[-rod.RADIUS, 0.0], [0.0, rod.RADIUS]],
        'tensions': [trial.tensions.tolist() for trial in rod.TRIALS],
    }  # fmt: skip
    question.write_text(json.dumps(problem), encoding='utf-8')
    environment = {k: v for k, v in os.environ.items() if k not in ('PYTHONPATH', 'VIRTUAL_ENV')}
    found = {}
    for name in PEERS:
        script = Path(__file__).with_name(f'_continuum_{name}.py')
        command = [python, script, question, answer]
        # PyElastica tells the time of each of its runs.
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
        found[name] = json.loads(answer.read_text(encoding='utf-8'))
        answer.unlink()
    question.unlink()
    return found


def show(found: dict) -> None:
    """What was found, for people."""
    print('trial   measured [cm]            softshell [cm]           error    time')
    for trial, row in zip(rod.TRIALS, found['trials'], strict=True):
        print(f'  {trial.number}  {_place(trial.tip)}  {_place(row["tip"])}', end='')
        print(f'  {100 * row["error"]:.2f} cm {1e3 * row["seconds"]:5.2f} ms')
    for name, title in {'chain': 'chain in MuJoCo', **PEERS}.items():
        for trial, row, one in zip(rod.TRIALS, found['trials'], found.get(name, ()), strict=False):
            tip, seconds, passed = one
            error = np.linalg.norm(np.array(tip) - trial.tip)
            apart = np.linalg.norm(np.subtract(tip, row['tip']))
            print(f'  {trial.number}  {title:17} {_place(tip)}  {100 * error:.2f} cm', end='')
            print(f'  {100 * apart:.2f} cm from statics  {passed:.1f} s in {seconds:.2f} s')
    errors = [row['error'] for row in found['trials']]
    print(f'mean {100 * np.mean(errors):.2f} cm, worst {100 * max(errors):.2f} cm')
    print(f'E by the first experiment: {1e-6 * found["young"]:.2f} MPa; published 16.60')
    print(f'tip of the second, by the published moduli: {_place(found["sideways"])} cm')
    for links, error in found['convergence'].items():
        print(f'{links:4} links: {1e3 * error:.2f} mm')
    for name, title in PEERS.items():
        if name not in found:
            continue
        slower = [
            (one[1] / row['seconds'], one[1] / ours[1])
            for one, row, ours in zip(found[name], found['trials'], found['chain'], strict=True)
        ]
        (least, of_chain), (most, most_of_chain) = np.min(slower, axis=0), np.max(slower, axis=0)
        print(f'{title} takes {least:.0f} to {most:.0f} times as long as statics, ', end='')
        print(f'{of_chain:.1f} to {most_of_chain:.1f} times as long as the chain')


def _place(place: np.ndarray | list[float]) -> str:
    return ' '.join(f'{100 * value:7.2f}' for value in place)


def draw(found: dict, path: Path) -> None:
    """Where the tips are, from the side and from above, and how the error falls."""
    figure = Figure((13.0, 4.2), layout='constrained')
    side, above, error = figure.subplots(1, 3)
    statics = rod.measured_rod()
    arcs = np.linspace(0.0, rod.LENGTH, 60)
    for axes, row, name in ((side, 2, 'z'), (above, 1, 'y')):
        for number, trial in enumerate(rod.TRIALS):
            points, _ = statics.solve(trial.tensions).backbone(arcs)
            colour = f'C{number}'
            axes.plot(*100 * points[:, [0, row]].T, color=colour, label=f'trial {trial.number}')
            axes.plot(*100 * trial.tip[[0, row]], 'o', color=colour)
            for peer, marker in (('elastica', 'x'), ('cable', '+')):
                if peer in found:
                    tip = np.array(found[peer][number][0])
                    axes.plot(*100 * tip[[0, row]], marker, color=colour)
        axes.set(xlabel='x [cm]', ylabel=f'{name} [cm]', aspect='equal')
        axes.grid(alpha=0.3)
    others = ',\n× PyElastica, + cable of MuJoCo' if 'elastica' in found else ''
    side.set_title(f'from the side: lines softshell, dots measured{others}', fontsize=9)
    above.set_title('from above', fontsize=9)
    above.legend(fontsize=8)
    links = np.array(list(found['convergence']))
    errors = 1e3 * np.array(list(found['convergence'].values()))
    error.loglog(links, errors, 'o-', label='largest error of a tip')
    # By the square with tendons from end to end, else by the number; these end before the tip.
    error.loglog(links, errors[2] * (links[2] / links) ** 2.0, ':', label='1 / links²')
    error.loglog(links, errors[-1] * (links[-1] / links), '--', label='1 / links')
    error.set(xlabel='links', ylabel='error [mm]')
    error.set_title(f'against {MANY} links', fontsize=9)
    error.legend(fontsize=8)
    error.grid(alpha=0.3, which='both')
    figure.savefig(path, dpi=120)


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark."""
    parser = parser_of(__file__, __doc__)
    parser.add_argument('--without-peers', action='store_true', help='ours alone')
    parser.add_argument('--quick', action='store_true', help='ours alone, and no file is written')
    options = parser.parse_args(arguments)
    found = experiments() | {'convergence': convergence(), 'chain': chain()}
    if options.quick:
        show(found)
        return 0
    OUT.mkdir(parents=True, exist_ok=True)
    if not options.without_peers:
        found |= peers()
    show(found)
    draw(found, OUT / 'continuum.png')
    (OUT / 'continuum.json').write_text(json.dumps(found, indent=2) + '\n', encoding='utf-8')
    written = ((OUT / name).relative_to(ROOT) for name in ('continuum.json', 'continuum.png'))
    print(f'written: {", ".join(map(str, written))}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
