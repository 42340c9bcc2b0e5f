"""Every fault of servos, lines, processes, commands and starts while the robot walks, emulated.

For each: whether it was survived, after which time it was found, and after which the joints were
at rest, in the time of the emulated servos, not that of the wall. The same as `tests/faults/`.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from _arguments import parser_of
from rich.console import Console
from rich.table import Table
from rich.text import Text

ROOT = Path(__file__).resolve().parents[2]
#: Of the 31 faults of the specification.
EXPECTED = 25
#: A few that are quick.
QUICK = '3-ax or 15-ax or stop_by_themselves'


@dataclass(frozen=True)
class Survival:
    """What became of one fault: its times are None where there is nothing to time [s]."""

    number: str
    name: str
    family: str
    survived: bool
    found: float | None = None
    safe: float | None = None
    bound: float | None = None

    @property
    def place(self) -> tuple[int, str, str]:
        """Where it stands in the list."""
        digits = ''.join(filter(str.isdigit, self.number))
        return int(digits), self.number, self.family


def read(report: Path) -> Iterator[Survival]:
    """What the tests noted."""
    for case in ElementTree.parse(report).iter('testcase'):
        properties = [(each.get('name'), each.get('value')) for each in case.iter('property')]
        survived = not any(case.find(kind) is not None for kind in ('failure', 'error'))
        times = [value for name, value in properties if name == 'times']
        numbers = [float(text) for text in times[-1].split('|')] if times else []
        for name, value in properties:
            if name == 'fault':
                yield Survival(*value.split('|'), survived, *numbers)


def table_of(found: list[Survival]) -> Table:
    """One row for each fault and family of servos."""
    table = Table('no.', 'fault', 'servos', 'found', 'had to be', 'at rest', 'survived')
    for each in sorted(found, key=lambda one: one.place):
        times = [
            '' if value is None else f'{1e3 * value:.0f} ms'
            for value in (each.found, each.bound, each.safe)
        ]
        table.add_row(
            each.number, each.name, each.family, *times,
            'yes' if each.survived else Text('no', 'red'),
        )  # fmt: skip
    return table


def main() -> int:
    """Entry point; the exit status is 0 if enough was survived, and nothing was not.

    A test may fail before it has noted its fault, so the exit status of pytest counts as well.
    """
    parser = parser_of(__file__, __doc__ or '')
    parser.add_argument('--quick', action='store_true', help='a few of them')
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / 'report.xml'
        command = [
            sys.executable, '-m', 'pytest', '-q', '-m', '', f'--junitxml={report}',
            *(('-k', QUICK) if quick else ()), ROOT / 'tests' / 'faults',
        ]  # fmt: skip
        run = subprocess.run(command, cwd=ROOT, check=False)
        found = list(read(report))
    Console(markup=False).print(table_of(found))
    numbers = {each.place[0] for each in found}
    lost = {each.place[0] for each in found if not each.survived}
    print(f'{len(numbers - lost)} of {len(numbers)} faults survived; the specification has 31')
    if run.returncode:
        print(f'pytest ended with exit status {run.returncode}')
    few = not quick and len(numbers - lost) < EXPECTED
    return int(bool(lost) or few or run.returncode != 0)


if __name__ == '__main__':
    sys.exit(main())
