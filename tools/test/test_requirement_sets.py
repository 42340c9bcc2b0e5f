"""Each set of requirements is installed by itself, pinned, and only when it is asked for."""

import contextlib
import re
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from softshell_tools import first_use
from softshell_tools.requirement_sets import CORE, SETS
from softshell_tools.workspace import Workspace, write_stamp

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A small repository with the core set; installing is only recorded."""
    for name in ('ROS_DISTRO', 'SOFTSHELL_PYTHON'):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / 'requirements').mkdir()
    (tmp_path / 'colcon.meta').touch()
    for name in ('ros-wheels', 'constraints', 'constraints-bench', *SETS):
        (tmp_path / 'requirements' / f'{name}.txt').write_text('numpy')
    made = Workspace(tmp_path)
    made.python.parent.mkdir(parents=True)
    made.python.touch()
    made.install_folder.mkdir()
    (made.install_folder / 'setup.bash').touch()
    write_stamp(
        made.stamp_of(CORE), key=made.key_of(CORE), wanted=None, python='/python', version=[3, 12]
    )
    prepend = {'PYTHONPATH': [str(made.install_folder)]}
    write_stamp(made.built_stamp, key=made.build_key(), prepend=prepend)
    return made


class Recorder:
    """Stands for `Steps`: keeps the commands, and fails at those that hold a text."""

    def __init__(self):
        self.commands = []
        self.failing = None

    def run(self, title, command, environment):
        self.commands.append(' '.join(map(str, command)))
        if '-m venv' in self.commands[-1]:
            (Path(command[-1]) / 'bin').mkdir(parents=True)
            (Path(command[-1]) / 'bin' / 'python').touch()
        if self.failing and self.failing in self.commands[-1]:
            raise SystemExit(title)

    def beside(self, commands):
        return contextlib.nullcontext()


@pytest.fixture
def steps(monkeypatch):
    """What the set-up runs."""
    recorder = Recorder()
    monkeypatch.setattr(first_use, 'Steps', lambda *_: recorder)
    return recorder


def test_the_constraints_pin_every_requirement():
    """Each requirement of each set has its exact version in the constraints."""
    folder = ROOT / 'requirements'
    for name in ('ros-wheels', *SETS):
        isolated = name in SETS and SETS[name].isolated
        constraints = folder / f'constraints{f"-{name}" if isolated else ""}.txt'
        lines = constraints.read_text().splitlines()
        pinned = {line.split('==')[0] for line in lines if '==' in line}
        for line in (folder / f'{name}.txt').read_text().splitlines():
            requirement = re.split(r'[<>=!~\[; ]', line.split('#')[0].strip())[0]
            assert not requirement or requirement in pinned, requirement


def brought_along(wanted: list[Requirement], folders: list[str]) -> set[str]:
    """Names of what is installed in folders for requirements, and for what these require."""
    found = {canonicalize_name(each.name): each for each in distributions(path=folders)}
    seen = set()
    while wanted:
        each = wanted.pop()
        name = canonicalize_name(each.name)
        for key in {(name, extra) for extra in ('', *each.extras)} - seen:
            if name in found:
                seen.add(key)
                further = map(Requirement, found[name].requires or ())
                wanted += [
                    one
                    for one in further
                    if not one.marker or one.marker.evaluate({'extra': key[1]})
                ]
    return {name for name, _ in seen}


@pytest.mark.parametrize('name', SETS)
def test_the_constraints_pin_what_a_set_brings_along(name):
    """All that is installed for it has its exact version there, not only what it names."""
    here = Workspace(ROOT)
    if here.ros_is_sourced and not SETS[name].isolated:
        pytest.skip('ROS is sourced: only what its modules were built against is pinned')
    if not here.has_set(name):
        pytest.skip(f'{name} is not installed')
    lines = [line for path in here.requirements_of(name) for line in path.read_text().splitlines()]
    texts = [text for line in lines if (text := line.split('#')[0].strip())]
    folders = map(str, here.venv_of(name).glob('lib/python*/site-packages'))
    pinned = re.findall('^(.+)==', here.constraints_of(name).read_text(), re.MULTILINE)
    installed = brought_along([Requirement(text) for text in texts], [*folders])
    assert installed
    assert installed <= {canonicalize_name(each) for each in pinned}


def test_every_requirements_file_belongs_to_a_set():
    """A file that no set names would never be installed."""
    files = {path.stem for path in (ROOT / 'requirements').glob('*.txt')}
    assert files == {
        *SETS, 'ros-wheels', 'constraints', 'constraints-ros', 'constraints-bench',
    }  # fmt: skip


def test_a_set_is_installed_once(workspace, steps):
    """The first asking installs the set alone, the second finds it."""
    assert list(first_use.set_up(workspace, ['test'])) == ['test']
    (command,) = steps.commands
    assert command.endswith(f'-r {workspace.root}/requirements/test.txt')
    assert f'-c {workspace.root}/requirements/constraints.txt' in command
    assert first_use.set_up(workspace, ['test']) == {}
    assert len(steps.commands) == 1


def test_an_interrupted_set_is_installed_again_and_the_others_are_kept(workspace, steps):
    """What failed has no stamp; what came before it has."""
    steps.failing = 'notebook.txt'
    with pytest.raises(SystemExit):
        first_use.set_up(workspace, ['test', 'notebook'])
    assert workspace.has_set('test')
    assert not workspace.has_set('notebook')
    steps.failing = None
    assert list(first_use.set_up(workspace, ['test', 'notebook'])) == ['notebook']


def test_an_isolated_set_has_an_environment_of_its_own(workspace, steps):
    """The peers of the benchmarks never meet the packages of the robot's programs."""
    own = workspace.venv_of('bench')
    assert own != workspace.venv
    assert workspace.venv in own.parents  # so that it goes with the interpreter it was made of
    first_use.set_up(workspace, ['bench'])
    made, installed = steps.commands
    assert f'-c {workspace.root}/requirements/constraints-bench.txt' in installed
    assert made.endswith(f'-m venv --clear {own}')
    assert installed.startswith(f'{own}/bin/python -m pip install')


