"""Every command that the pages and the help show is run as it stands there."""

import os
import pty
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from itertools import filterfalse
from pathlib import Path

import pytest
from commands_rig import ELSEWHERE, KINDS, TIMEOUT, finished, on, program, started
from shown_commands import commands
from typer.testing import CliRunner

from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_common.ros.context import new_context
from softshell_studies.gym.policy import trained
from softshell_tools import checks, cli, first_use

ROOT = Path(__file__).parents[2]
#: What others that are run each time do as well.
ALIKE = (
    'action --check examples/my_robot_pkg/robots/ant',
    'action --preview walk', 'action --preview walk --pose stand',
    'action roll distance:=2', 'action roll distance:=2 direction:=0.8', 'action open',
    'action stand', 'action walk gait:=ripple queue:=true', 'action walk gait:=wave',
    'action walk distance:=0.5 namespace:=one',
    'call', 'call black_box/write', 'call bridge/pause', 'call bridge/resume',
    'call bridge/reset', 'call bridge/activate', 'call bridge/step duration:=0.1',
    'set bridge', 'set bridge footing:=true',
    'report out/walk namespace:=one', 'replay out/walk --rate 2',
    "record imu '/camera/*' --output out/some", 'teleop namespace:=one',
)  # fmt: skip
#: The first words of the commands that are run below.
RUN: set[str] = set()


def of(*names: str) -> list[str]:
    """The commands that begin with one of these words and are run here."""
    RUN.update(names)
    return [words for words in commands() if words.split()[0] in names and words not in ELSEWHERE]


def test_every_command_is_of_a_kind_that_is_tested():
    """And what is said to be run elsewhere is still shown somewhere."""
    others = {'bench'}  # test_command_lines.py parses them, test_benchmarks.py runs them
    assert {words.split()[0] for words in commands()} == RUN | others
    assert RUN == KINDS
    assert {*ELSEWHERE, *ALIKE} <= {*commands()}
    assert len(commands()) > 20


@pytest.fixture(scope='class')
def domain() -> Iterator[int]:
    """A domain with a stack."""
    domain = free_domain()
    with Stack({'engine': 'mujoco', 'real_time_factor': '1'}, domain=domain) as stack:
        stack.wait_ready()
        yield domain


