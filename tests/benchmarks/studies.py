"""What a study costs beside its runs: throughput of a sweep against a plain loop, in the same run.

Rods that bend by statics, about ten milliseconds each, and runs that do nothing, which show what
the scheduler bears. A sweep of several workers is compared with one loop, and with as many loops
at once, since two cores share memory and clock: what is left then is what the sweep itself takes.
Aims: 0.9 of as many loops' runs a second; memory of a worker that stays.
"""

import json
import multiprocessing
import os
import sys
import tempfile
import time
from pathlib import Path

from _arguments import count, parser_of
from rich.console import Console
from rich.table import Table

from softshell_kinematics.solving.threads import usable_cpus
from softshell_studies.study import sweep as sweeping
from softshell_studies.study.batches import Progress
from softshell_studies.study.study import Study, read_study
from softshell_studies.study.work import Task, do_run

#: Aims: of the throughput of as many loops, and growth of a worker's memory [MB].
SHARE, GROWTH = 0.9, 10.0
EMPTY = 'def nothing(parameters, seed):\n    return {"zero": 0.0}\n'


def study_of(folder: Path, name: str, content: dict) -> Study:
    """A study of a folder's file."""
    path = folder / f'{name}.yaml'
    path.write_text(json.dumps(content), encoding='utf-8')
    return read_study(path)


def rods(folder: Path, runs: int) -> Study:
    """So many bent rods."""
    axis = {'uniform': [0.0, 2.0]}
    return study_of(folder, 'rods', {
        'scenario': 'tendon_rod', 'parameters': {'above': axis, 'left': axis},
        'sampling': 'sobol', 'samples': runs,
    })  # fmt: skip


def nothing(folder: Path, runs: int) -> Study:
    """So many runs that do nothing."""
    (folder / 'empty.py').write_text(EMPTY, encoding='utf-8')
    return study_of(folder, 'nothing', {
        'function': 'empty.py:nothing', 'metrics': ['zero'],
        'parameters': {'number': {'values': list(range(runs))}},
    })  # fmt: skip


def loop(study: Study, runs: int) -> float:
    """Runs a second of a plain loop, the first run apart."""
    task = Task(study.form.scenario or '', '', '', '', study.metrics)
    begin = 0.0
    for number in range(runs + 1):
        run = study.run(number)
        do_run(task, number, study.parameters(run.values), run.seed)
        begin = begin or time.perf_counter()
    return runs / (time.perf_counter() - begin)


def loops(study: Study, runs: int, number: int) -> float:
    """Runs a second of so many plain loops at once, all together."""
    with multiprocessing.get_context('spawn').Pool(number) as pool:
        return sum(pool.starmap(loop, [(study, runs)] * number, chunksize=1))


class Watch:
    """Notes how far a sweep is, and how much memory its workers have."""

    def __init__(self) -> None:
        self.seen: list[tuple[float, int]] = []
        self.memory: list[float] = []

    def __call__(self, state: Progress) -> None:
        """Note a state."""
        if state.done and (not self.seen or state.done > self.seen[-1][1]):
            self.seen.append((time.perf_counter(), state.done))
            self.memory.append(max(map(resident, workers()), default=0.0))

    @property
    def rate(self) -> float:
        """Runs a second, from the first that was seen on."""
        (begin, first), (end, last) = self.seen[0], self.seen[-1]
        return (last - first) / (end - begin) if end > begin else float('nan')

    @property
    def growth(self) -> float:
        """How much more memory than after a fifth of the time a worker had at last [MB]."""
        return self.memory[-1] - self.memory[len(self.memory) // 5]


def workers() -> list[int]:
    """Processes that this one has begun to do runs."""
    found = []
    for entry in filter(str.isdecimal, os.listdir('/proc')):
        try:
            command = Path('/proc', entry, 'cmdline').read_bytes()
            parent = int(Path('/proc', entry, 'stat').read_text().rpartition(')')[2].split()[1])
        except OSError:
            continue
        if parent == os.getpid() and b'spawn_main' in command:
            found.append(int(entry))
    return found


def resident(pid: int) -> float:
    """Memory of a process [MB]."""
    try:
        pages = int(Path('/proc', str(pid), 'statm').read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf('SC_PAGE_SIZE') / 1e6


def main() -> int:
    """Measure, print, and say whether the aims are met."""
    parser = parser_of(__file__, __doc__ or '')
    parser.add_argument('--quick', action='store_true', help='few runs, and no aims')
    parser.add_argument('--runs', type=count, help='rods of each sweep (default 1500)')
    options = parser.parse_args()
    runs = options.runs or (200 if options.quick else 1500)
    tasks = 300 if options.quick else 4000
    table = Table(
        '', 'runs a second', 'of one loop, per core', 'of as many loops',
        'memory of a worker grew by',
    )  # fmt: skip
    missed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study, most = rods(folder, runs), min(runs, 600) - 1
        bare = float('nan')
        for number in sorted({1, usable_cpus()}):
            before, watch = loops(study, most, number), Watch()
            sweeping.sweep(
                rods(folder, runs * number), folder / str(number), workers=number, progress=watch
            )
            # The machine is not equally fast at all times: loops before the sweep, and after it.
            together = 0.5 * (before + loops(study, most, number))
            bare = together if number == 1 else bare
            per_core = f'{together / number / bare:.2f}'
            table.add_row(f'{number} plain loops', f'{together:.0f}', per_core, '', '')
            share = watch.rate / together
            missed |= share < SHARE or watch.growth > GROWTH
            table.add_row(
                f'{number} workers', f'{watch.rate:.0f}', f'{watch.rate / number / bare:.2f}',
                f'{share:.2f}', f'{watch.growth:.1f} MB',
            )  # fmt: skip
        for most, told in ((sweeping.MOST, 'batches'), (1, 'one by one')):
            sweeping.MOST = most
            watch = Watch()
            sweeping.sweep(nothing(folder, tasks), folder / told, progress=watch)
            table.add_row(f'{tasks} that do nothing, {told}', f'{watch.rate:.0f}', '', '', '')
    Console(markup=False).print(table)
    Console(markup=False).print(f'aims: {SHARE:g} of as many loops, growth below {GROWTH:g} MB')
    return int(missed and not options.quick)


if __name__ == '__main__':
    sys.exit(main())