def test_what_pip_was_killed_at_is_removed(workspace, steps):
    """A distribution without a record of its files would count as installed."""
    packages = workspace.venv / 'lib/python3.11/site-packages'
    for name in ('whole-1.dist-info', 'half-1.dist-info'):
        (packages / name).mkdir(parents=True)
    (packages / 'whole-1.dist-info/RECORD').touch()
    first_use.set_up(workspace, ['test'])
    assert [path.name for path in packages.iterdir()] == ['whole-1.dist-info']


def test_setup_says_what_it_did(workspace, steps, capsys):
    """Every set is listed: installed now, already there, or how to have it."""
    assert first_use.setup_command(workspace, ['test']) == 0
    said = capsys.readouterr().out
    assert re.search(r'core .* already installed', said)
    assert re.search(r'test .* installed now', said)
    assert re.search(r'bench .* not installed: ./softshell setup bench', said)
    assert re.search(r'build of the workspace .* up to date', said)
    assert first_use.setup_command(workspace, ['--all']) == 0
    assert 'not installed' not in capsys.readouterr().out


def test_an_unknown_set_is_refused_before_anything_is_installed(workspace, steps, capsys):
    """The message names it and lists the sets."""
    assert first_use.setup_command(workspace, ['core', 'wings']) == 2
    assert "unknown set 'wings'; known: core, test" in capsys.readouterr().err
    assert steps.commands == []


def test_a_set_that_goes_with_the_interpreter_is_installed_again(workspace, monkeypatch):
    """Another interpreter clears the environment, and with it what was there before."""
    write_stamp(workspace.stamp_of('test'), key=workspace.key_of('test'))
    monkeypatch.setenv('SOFTSHELL_PYTHON', '/other/python')
    python = {'executable': '/other/python', 'version': [3, 12]}
    monkeypatch.setattr(first_use, 'checked_python', lambda *_: python)
    installed = []

    def install(which, name, steps):
        installed.append(name)
        which.stamp_of('test').unlink(missing_ok=True)
        write_stamp(
            which.stamp_of(name), key=which.key_of(name), wanted='/other/python', version=[3, 12]
        )

    monkeypatch.setattr(first_use, 'install', install)
    monkeypatch.setattr(first_use, 'build', lambda *_: None)
    first_use.set_up(workspace, ['test'])
    assert installed == ['core', 'test']


@pytest.mark.parametrize(('version', 'comes'), [([3, 11], True), ([3, 12], False)])
def test_pybullet_comes_along_where_it_has_a_wheel(
    workspace, steps, monkeypatch, capsys, version, comes
):
    """A fresh set-up has it up to Python 3.11; on 3.12 it says the engine, and what builds it."""
    workspace.stamp_of(CORE).unlink()
    python = {'executable': '/python', 'version': version}
    monkeypatch.setattr(first_use, 'checked_python', lambda *_: python)
    monkeypatch.setattr(first_use, 'make_venv', lambda *_: None)
    monkeypatch.setattr(first_use, 'build', lambda *_: None)
    assert ('pybullet' in first_use.set_up(workspace)) == comes
    assert any('pybullet.txt' in command for command in steps.commands) == comes
    said = 'PyBullet has no wheel for Python 3.12: the default engine is MuJoCo'
    assert (said in capsys.readouterr().err) != comes
    assert workspace.is_ready()
    assert list(first_use.set_up(workspace, ['pybullet'])) == ([] if comes else ['pybullet'])
    assert '--no-build-isolation' in steps.commands[-1]
    assert 'is built from source: 5–9 minutes' in capsys.readouterr().err or comes


def test_pybullet_that_was_asked_for_is_built_without_a_word_of_its_absence(
    workspace, steps, monkeypatch, capsys
):
    """`setup pybullet` as the first command of all."""
    workspace.stamp_of(CORE).unlink()
    python = {'executable': '/python', 'version': [3, 12]}
    monkeypatch.setattr(first_use, 'checked_python', lambda *_: python)
    monkeypatch.setattr(first_use, 'make_venv', lambda *_: None)
    monkeypatch.setattr(first_use, 'build', lambda *_: None)
    assert list(first_use.set_up(workspace, ['pybullet'])) == ['core', 'pybullet']
    assert 'the default engine is MuJoCo' not in capsys.readouterr().err


def test_the_newest_wheel_of_pybullet_is_the_bench_sets_marker():
    """What the peers of the benchmarks take follows the same rule."""
    newest = SETS['pybullet'].newest_wheel
    beyond = f'pybullet ; python_version < "{newest[0]}.{newest[1] + 1}"'
    assert beyond in (ROOT / 'requirements' / 'bench.txt').read_text().splitlines()
