"""The parts of `./softshell test`, and the commands that each part runs."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from softshell_tools.requirement_sets import BENCH, HARDWARE, STUDIES, TEST, TESTING, WEB

#: What each part checks, by name, in the order in which they run.
PARTS = {
    'lint': 'style and types of all code',
    'unit': 'tests of the packages and of tools/, without those marked long',
    'system': 'tests in tests/, which cross packages, without those marked long',
    'long': 'all tests marked long',
    'bench': 'every benchmark, with its peers',
}
#: The parts that run by default.
DEFAULT_PARTS = ('lint', 'unit', 'system')
#: The part that consists of files and folders that the user names.
NAMED_PATHS = 'tests'
#: Options of pytest whose value may look like a path.
WITH_VALUE = (
    *('-k', '-m', '-c', '-p', '--rootdir', '--confcutdir', '--basetemp'),
    *('--ignore', '--ignore-glob', '--deselect'),
)
#: Arguments of pytest that do not work with several processes.
SERIAL = {'--pdb', '--trace', '-s', '--capture=no'}
#: The tests that try every benchmark shortly, which the part `bench` runs in full.
BENCHES_IN_SHORT = 'tests/system/test_benchmarks.py::test_every_benchmark_runs_to_its_end'
#: The benchmark that runs all of `tests/faults`, which the parts `system` and `long` do as well.
FAULTS = 'faults'
#: Benchmarks that measure no time: they run beside tests, where these run as well.
UNTIMED = ('rolling', 'rough')
#: The sets of requirements that a benchmark needs beyond the basic ones, by its name.
BENCHMARK_SETS = {
    'continuum': (BENCH,),
    'dashboard': (WEB,),
    'environments': (STUDIES,),
    'faults': (TEST, HARDWARE),
    'ik': (BENCH,),
    'scale': (STUDIES,),
    'sim': (BENCH,),
    'soak': (WEB, HARDWARE),
    'studies': (STUDIES,),
}
#: Arguments of benchmarks with which these ask no peers, which are the set `bench`.
WITHOUT_PEERS = ('--without-peers', '--quick', '--help', '-h')
#: Largest number of processes that run tests at the same time.
MOST_WORKERS = 8


def workers(part: str) -> int:
    """How many processes run the tests of a part at the same time, at most `MOST_WORKERS`.

    One for each CPU that this process may use, or two for `unit`, where many tests wait: four on
    two cores keep them busy for 92 % of the time. Most tests of `system` run stacks of processes
    in real time, and those of `long` compute: three on two cores need a quarter more CPU each.
    """
    count = len(os.sched_getaffinity(0))
    return min(2 * count if part == 'unit' else count, MOST_WORKERS)


@dataclass(frozen=True)
class Check:
    """A check that is one command.

    Args:
        name: name of the check.
        command: command line; exit status 0 means that the check passed.
        environment: variables in addition to those of this process.
        runs_tests: whether the command is pytest.
        beside: whether it runs beside the checks after it, since it keeps one core busy for long.
    """

    name: str
    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    runs_tests: bool = False
    beside: bool = False


def sets_for(parts: Sequence[str]) -> list[str]:
    """The sets of requirements that these parts need."""
    return [*TESTING, *([BENCH] if 'bench' in parts else [])]


def sets_of(benchmark: str, arguments: Sequence[str]) -> list[str]:
    """The sets of requirements that a benchmark needs with these arguments."""
    sets = BENCHMARK_SETS.get(benchmark, ())
    apart = (BENCH,) if {*arguments} & {*WITHOUT_PEERS} else ()
    return [name for name in sets if name not in apart]


def checks_of(
    root: Path, part: str, arguments: Sequence[str], run: Sequence[str] = ()
) -> list[Check]:
    """The checks of a part.

    Args:
        root: the repository.
        part: one of PARTS, or NAMED_PATHS.
        arguments: passed on to pytest.
        run: all parts that are run; what several of them do is done by one.
    """
    if part == 'lint':
        return lint_checks(root)
    if part == 'bench':
        every = {'system', 'long'} <= {*run}
        return bench_checks(root, [FAULTS] if every else [], UNTIMED if every else [])
    unit = [*sorted(root.glob('src/*/test')), root / 'tools' / 'test']
    system = [root / 'tests']
    folders = {'unit': unit, 'system': system, 'long': [*unit, *system], NAMED_PATHS: []}[part]
    # No test depends on its speed; for how many run together see `workers`.
    beside = part != NAMED_PATHS and not SERIAL.intersection(arguments)
    # Files of long tests differ so much in duration that single tests are handed out.
    way = 'worksteal' if part == 'long' else 'loadfile'
    command = (
        sys.executable, '-m', 'pytest', '-p', 'softshell_tools.selection',
        '--continue-on-collection-errors',
        *(('-n', str(workers(part)), '--dist', way) if beside else ()),
        *(('--run-long', '-m', 'long') if part == 'long' else ()),
        *((f'--deselect={BENCHES_IN_SHORT}',) if part == 'long' and 'bench' in run else ()),
        *arguments, *(str(folder) for folder in folders if folder.is_dir()),
    )  # fmt: skip
    return [Check(part, command, runs_tests=True)]


def lint_checks(root: Path) -> list[Check]:
    """The checks of style and types of all code."""
    packages = sorted(
        path.parent for path in root.glob('src/*/*/__init__.py') if path.parent.name != 'test'
    )
    packages.append(root / 'tools' / 'softshell_tools')
    paths = ('.', 'softshell')
    mypy_path = os.pathsep.join(str(package.parent) for package in packages)
    tool = (sys.executable, '-m')
    return [
        Check('ruff check', (*tool, 'ruff', 'check', '--quiet', *paths)),
        Check('ruff format', (*tool, 'ruff', 'format', '--check', '--quiet', *paths)),
        Check(
            'mypy',
            (*tool, 'mypy', '--no-error-summary', *map(str, packages)),
            (('MYPYPATH', mypy_path),),
            beside=True,
        ),
    ]


def benchmarks(root: Path) -> dict[str, Path]:
    """The benchmarks' programs, by name."""
    folder = root / 'tests' / 'benchmarks'
    return {path.stem: path for path in sorted(folder.glob('[!_]*.py'))}


def bench_checks(
    root: Path, without: Sequence[str] = (), beside: Sequence[str] = ()
) -> list[Check]:
    """A check for each benchmark but some, of which some run beside other checks."""
    return [
        Check(f'bench {name}', (sys.executable, str(path)), beside=name in beside)
        for name, path in benchmarks(root).items()
        if name not in without
    ]


def misnamed(root: Path, arguments: Sequence[str]) -> str:
    """What is wrong with an argument that is neither an option nor may be the value of one.

    Returns:
        In words; empty if nothing is.
    """
    for previous, argument in zip(['', *arguments], arguments, strict=False):
        if argument.startswith('-') or previous.startswith('-') or named_paths(root, [argument]):
            continue
        if argument in PARTS:
            return f'{argument!r} is a part; expected --part {argument}'
        return f'there is no file or folder {argument!r} of tests'
    return ''


def named_paths(root: Path, arguments: Sequence[str]) -> list[str]:
    """The arguments of pytest that are paths of tests, which are run instead of all tests."""
    before = ['', *arguments]
    return [
        argument
        for previous, argument in zip(before, arguments, strict=False)
        if not argument.startswith('-')
        and previous not in WITH_VALUE
        and (root / argument.split('::')[0]).exists()
    ]
