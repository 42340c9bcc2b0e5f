"""What a study of a million runs takes, from two smaller ones by a line.

Rods that bend by statics, and runs that do nothing, which show what the scheduler bears. See
docs/scale.md.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _arguments import parser_of
from rich.console import Console
from rich.table import Table
from studies import nothing, rods

from softshell_kinematics.solving.threads import usable_cpus
from softshell_studies.study.results import JOURNAL, TABLE
from softshell_studies.study.scale import Line
from softshell_studies.study.study import read_study
from softshell_studies.study.sweep import sweep

MILLION = 1_000_000  # runs; those that are measured are more than a part of the table has
#: Begins a sweep in a process of its own, and tells what memory that took [kB] and how long [s].
PROGRAM = 'import scale, sys; scale.one(sys.argv[1], sys.argv[2])'


def one(file: str, folder: str) -> None:
    """Do a study, and print its time [s] and the memory of this process [kB]."""
    begin = time.perf_counter()
    sweep(read_study(Path(file)), Path(folder))
    print(time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def measured(file: Path, folder: Path) -> tuple[float, float, float]:
    """Core-seconds, memory of the process that leads [MB], and disk [MB] of a study."""
    run = subprocess.run(
        [sys.executable, '-c', PROGRAM, str(file), str(folder)],
        cwd=Path(__file__).parent, check=True, capture_output=True, text=True,
    )  # fmt: skip
    seconds, memory = map(float, run.stdout.split())
    disk = sum((folder / name).stat().st_size for name in (JOURNAL, TABLE))
    return seconds * usable_cpus(), memory / 1e3, disk / 1e6


def main() -> int:
    """Measure, and print what follows for a million."""
    parser = parser_of(__file__, __doc__ or '')
    parser.add_argument('--quick', action='store_true', help='two tiny studies')
    options = parser.parse_args()
    table = Table('a million runs', 'core-hours', 'memory [GB]', 'disk [GB]', 'core-ms a run')
    rate = 0.0
    with tempfile.TemporaryDirectory() as name:
        for title, make, sizes in (
            ('rods', rods, (10_000, 20_000)),
            ('runs that do nothing', nothing, (20_000, 80_000)),
        ):
            points = []
            for size in (40, 80) if options.quick else sizes:
                folder = Path(name) / f'{make.__name__}-{size}'
                folder.mkdir()
                make(folder, size)
                (file,) = folder.glob('*.yaml')
                points.append((size, measured(file, folder / 'out')))
            lines = [
                Line.through(*((size, values[k]) for size, values in points)) for k in range(3)
            ]
            time_, memory, disk = lines
            table.add_row(
                title, f'{time_.at(MILLION) / 3600.0:.2f}', f'{memory.at(MILLION) / 1e3:.2f}',
                f'{disk.at(MILLION) / 1e3:.2f}', f'{1e3 * time_.each:.2f}',
            )  # fmt: skip
            rate = usable_cpus() / time_.each
    console = Console(markup=False)
    console.print(table)
    console.print(f'{rate:.0f} runs a second that do nothing are handed out in batches')
    return 0


if __name__ == '__main__':
    sys.exit(main())
