"""A pytest plugin that skips tests by their marks, and reports which tests ran and which did not.

`./softshell test` loads it with `-p softshell_tools.selection`. A test marked `long` runs only
with `--run-long`; one marked `needs(set, ...)` runs only if these sets are installed. A test with
PyBullet as a parameter needs its set without a mark.
"""

import gc
import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from softshell_tools.requirement_sets import PYBULLET, SETS, check_names
from softshell_tools.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
LONG = 'marked long'
NEEDS = 'needs the set '
#: Parameters by which a test runs on PyBullet.
ENGINES = (PYBULLET, f'sim-{PYBULLET}')


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the plugin's own options."""
    group = parser.getgroup('softshell')
    group.addoption('--run-long', action='store_true', help='run the tests marked long, too')
    group.addoption('--run-report', metavar='FILE', help='write which tests ran and which did not')


def pytest_configure(config: pytest.Config) -> None:
    """Register the plugin for this run."""
    config.pluginmanager.register(Selection(config), 'softshell-selection')


class Selection:
    """Skips tests by their marks, and records for every test whether it ran.

    Args:
        config: configuration of the run.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._run_long: bool = config.getoption('--run-long')
        self._file: str | None = config.getoption('--run-report')
        self._is_worker = hasattr(config, 'workerinput')
        self._workspace = Workspace(ROOT)
        self._ran: set[str] = set()
        self._left_out: dict[str, str] = {}  # reason by test

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        """Keep Python's search for unused objects from all tests and what they import.

        It looks at them again and again while there are ever more, a quarter of the time, and
        later whenever it looks at all.
        """
        gc.disable()
        try:
            return (yield)
        finally:
            gc.freeze()
            gc.enable()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Mark tests that are left out as skipped; begin with those that may take longest.

        Otherwise the longest may come last, and all but one core wait for its end.
        """
        items.sort(key=patience, reverse=True)
        for item in items:
            for reason in self._reasons(item):
                item.add_marker(pytest.mark.skip(reason=reason))

    def _reasons(self, item: pytest.Item) -> list[str]:
        """Why a test is left out."""
        reasons = []
        if not self._run_long and item.get_closest_marker('long'):
            reasons.append(LONG)
        for name in needed(item):
            if name in SETS and not self._workspace.has_set(name):
                reasons.append(NEEDS + name)
        return reasons

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Fail a test that needs an unknown set: it would never run."""
        try:
            check_names(needed(item))
        except ValueError as error:
            pytest.fail(f'mark needs: {error}', pytrace=False)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Record a file that was skipped as a whole."""
        if report.skipped:
            self._left_out[report.nodeid] = reason_of(report.longrepr)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record that a test ran, or why it was skipped. An expected failure counts as run."""
        if report.skipped and not hasattr(report, 'wasxfail'):
            self._left_out[report.nodeid] = reason_of(report.longrepr)
        elif report.when == 'call' or not report.passed:
            self._ran.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write the report; if workers run the tests, only the process that controls them does."""
        if self._file and not self._is_worker:
            left_out = [
                {'test': test, 'reason': reason, 'command': command_for(reason)}
                for test, reason in self._left_out.items()
            ]
            content = {'ran': sorted(self._ran), 'left_out': left_out}
            Path(self._file).write_text(json.dumps(content), encoding='utf-8')


def needed(item: pytest.Item) -> list[str]:
    """The sets that a test needs, by its marks and parameters."""
    call = getattr(item, 'callspec', None)
    values = [] if call is None else call.params.values()
    named = any(isinstance(value, str) and value in ENGINES for value in values)
    marked = [name for mark in item.iter_markers('needs') for name in mark.args]
    return [*marked, PYBULLET] if named else marked


def patience(item: pytest.Item) -> float:
    """How long a test may take by its own mark [s]; 0 without one."""
    mark = item.get_closest_marker('timeout')
    return float(mark.args[0]) if mark else 0.0


def command_for(reason: str) -> str:
    """The command that runs tests that were left out for a reason; empty if there is none."""
    if reason == LONG:
        return './softshell test --part long'
    if reason.startswith(NEEDS):
        return f'./softshell setup {reason.removeprefix(NEEDS)}, then ./softshell test'
    return ''


def reason_of(longrepr: Any) -> str:
    """The reason of a skip, without pytest's prefix."""
    text = longrepr[2] if isinstance(longrepr, tuple) else str(longrepr)
    return text.removeprefix('Skipped: ')
