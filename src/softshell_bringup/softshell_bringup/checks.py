"""All checks of the repository: style, types, unit and system tests, with one summary."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from softshell_bringup.domain import free_domain

NO_TESTS_COLLECTED = 5  # exit status of pytest


@dataclass(frozen=True)
class Check:
    """A check that is one command.

    Args:
        name: of the check.
        command: its exit status is the check's.
        environment: variables on top of this process's.
    """

    name: str
    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()


def lint_checks(root: Path) -> list[Check]:
    """Style and types of all code."""
    packages = sorted(
        path.parent for path in root.glob('src/*/*/__init__.py') if path.parent.name != 'test'
    )
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
        ),
    ]


def test_check(root: Path, arguments: Sequence[str], long: bool) -> Check:
    """The unit and system tests, on a ROS domain of their own.

    Args:
        root: the repository.
        arguments: passed on to pytest; a path among them is run instead of all tests.
        long: also those marked long.
    """
    has_path = any(
        not argument.startswith('-') and (root / argument.split('::')[0]).exists()
        for argument in arguments
    )
    folders = [] if has_path else sorted(str(path) for path in root.glob('src/*/test'))
    if not has_path and (root / 'tests').is_dir():
        folders.append(str(root / 'tests'))
    marks = () if long else ('-m', 'not long')
    command = (sys.executable, '-m', 'pytest', *marks, *arguments, *folders)
    return Check('tests', command, (('ROS_DOMAIN_ID', str(free_domain())),))


def run_checks(root: Path, arguments: Sequence[str], *, long: bool, lint: bool) -> int:
    """Run all checks, each to its end whatever the others say, and print a summary.

    Returns:
        Exit status: 0 if all passed.
    """
    console = Console()
    checks = [*(lint_checks(root) if lint else []), test_check(root, arguments, long)]
    table = Table('check', 'result', 'time')
    failed = []
    for check in checks:
        console.rule(f'[bold]{check.name}', align='left')
        start = time.monotonic()
        status = subprocess.run(
            check.command, cwd=root, env={**os.environ, **dict(check.environment)}, check=False
        ).returncode
        if status:
            failed.append(check.name)
        result = '[red]failed' if status else '[green]passed'
        if check.name == 'tests' and status == NO_TESTS_COLLECTED:
            result = '[red]no tests found'
        table.add_row(check.name, result, f'{time.monotonic() - start:.1f} s')
    console.rule()
    console.print(table)
    if failed:
        console.print(f'[red]failed: {", ".join(failed)}', highlight=False)
        return 1
    console.print('[green]all checks passed')
    return 0