@pytest.fixture(scope='class')
def another(domain: int) -> Iterator[None]:
    """A second stack, in the namespace that the help speaks of."""
    with Stack({'bridge': 'mock', 'namespace': 'one'}, domain=domain) as stack:
        stack.wait_ready()
        yield


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a user stands: the files that the examples speak of are there."""
    for name in ('config', 'examples'):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / 'my_demo.yaml').symlink_to(ROOT / 'config/robots/quadruped/demo.yaml')
    (tmp_path / 'my_wiring.yaml').symlink_to(ROOT / 'config/hardware/arm.yaml')
    (tmp_path / 'my_keys.yaml').symlink_to(ROOT / 'config/teleop.yaml')
    (tmp_path / 'out' / 'policies').mkdir(parents=True)
    for place, task in (('out/walk', 'Walk'), ('out/policies/Reach', 'Reach')):
        shutil.copy(trained(task), tmp_path / f'{place}.npz')
    return tmp_path


def each(found):
    """Commands, those that others do as well marked as long."""
    long = pytest.mark.long
    return [pytest.param(one, marks=long) if one in ALIKE else one for one in found]


def needs_no_robot(words: str) -> bool:
    """Whether a command looks at actions, rather than at a robot that runs."""
    return words.startswith('action') and '--' in words


@pytest.mark.parametrize('words', each(filter(needs_no_robot, of('action'))))
def test_actions_are_looked_at_without_a_robot(folder, words):
    """Listed, described, checked and drawn."""
    run = finished(words, folder, free_domain())
    assert run.returncode == 0, run.stderr
    assert 'Traceback' not in run.stdout + run.stderr


class TestWhereAStackRuns:
    """It ends with the last of these tests: it takes much of a processor."""

    @pytest.fixture(autouse=True)
    def _namespace(self, request, words):
        if 'namespace:=one' in words:
            request.getfixturevalue('another')

    @pytest.mark.parametrize('words', each(filterfalse(needs_no_robot, of('action', 'doctor'))))
    def test_it_succeeds(self, domain, folder, words):
        """Actions are performed or listed; the doctor finds all that there is."""
        self.before(words, domain)
        run = finished(words, folder, domain)
        assert run.returncode == 0 or (words == 'doctor' and 'not ok: ' in run.stdout), run.stderr
        assert 'Traceback' not in run.stdout + run.stderr
        if words.startswith('action roll'):  # the other examples are those of a robot on its legs
            subprocess.run(program('action open'), env=on(domain), timeout=TIMEOUT, check=True)

    def before(self, words, domain):
        """A ball, for the one that opens it."""
        if words == 'action open':
            subprocess.run(program('action close'), env=on(domain), timeout=TIMEOUT, check=True)

    @pytest.mark.parametrize('words', each(of('call', 'set')))
    def test_it_is_done(self, domain, folder, words):
        """A step is made while time stands still; the stack is then as before."""
        for before in ('call bridge/pause',) if '/step' in words else ():
            assert finished(before, folder, domain).returncode == 0
        run = finished(words, folder, domain)
        assert run.returncode == 0, run.stderr
        assert run.stdout.strip()
        if '/pause' in words or '/step' in words:
            assert finished('call bridge/resume', folder, domain).returncode == 0
        elif words.startswith('call bridge'):
            with Shell(context=new_context(domain)) as shell:
                shell.reset()
                shell.activate()
        elif ':=' in words:
            undo = 'set bridge real_time_factor:=1 footing:=false'
            assert finished(undo, folder, domain).returncode == 0

    @pytest.mark.parametrize('words', of('record'))
    def test_it_is_recorded(self, domain, folder, words):
        """Into a bag that is told; the IMU is on all of the pages' examples."""
        run = finished(f'{words} --duration 3', folder, domain)
        assert run.returncode == 0, run.stderr
        (bag,) = folder.glob('out/**/metadata.yaml')
        assert 'name: /imu' in bag.read_text()

    @pytest.mark.parametrize('words', each(of('replay')))
    def test_it_is_sent_once_more(self, domain, folder, words):
        """On a domain where nobody else sends."""
        assert (
            finished('record imu --output out/walk --duration 2', folder, domain).returncode == 0
        )
        run = finished(words, folder, free_domain())
        assert run.returncode == 0, run.stderr
        assert re.search(r'^[1-9]\d* messages sent$', run.stdout, re.M)

    @pytest.mark.parametrize('words', each(of('report')))
    def test_a_page_is_made_of_it(self, domain, folder, words):
        """Of the one stack that was recorded, or of the one that is named."""
        named = 'namespace' in words
        kept = '' if named else "--exclude '/one/*'"
        recorded = finished(f'record --output out/walk --duration 3 {kept}', folder, domain)
        assert recorded.returncode == 0, recorded.stderr
        run = finished(words, folder, domain)
        assert run.returncode == 0, run.stderr
        assert 'Gait diagram' in (folder / 'out/walk/report.html').read_text() or named

    @pytest.mark.parametrize('words', each(of('teleop')))
    def test_the_keyboard_begins_and_ends(self, domain, folder, words):
        """On a terminal: its help appears, and the key for the exit ends it."""
        ours, theirs = pty.openpty()
        with subprocess.Popen(
            program(words), cwd=folder, env=on(domain) | {'TERM': 'xterm'},
            stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        ) as run:  # fmt: skip
            os.close(theirs)
            said = b''
            while b'hold a key to walk' not in said:
                said += os.read(ours, 4096)
            os.write(ours, b'x')
            try:
                while os.read(ours, 4096):
                    pass
            except OSError:  # the terminal has nobody on its other side any more
                pass
            assert run.wait(TIMEOUT) == 0
        os.close(ours)


@pytest.mark.long
@pytest.mark.needs('hardware')
@pytest.mark.parametrize('words', of('scan', 'calibrate', 'reboot'))
def test_without_servos_it_is_one_error(domain, folder, words):
    """No adapter, or no bridge to servos: what is missing, and what to do about it."""
    if any(Path('/dev').glob('ttyUSB*')):
        pytest.skip('there is an adapter')
    run = finished(words, folder, domain)
    assert run.returncode == 1
    assert 'is the adapter plugged in?' in run.stderr or 'no bridge to servos' in run.stderr
    assert 'Traceback' not in run.stdout + run.stderr


FAULTS = of('inject')


@pytest.mark.long
@pytest.mark.needs('hardware')
@pytest.mark.parametrize('words', of('emulate-servos'))
def test_emulated_servos_get_ready_take_faults_and_end(family, folder, words):
    """The faults that are shown as well; Ctrl-C then ends it with status 0."""
    environment = on(free_domain())
    with started(words, folder, environment, 'ready: ./softshell up') as (run, lines):
        for fault in FAULTS if 'robot:=arm' in words else ():
            subprocess.run(program(fault), env=environment, timeout=TIMEOUT, check=True)
    assert run.returncode == 0, ''.join(lines)


