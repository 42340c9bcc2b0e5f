"""Every test runs in a part or is named as not run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from softshell_tools import checks, parts
from softshell_tools.checks import Outcome, run_parts
from softshell_tools.figures import machine
from softshell_tools.parts import (
    DEFAULT_PARTS,
    NAMED_PATHS,
    PARTS,
    Check,
    benchmarks,
    checks_of,
    named_paths,
    sets_for,
)

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
import pytest

def test_short():
    pass

@pytest.mark.long
@pytest.mark.parametrize('k', range(2))
def test_long(k):
    pass

@pytest.mark.needs('core', 'bench')
def test_of_a_set():
    pass

@pytest.mark.parametrize('engine', ['pybullet', 'sim-pybullet'])
def test_of_an_engine(engine):
    pass

def test_of_the_machine():
    pytest.skip('no wings here')

@pytest.mark.xfail
def test_known_to_fail():
    assert False
"""
OTHER_TESTS = """
import pytest
pytest.importorskip('no_such_module', reason='needs no_such_module')
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A repository with one unit and one system test file, in which only `core` is installed."""
    files = {'tests/test_all.py': TESTS, 'src/a/test/test_other.py': OTHER_TESTS}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    (tmp_path / 'pytest.ini').write_text(
        '[pytest]\nmarkers =\n  long\n  needs\naddopts = --strict-markers\n'
    )
    (tmp_path / 'plugged.py').write_text(
        'from softshell_tools.workspace import Workspace\n'
        "Workspace.has_set = lambda self, name: name == 'core'\n"
    )
    path = f'{tmp_path}:{ROOT}/tools:{os.environ.get("PYTHONPATH", "")}'
    monkeypatch.setenv('PYTHONPATH', path)
    # Others take a second to load, and this has many runs.
    monkeypatch.setenv('PYTEST_DISABLE_PLUGIN_AUTOLOAD', '1')
    monkeypatch.setenv('PYTEST_PLUGINS', 'plugged,xdist.plugin,pytest_timeout')
    monkeypatch.setenv('COLUMNS', '200')
    monkeypatch.setattr(parts, 'workers', lambda part: 0)
    return tmp_path


@pytest.mark.long
@pytest.mark.parametrize('workers', [0, 1, 2])
def test_the_summary_names_what_did_not_run(project, capfd, monkeypatch, workers):
    """Each test that was left out, with the reason and the command that runs it.

    It makes no difference whether tests run in one process or in others.
    """
    monkeypatch.setattr(parts, 'workers', lambda part: workers)
    assert run_parts(project, ['unit', 'system'], []) == 0
    said = capfd.readouterr().out
    summary = said[said.index('not run, ') :]
    for title, test in (
        ('2: marked long; to run: ./softshell test --part long', 'test_all.py::test_long (2 c'),
        ('1: needs the set bench; to run: ./softshell setup bench, then', '::test_of_a_set'),
        ('2: needs the set pybullet; to run: ./softshell setup pybullet', '_an_engine (2 cases)'),
        ('1: no wings here', 'tests/test_all.py::test_of_the_machine'),
        ('1: needs no_such_module', 'src/a/test/test_other.py'),
    ):
        assert f'not run, {title}' in summary
        assert test in summary
    assert 'parts not run: lint, long, bench' in summary
    assert 'all checks passed; tests that ran: 2' in summary


def test_what_one_part_leaves_to_another_is_not_named(project, capfd):
    """A long test that ran in its own part has run."""
    assert run_parts(project, ['system', 'long'], []) == 0
    said = capfd.readouterr().out
    assert 'marked long' not in said[said.index('not run, ') :]


def test_arguments_for_pytest_are_passed_on(project, capfd):
    """A selection that only one part has tests for leaves the other without."""
    assert run_parts(project, ['unit', 'system'], ['-k', 'short']) == 0
    said = capfd.readouterr().out
    assert 'no tests found' in said
    assert 'all checks passed; tests that ran: 1' in said


