"""Keeps the output of benchmarks with machine and date, and shows it in the README."""

import datetime
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from softshell_tools.inserts import insert
from softshell_tools.installation import ROOT

FOLDER = ROOT / 'docs' / 'figures'
#: The benchmarks in the README, by name, with their titles.
SHOWN = {
    'ik': 'inverse kinematics beside its peers',
    'sim': 'simulation beside bare engines and Klamp’t',
    'continuum': 'soft rods beside a measured one, PyElastica and MuJoCo',
    'stack': 'start and end of all nodes, and what they take while the robot stands',
}
COLUMNS = '110'  # width of the tables [characters]


def record(name: str, command: Sequence[str]) -> int:
    """Run a benchmark, keep its output, and show it in the README.

    The output of a benchmark that fails is not kept.

    Args:
        name: name of the benchmark.
        command: its command line: the interpreter, the program and its arguments.

    Returns:
        The exit status of the benchmark.
    """
    lines = []
    with subprocess.Popen(
        command,
        env={**os.environ, 'COLUMNS': COLUMNS, 'NO_COLOR': '1'},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            lines.append(line.rstrip())
    if process.returncode == 0:
        FOLDER.mkdir(exist_ok=True)
        head = f'{words(name, command)}\n{machine()}, {datetime.datetime.now().date()}\n'
        text = '\n'.join([head, *lines]).rstrip() + '\n'
        (FOLDER / f'{name}.txt').write_text(text, encoding='utf-8')
        insert('figures', block())
    return process.returncode


def words(name: str, command: Sequence[str]) -> str:
    """The command as a user types it."""
    return ' '.join(['./softshell bench', name, *command[2:]])


def machine() -> str:
    """The processor, the number of cores that this process may use, and the version of Python."""
    lines = Path('/proc/cpuinfo').read_text(encoding='utf-8').splitlines()
    models = [line.partition(':')[2].strip() for line in lines if line.startswith('model name')]
    processor = models[0] if models else platform.machine()
    cores = len(os.sched_getaffinity(0))
    return f'{processor}, {cores} cores, Python {platform.python_version()}'


def block() -> str:
    """The figures' part of the README: each output in a section that unfolds."""
    return '\n\n'.join(_folded())


def _folded() -> Iterator[str]:
    for name, title in SHOWN.items():
        path = FOLDER / f'{name}.txt'
        if path.is_file():
            text = path.read_text(encoding='utf-8').rstrip()
            summary = f'<summary><code>./softshell bench {name}</code>: {title}</summary>'
            yield f'<details>{summary}\n\n```\n{text}\n```\n\n</details>'