@pytest.mark.long
@pytest.mark.parametrize('words', of('up'))
def test_the_stack_gets_ready_and_ends(family, folder, words):
    """Until its line says that it is ready; Ctrl-C then ends it with status 0."""
    shown = '--show-args' in words
    with started(words, folder, on(free_domain()), 'ready: robot') as (run, lines):
        if shown:
            run.wait(TIMEOUT)
    assert run.returncode == 0, ''.join(lines)


@pytest.mark.long
@pytest.mark.parametrize('words', of('demo'))
def test_the_demo_succeeds(family, folder, words):
    """It ends well and leaves its files where it is told, else in a folder of the test's."""
    given = words if '--output' in words else f'{words} --output out/demo'
    run = finished(given, folder, free_domain(), 4 * TIMEOUT)
    assert run.returncode == 0, run.stdout + run.stderr
    (written,) = folder.glob('out/**/summary.json')
    assert {path.suffix for path in written.parent.iterdir()} == {'.json', '.png', '.mp4'}


@pytest.mark.parametrize('words', of('test'))
def test_the_tests_that_are_asked_for_exist(monkeypatch, words):
    """The arguments are taken, and the paths among them are there; the tests run by themselves."""
    ran = []
    monkeypatch.setattr(cli, 'set_up', lambda names: None)
    monkeypatch.setattr(checks, 'run_parts', lambda *arguments: ran.append(arguments) or 0)
    result = CliRunner().invoke(cli.app, shlex.split(words))
    assert result.exit_code == 0, result.output
    ((root, parts, arguments),) = ran
    assert parts
    for argument in arguments:
        assert '/' not in argument or (root / argument).exists()


@pytest.mark.parametrize('words', of('identify'))
def test_a_servo_is_identified(folder, monkeypatch, words):
    """The servo of examples/step.csv had kp 8, kd 0.25, 0.1 N m of friction and 12 ms of delay."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(first_use, 'set_up', lambda space, names: {})
    result = CliRunner().invoke(cli.app, shlex.split(words))
    assert result.exit_code == 0, result.output
    found = {line.split()[0]: float(line.split()[1]) for line in result.output.splitlines()[:4]}
    expected = {'kp': 8.0, 'kd': 0.25, 'dry_friction': 0.1, 'delay': 0.012}
    assert found == pytest.approx(expected, rel=0.05)
    assert (folder / 'step.png').read_bytes()[:8] == b'\x89PNG\r\n\x1a\n'


@pytest.mark.long
@pytest.mark.parametrize('words', of('soft'))
def test_an_experiment_comes_out_as_expected(folder, words):
    """Or all are listed; pictures go where the user stands."""
    run = finished(words, folder, free_domain(), 4 * TIMEOUT)
    assert run.returncode == 0, run.stdout + run.stderr
    assert words == 'soft' or list(folder.glob('out/soft/*.png'))


@pytest.mark.long
@pytest.mark.needs('studies')
@pytest.mark.parametrize('words', of('sweep', 'sweep-report'))
def test_a_study_is_done_and_looked_at(folder, words):
    """A table of its runs is where the user stands, and a page of a study that was done before."""
    before = ['sweep examples/studies/gait.yaml'] if words.startswith('sweep-report') else []
    for each in (*before, words):
        run = finished(each, folder, free_domain(), 4 * TIMEOUT)
        assert run.returncode == 0, run.stdout + run.stderr
    assert list(folder.glob('out/studies/*/runs.parquet'))
    assert not before or (folder / 'out/studies/gait/report.html').exists()


@pytest.mark.long
@pytest.mark.needs('studies')
@pytest.mark.parametrize('words', of('train', 'score'))
def test_a_policy_is_trained_and_scored(folder, words):
    """For a few seconds where it is searched for; the file is where it is told, or below out/."""
    searches = words.startswith('train') and 'imitation' not in words
    short = re.sub(r' --minutes \S+', '', words) + ' --minutes 0.1' * searches
    run = finished(short, folder, free_domain(), 4 * TIMEOUT)
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(r'score -?\d', run.stdout)


@pytest.mark.parametrize('words', of('setup'))
def test_the_sets_that_are_asked_for_exist(monkeypatch, words):
    """The sets are known; they are not installed here."""
    wanted = []
    monkeypatch.setattr(first_use, 'set_up', lambda space, names: wanted.append(names) or {})
    result = CliRunner().invoke(cli.app, shlex.split(words))
    assert result.exit_code == 0, result.output
    assert len(wanted) == 1