@pytest.mark.parametrize('arguments', [['-k', 'nothing_like_it'], ['-k', 'test_of_the_machine']])
def test_no_test_at_all_is_a_failure(project, capfd, arguments):
    """Neither an empty selection nor one of skipped tests is a success."""
    assert run_parts(project, ['unit', 'system'], arguments) == 1
    assert 'no test ran' in capfd.readouterr().out


@pytest.mark.parametrize('status', [0, 1])
def test_the_summary_says_how_long_all_took_and_where(tmp_path, capsys, monkeypatch, status):
    """In one line, whether checks passed or failed."""
    made = [Check('slow', ('sh', '-c', f'sleep 1.1; exit {status}'))]
    monkeypatch.setattr(checks, 'checks_of', lambda root, part, arguments, run: made)
    assert run_parts(tmp_path, ['lint'], []) == status
    said = re.findall(r'^took 0 min (\d+) s on (.*)$', capsys.readouterr().out, re.MULTILINE)
    ((seconds, where),) = said
    assert 1 <= int(seconds) < 30
    assert where == machine()


def test_what_may_take_longest_is_begun_with(project, capfd):
    """So that no core waits for it at the end."""
    (project / 'tests/test_all.py').write_text(
        'import pytest\ndef test_first(): pass\n'
        '@pytest.mark.timeout(1800)\ndef test_last(): pass\n'
    )
    assert run_parts(project, ['system'], ['-v']) == 0
    said = capfd.readouterr().out
    assert said.index('test_last PASSED') < said.index('test_first PASSED')


def test_an_unknown_set_in_a_mark_is_an_error(project, capfd):
    """It would otherwise never run anywhere."""
    (project / 'tests/test_all.py').write_text(TESTS.replace("'bench'", "'wings'"))
    assert run_parts(project, ['system'], []) == 1
    said = capfd.readouterr()
    assert "unknown set 'wings'; known: core" in said.out + said.err


def test_a_check_that_fails_does_not_keep_others_from_running(monkeypatch, tmp_path, capfd):
    """All results are in the summary, and the status is that of the worst."""
    python = sys.executable
    made = [Check('one', (python, '-c', 'exit(3)')), Check('two', (python, '-c', 'print("ran")'))]
    monkeypatch.setattr(checks, 'checks_of', lambda root, part, arguments, run: made)
    assert run_parts(tmp_path, ['lint'], []) == 1
    said = capfd.readouterr().out
    assert 'ran' in said
    assert 'failed: one' in said


def test_what_runs_beside_others_is_printed_when_they_have_ended(monkeypatch, tmp_path, capfd):
    """Its output is not between theirs, and its failure counts."""
    python = sys.executable
    told = tmp_path / 'told'
    wait = (
        f'import pathlib, time\nwhile not pathlib.Path({str(told)!r}).exists(): time.sleep(0.01)'
    )
    made = [
        Check('types', (python, '-c', f'{wait}\nprint("int is no str"); exit(1)'), beside=True),
        Check('style', (python, '-c', f'print("good"); open({str(told)!r}, "w")')),
    ]
    monkeypatch.setattr(checks, 'checks_of', lambda root, part, arguments, run: made)
    assert run_parts(tmp_path, ['lint'], []) == 1
    said = capfd.readouterr().out
    assert said.index('good') < said.index('int is no str')
    assert 'failed: types' in said


def test_a_pytest_that_died_leaves_no_report(tmp_path):
    """Nothing counts as run then."""
    outcome = Outcome()
    outcome.add_report(tmp_path / 'report.json')
    assert outcome.ran == set()


