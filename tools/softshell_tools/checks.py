"""Runs the parts of `./softshell test`, and prints at the end which tests did not run."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from softshell_tools.figures import machine
from softshell_tools.parts import PARTS, Check, checks_of

NO_TESTS_COLLECTED = 5  # exit status of pytest


@dataclass(frozen=True)
class LeftOut:
    """A test that did not run.

    Args:
        test: file and name of the test, as pytest writes them.
        reason: why it did not run.
        command: the command that runs it; empty if there is none.
    """

    test: str
    reason: str
    command: str


@dataclass(frozen=True)
class Ended:
    """What is left of a check that has run.

    Args:
        status: exit status of its command.
        took: how long it took [s].
        output: what it wrote, if that is not printed yet.
        report: where the plugin `softshell_tools.selection` has left its report, if it has.
    """

    status: int
    took: float
    output: str
    report: Path


@dataclass
class Outcome:
    """The results of all checks.

    Attributes:
        failed: names of the checks that failed.
        ran: tests that ran, passed or failed.
        left_out: tests that at least one part did not run, by name.
    """

    failed: list[str] = field(default_factory=list)
    ran: set[str] = field(default_factory=set)
    left_out: dict[str, LeftOut] = field(default_factory=dict)

    def add(self, check: Check, ended: Ended) -> Text:
        """Add the results of a check; returns the result in words, for the table."""
        self.add_report(ended.report)
        if check.runs_tests and ended.status == NO_TESTS_COLLECTED:
            return Text('no tests found', 'yellow')
        if ended.status:
            self.failed.append(check.name)
        return Text('failed', 'red') if ended.status else Text('passed', 'green')

    def add_report(self, file: Path) -> None:
        """Add the report of the plugin `softshell_tools.selection`; without one, nothing."""
        if file.exists():
            report = json.loads(file.read_text(encoding='utf-8'))
            self.ran.update(report['ran'])
            for entry in report['left_out']:
                self.left_out[entry['test']] = LeftOut(**entry)

    def not_run(self) -> list[LeftOut]:
        """The tests that no part ran."""
        return [entry for test, entry in sorted(self.left_out.items()) if test not in self.ran]


def run_parts(root: Path, parts: Sequence[str], arguments: Sequence[str]) -> int:
    """Run all checks of some parts, also after one has failed, and print a summary.

    Args:
        root: the repository.
        parts: names of parts.
        arguments: passed on to pytest.

    Returns:
        Exit status: 0 if all checks passed and, if there are tests among them, at least one ran;
        else 1.
    """
    console, start = Console(markup=False), time.monotonic()
    table = Table('part', 'check', 'result', 'time')
    outcome = Outcome()
    checks = [(part, check) for part in parts for check in checks_of(root, part, arguments, parts)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        reports = Path(folder)
        begun = {c: pool.submit(run, root, c, reports) for _, c in checks if c.beside}
        # What runs beside the others is waited for after them.
        for part, check in sorted(checks, key=lambda entry: entry[1].beside):
            console.rule(Text(check.name, 'bold'), align='left')
            ended = begun[check].result() if check.beside else run(root, check, reports)
            sys.stdout.write(ended.output)
            table.add_row(part, check.name, outcome.add(check, ended), f'{ended.took:.1f} s')
    if any(check.runs_tests for _, check in checks) and not outcome.ran:
        outcome.failed.append('no test ran')
    console.rule()
    console.print(table)
    print_not_run(console, outcome)
    print_other_parts(console, parts)
    minutes, seconds = divmod(round(time.monotonic() - start), 60)
    took = f'took {minutes} min {seconds} s on {machine()}'
    console.print(took, highlight=False, soft_wrap=True)
    if outcome.failed:
        console.print(f'failed: {", ".join(outcome.failed)}', style='red', highlight=False)
        return 1
    count = f'; tests that ran: {len(outcome.ran)}' if outcome.ran else ''
    console.print(f'all checks passed{count}', style='green', highlight=False)
    return 0


def run(root: Path, check: Check, reports: Path) -> Ended:
    """Run one check.

    Args:
        root: the repository.
        check: the check; the output of one that runs beside others is not printed.
        reports: folder for the report of tests.
    """
    start = time.monotonic()
    environment = {**os.environ, **dict(check.environment)}
    command, report = list(check.command), reports / f'{check.name}.json'
    if check.runs_tests:
        from softshell_bringup.domain import free_domain

        environment['ROS_DOMAIN_ID'] = str(free_domain())
        command.append(f'--run-report={report}')
    to = (subprocess.PIPE, subprocess.STDOUT) if check.beside else (None, None)
    process = subprocess.run(
        command, cwd=root, env=environment, check=False, stdout=to[0], stderr=to[1], text=True
    )
    took = time.monotonic() - start
    return Ended(process.returncode, took, process.stdout or '', report)


def print_not_run(console: Console, outcome: Outcome) -> None:
    """Print the tests that did not run, by reason, with the command that runs them."""
    reasons: dict[tuple[str, str], list[str]] = defaultdict(list)
    for entry in outcome.not_run():
        reasons[entry.reason, entry.command].append(entry.test)
    for (reason, command), tests in sorted(reasons.items()):
        how = f'; to run: {command}' if command else ''
        title = f'not run, {len(tests)}: {reason}{how}'
        console.print(title, style='yellow', highlight=False, soft_wrap=True)
        cases = Counter(test.partition('[')[0] for test in tests)
        for test, count in sorted(cases.items()):
            times = f' ({count} cases)' if count > 1 else ''
            console.print(f'  {test}{times}', highlight=False, soft_wrap=True)


def print_other_parts(console: Console, parts: Sequence[str]) -> None:
    """Print the parts that were not asked for."""
    others = [name for name in PARTS if name not in parts]
    if others:
        console.print(
            f'parts not run: {", ".join(others)}; to run: ./softshell test --part NAME, or --all',
            highlight=False,
            soft_wrap=True,
        )
