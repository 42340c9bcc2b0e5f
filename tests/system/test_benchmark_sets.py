"""`./softshell bench NAME` installs what the benchmark imports, before it starts it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from modules import MODULES, modules_of, requirements
from typer.testing import CliRunner

from softshell_tools import bench_command, cli, parts
from softshell_tools.requirement_sets import BENCH, CORE, HARDWARE, PYBULLET, SETS, STUDIES, WEB
from softshell_tools.stack_arguments import SETS_OF_VALUES

ROOT = Path(__file__).parents[2]
PROGRAMS = parts.benchmarks(ROOT)
#: Folders in which a benchmark finds modules by their bare names.
FOLDERS = ('tests/benchmarks', 'tests/motion', 'tests/faults', 'src/softshell_hardware/test')
#: What benchmarks start as programs of their own, besides importing modules.
STARTED = {
    'continuum': 'tests/benchmarks/_continuum_*.py',
    'faults': 'tests/faults/*.py',
    'ik': 'tests/benchmarks/_ik_*.py',
    'sim': 'tests/benchmarks/_sim_*.py',
}
#: Names on PyPI of what only peers import, by the name it is imported by.
PEERS = {
    'eaik': 'eaik', 'elastica': 'pyelastica', 'ikpy': 'ikpy', 'klampt': 'klampt',
    'optik': 'optik-py', 'pinocchio': 'pin', 'pytracik': 'pytracik',
    'roboticstoolbox': 'roboticstoolbox-python',
}  # fmt: skip
#: Our packages whose imports are a set of their own.
OURS = {
    'softshell_hardware': HARDWARE, 'softshell_dashboard': WEB, 'softshell_studies': STUDIES,
}  # fmt: skip


def files_of(name: str) -> set[Path]:
    """The files of a benchmark: its program, what that starts, and the modules of these."""
    todo = [PROGRAMS[name], *(ROOT.glob(STARTED[name]) if name in STARTED else ())]
    found: set[Path] = set()
    while todo:
        file = todo.pop()
        if file in found:
            continue
        found.add(file)
        for module in modules_of(ast.walk(ast.parse(file.read_text(encoding='utf-8')))):
            todo += [
                path for folder in FOLDERS if (path := ROOT / folder / f'{module}.py').exists()
            ]
    return found


def asks_for(file: Path) -> Iterator[tuple[str, set[str]]]:
    """What a file needs that may be in no basic set, and the sets that have it, any of which
    will do."""
    tree = ast.parse(file.read_text(encoding='utf-8'))
    names = {**{name: pip for name, (pip, _) in MODULES.items()}, **PEERS}
    for module in modules_of(ast.walk(tree)):
        top = module.partition('.')[0]
        if top in OURS:
            yield top, {OURS[top]}
        elif top in names:
            yield names[top], {each for each in SETS if names[top] in requirements(each)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            pairs = zip(map(text_of, node.keys), map(text_of, node.values), strict=True)
        else:
            pairs = [text_of(node).partition(':=')[::2]]
        for pair in pairs:
            if pair in SETS_OF_VALUES:
                yield ':='.join(pair), {SETS_OF_VALUES[pair]}


def text_of(node: ast.AST | None) -> str:
    """The text that an expression is; empty for any other."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ''


@pytest.mark.parametrize('name', PROGRAMS)
def test_what_a_benchmark_needs_is_in_the_basic_sets_or_in_its_own(name):
    """Its imports, those of what it starts, and those of the nodes of its stacks; no set more."""
    has = {CORE, PYBULLET, *parts.sets_of(name, [])}
    needed = set()
    for file in files_of(name):
        for what, sets in asks_for(file):
            assert sets & has, f'{file.name} needs {what}: {", ".join(sets)}'
            needed |= sets if len(sets) == 1 else set()
    assert {*parts.sets_of(name, [])} <= needed
    assert {*parts.BENCHMARK_SETS} <= {*PROGRAMS}


@pytest.mark.parametrize('name', [name for name in PROGRAMS if BENCH in parts.sets_of(name, [])])
def test_peers_are_installed_only_where_they_are_asked(name):
    """`--without-peers` and `--quick` are options of every benchmark that has peers."""
    text = PROGRAMS[name].read_text(encoding='utf-8')
    assert "'--without-peers'" in text
    assert "'--quick'" in text
    for option in parts.WITHOUT_PEERS:
        assert BENCH not in parts.sets_of(name, [option])


def test_the_sets_are_installed_before_the_benchmark_starts(monkeypatch):
    """By the command, also where it keeps the output; one that needs none installs none."""
    done = []
    monkeypatch.setattr(bench_command, 'set_up', done.append)
    monkeypatch.setattr('os.execv', lambda program, command: done.append(Path(command[1]).stem))
    monkeypatch.setattr('softshell_tools.figures.record', lambda name, command: done.append(name))
    for words in ('dashboard', 'studies --record', 'stack', 'ik --quick', 'ik'):
        result = CliRunner().invoke(cli.app, ['bench', *words.split()])
        assert result.exit_code == 0, result.output
    assert done == [['web'], 'dashboard', ['studies'], 'studies', 'stack', 'ik', ['bench'], 'ik']