def test_every_test_folder_is_in_a_part():
    """Whatever file of the repository holds tests lies in a folder that a part runs.

    Those of the package that is there to be copied are run by test_my_robot_pkg.py.
    """
    folders = {
        Path(argument)
        for part in ('unit', 'system')
        for argument in checks_of(ROOT, part, [])[0].command
        if Path(argument).is_dir()
    }
    listed = subprocess.run(
        ['git', 'ls-files', '--cached', '--others', '--exclude-standard', '*test_*.py'],
        cwd=ROOT, capture_output=True, text=True, check=False,
    ).stdout.split()  # fmt: skip
    files = [
        ROOT / name
        for name in listed
        if Path(name).name.startswith('test_') and not name.startswith('examples/')
    ]
    assert files or not (ROOT / '.git').exists()
    assert [file for file in files if not folders & {*file.parents}] == []


def test_pytest_runs_the_named_paths_alone(tmp_path):
    """A path among the arguments stands for itself; the value of -k is no path."""
    (tmp_path / 'src' / 'a' / 'test').mkdir(parents=True)
    (tmp_path / 'tests').mkdir()
    assert named_paths(tmp_path, ['-x', 'src/a/test::test_b']) == ['src/a/test::test_b']
    assert not named_paths(tmp_path, ['-k', 'tests'])
    assert not named_paths(tmp_path, ['-k', 'gate'])
    (named,) = checks_of(tmp_path, NAMED_PATHS, ['src/a/test'])
    assert named.command[-1] == 'src/a/test'
    (every,) = checks_of(tmp_path, 'long', [])
    assert every.command[-2:] == (f'{tmp_path}/src/a/test', f'{tmp_path}/tests')


def test_lint_covers_the_entry_script_and_the_tools():
    """The entry script has no extension, so it is named to ruff; mypy reads the tools."""
    made = checks_of(ROOT, 'lint', [])
    assert [check.name for check in made] == ['ruff check', 'ruff format', 'mypy']
    assert all('softshell' in check.command for check in made[:2])
    assert str(ROOT / 'tools/softshell_tools') in made[2].command


def test_every_part_can_be_made():
    """Each part has checks, and the default parts are among the parts."""
    assert {*DEFAULT_PARTS} < {*PARTS}
    assert all(checks_of(ROOT, part, []) for part in PARTS)


def test_what_two_parts_do_is_done_once():
    """Benchmarks in short, beside those in full; and faults as a benchmark, beside their tests."""
    short = '--deselect=tests/system/test_benchmarks.py::test_every_benchmark_runs_to_its_end'
    for run, once in ((['long'], False), (['long', 'bench'], True), ([*PARTS], True)):
        assert (short in checks_of(ROOT, 'long', [], run)[0].command) == once
    (path, function) = short.partition('=')[2].split('::')
    assert f'def {function}(' in (ROOT / path).read_text(encoding='utf-8')
    for run, left_out in ((['bench'], set()), (['bench', 'long'], set()), ([*PARTS], {'faults'})):
        found = {check.name.split()[1] for check in checks_of(ROOT, 'bench', [], run)}
        assert {*benchmarks(ROOT)} - found == left_out


def test_no_benchmark_that_measures_time_runs_beside_another():
    """Those that measure none run beside tests, and in a row where only benchmarks run."""
    for run, beside in ((['bench'], set()), ([*PARTS], {'bench rolling', 'bench rough'})):
        checks = checks_of(ROOT, 'bench', [], run)
        assert {check.name for check in checks if check.beside} == beside


def test_only_what_a_part_needs_is_installed_for_it():
    """The peers of the benchmarks come with the benchmarks alone."""
    assert sets_for(['lint', 'unit', 'system', 'long']) == ['test', 'hardware', 'web', 'studies']
    assert sets_for(['bench']) == ['test', 'hardware', 'web', 'studies', 'bench']


@pytest.mark.parametrize('argument', ['--pdb', '-s'])
def test_what_one_process_has_to_do_is_done_by_one(tmp_path, argument):
    """Tests run side by side, unless a person looks on."""
    assert '-n' in checks_of(tmp_path, 'unit', ['-x'])[0].command
    assert '-n' not in checks_of(tmp_path, 'unit', [argument])[0].command
    assert '-n' in checks_of(tmp_path, 'long', [])[0].command
