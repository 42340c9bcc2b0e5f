"""What `./softshell` does before its command: it sets up, repairs, or refuses with one line."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from softshell_tools import build, first_use, interpreter
from softshell_tools.first_use import report
from softshell_tools.installation import ROOT
from softshell_tools.requirement_sets import CORE
from softshell_tools.steps import Steps, one_error
from softshell_tools.workspace import Workspace, read_stamp, write_stamp


def test_the_doctor_builds_nothing_and_reports_in_every_state(workspace, started):
    """With a build that is older than the sources, and without one, it changes nothing."""
    assert started('doctor') == [['doctor']]
    (workspace.root / 'src/p/setup.py').write_text('something else')
    assert started('doctor') == [['doctor']]
    assert started('up') == ['set up', ['up']]
    workspace.built_stamp.unlink()
    assert started('doctor') == ['report']
    workspace.stamp_of(CORE).unlink()
    assert started('doctor') == ['report']


def test_a_word_that_is_no_command_installs_nothing(workspace, started, capsys):
    """It is refused with the nearest command, set up or not."""
    assert started('dmeo') == []
    workspace.stamp_of(CORE).unlink()
    assert started('dmeo') == started('--version') == []
    said = capsys.readouterr().err
    assert "unknown command 'dmeo'; did you mean demo? known: demo, test, up" in said


def test_help_is_there_at_any_time(workspace, started, capsys):
    """`help` is `--help`, also of a command; before the set-up it installs nothing."""
    assert started('help') == started() == started('--help') == [['--help']]
    assert started('help', 'up') == [['up', '--help']]
    workspace.stamp_of(CORE).unlink()
    assert started('help') == started('help', 'up') == started('up', '-h') == started() == []
    assert capsys.readouterr().out.count('usage: ./softshell COMMAND') == 4


def test_help_installs_and_builds_nothing(workspace, started, capfd):
    """It comes from what is set up, if that can still tell; else the commands are listed."""
    (workspace.root / 'src/p/setup.py').write_text('something else')
    for words in (['help'], ['up', '--help'], ['help', 'up'], ['bench', 'ik', '-h'], ['-h']):
        workspace.python.write_text('#!/bin/sh\necho "$@"\n')
        workspace.python.chmod(0o755)
        assert started(*words) == []
        told = [*words[1:], '--help'] if words[0] == 'help' else words
        assert capfd.readouterr().out == f'-P -m softshell_tools.cli {" ".join(told)}\n'
        workspace.python.write_text('#!/bin/sh\necho Traceback >&2\nexit 1\n')
        assert started(*words) == []
        said = capfd.readouterr()
        assert said.out.startswith('usage: ./softshell COMMAND')
        assert 'is not up to date' in said.out
        assert not said.err
    assert started('test', '--', '--help') == ['set up', ['test', '--', '--help']]
    workspace.built_stamp.unlink()
    assert started('doctor', '--help') == started('--help') == []
    with pytest.raises(SystemExit) as ended:
        started('help', 'setup')
    assert ended.value.code == 0
    assert 'usage: ./softshell setup' in capfd.readouterr().out


def other_ros(folder: Path, monkeypatch, **variables: str) -> None:
    """Source an installation of ROS, as far as variables tell."""
    (folder / 'share' / 'rclpy').mkdir(parents=True)
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(folder))
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


def test_another_distribution_of_ros_is_refused_before_anything_is_installed(
    workspace, started, monkeypatch, tmp_path
):
    """Its packages would be found before those of the wheels. The error says what to do."""
    workspace.stamp_of(CORE).unlink()
    other_ros(tmp_path / 'humble', monkeypatch, ROS_DISTRO='humble')
    with pytest.raises(
        SystemExit, match=r'ROS humble is sourced in this terminal.*expected jazzy'
    ):
        started('demo')
    monkeypatch.setenv('AMENT_PREFIX_PATH', '')
    assert started('demo')[0] == 'set up'  # the name alone, as in a container, harms nothing
    monkeypatch.setenv('ROS_DISTRO', 'noetic')
    monkeypatch.setenv('ROS_VERSION', '1')
    with pytest.raises(SystemExit, match='ROS noetic is sourced'):
        started('demo')


def test_the_wheels_run_on_the_middleware_that_they_have(workspace, started, monkeypatch, capsys):
    """Whatever another workspace asks for, which is told; a sourced ROS decides by itself."""
    assert started('up')
    assert capsys.readouterr().err == ''
    monkeypatch.setenv('RMW_IMPLEMENTATION', 'rmw_cyclonedds_cpp')
    assert started('up')
    assert capsys.readouterr().err == (
        'softshell: RMW_IMPLEMENTATION is rmw_cyclonedds_cpp, which the wheels of ROS do not '
        'have; rmw_fastrtps_cpp is used\n'
    )
    assert workspace.environment()['RMW_IMPLEMENTATION'] == 'rmw_fastrtps_cpp'
    other_ros(workspace.root / 'ros', monkeypatch, ROS_DISTRO='jazzy')
    sourced = Workspace(workspace.root)
    assert sourced.base_environment()['RMW_IMPLEMENTATION'] == 'rmw_cyclonedds_cpp'
    first_use.check_ros(sourced)
    assert capsys.readouterr().err == ''


def test_programs_keep_what_python_compiles(workspace, monkeypatch):
    """Also in a container that says otherwise: nothing is compiled when it is installed."""
    monkeypatch.setenv('PYTHONDONTWRITEBYTECODE', '1')
    kept = 'import sys; print(sys.dont_write_bytecode)'
    shown = subprocess.check_output([sys.executable, '-c', kept], env=workspace.environment())
    assert shown == b'False\n'


def test_only_a_sourced_ros_gets_messages_for_programs_in_cpp(workspace, monkeypatch):
    """With the wheels nobody compiles such programs, and it takes half as long to build."""
    assert workspace.cmake_arguments() == ['-DPYTHON_ALONE=ON']
    other_ros(workspace.root / 'ros', monkeypatch, ROS_DISTRO='jazzy')
    assert Workspace(workspace.root).cmake_arguments() == ['-DPYTHON_ALONE=OFF']


class Recorder:
    """Stands for `Steps`: keeps what is run."""

    def __init__(self):
        self.made = []

    def run(self, title, command, environment):
        self.made.append(list(map(str, command)))

    def wait_for_others(self):
        pass


def test_an_interpreter_that_is_gone_is_set_up_again(
    workspace, started, tmp_path, monkeypatch, capsys
):
    """The link to it dangles after an upgrade of the machine; the doctor says so."""
    python = {'executable': '/python', 'version': [3, 12]}
    monkeypatch.setattr(first_use, 'choose_python', lambda *_: python)
    monkeypatch.setattr(first_use, 'missing', lambda *_: [])
    assert started('up') == [['up']]
    assert report(workspace) == 1
    assert 'installed, not built yet: any other command does it' in capsys.readouterr().out
    workspace.python.unlink()
    workspace.python.symlink_to(tmp_path / 'no-python')
    assert started('up') == ['set up', ['up']]
    assert started('doctor') == ['report']
    assert report(workspace) == 1
    said = capsys.readouterr().out
    assert 'wheels, not installed' in said
    assert 'installed for another place, interpreter or requirements: any other command' in said
    write_stamp(workspace.begun_stamp, root=str(workspace.root), python='/python')
    steps = Recorder()
    first_use.make_venv(workspace, python, None, steps)
    assert [words[1:3] for words in steps.made] == [['-m', 'venv']]


def test_an_interpreter_is_known_by_its_real_path(tmp_path):
    """A link to it may lead to another version after an upgrade."""
    real = os.path.realpath(sys.executable)
    (tmp_path / 'python3').symlink_to(real)
    assert interpreter.probe(tmp_path / 'python3')['executable'] == real
    assert interpreter.probe(sys.executable)['executable'] == real  # of a virtual environment


def test_another_version_behind_a_link_is_set_up_again(workspace, started, tmp_path):
    """An environment that was made through the link stays until then, and its build as well."""
    link = tmp_path / 'python3'
    for version in ('3.11', '3.12'):
        (tmp_path / f'python{version}').touch()
    link.symlink_to('python3.11')
    (workspace.venv / 'lib' / 'python3.11').mkdir(parents=True)
    workspace.python.unlink()
    workspace.python.symlink_to(link)
    write_stamp(workspace.begun_stamp, root=str(workspace.root), python=str(link))
    assert started('up') == [['up']]
    steps = Recorder()
    python = {'executable': str(tmp_path / 'python3.11'), 'version': [3, 11]}
    first_use.make_venv(workspace, python, None, steps)
    assert steps.made == []
    assert read_stamp(workspace.begun_stamp)['python'] == str(link)
    link.unlink()
    link.symlink_to('python3.12')
    assert started('up') == ['set up', ['up']]
    assert started('doctor') == ['report']
    python = {'executable': str(tmp_path / 'python3.12'), 'version': [3, 12]}
    first_use.make_venv(workspace, python, None, steps)
    assert [words[1:3] for words in steps.made] == [['-m', 'venv']]
    assert read_stamp(workspace.begun_stamp)['python'] == python['executable']


def test_no_module_comes_from_the_folder_of_a_start(script, tmp_path):
    """A file there may be called like a library."""
    (tmp_path / 'rich.py').write_text('raise SystemExit(9)')
    here = SimpleNamespace(python=sys.executable)
    program = script.program_of(here, ['up', '--show-args'])
    subprocess.run(program, cwd=tmp_path, check=True, capture_output=True)


def test_a_build_that_is_gone_or_elsewhere_is_made_again(workspace, started, tmp_path):
    """After the folder build/ was removed, and in a copy, which would run the original's code."""
    there = workspace.root / 'build' / 'p'
    there.mkdir(parents=True)
    key = read_stamp(workspace.built_stamp)['key']
    write_stamp(workspace.built_stamp, key=key, prepend={'PYTHONPATH': [str(there)]})
    assert started('up') == [['up']]
    shutil.rmtree(there)
    assert started('up') == ['set up', ['up']]
    assert started('doctor') == ['report']
    write_stamp(workspace.built_stamp, key=key, prepend={'PYTHONPATH': [str(tmp_path.parent)]})
    assert not workspace.was_built()


def test_a_place_that_cannot_be_written_is_one_line(workspace):
    """With the file, the reason and what was expected; also if a write does not name its file."""
    (workspace.root / 'log').write_text('in the way')
    with pytest.raises(SystemExit) as caught, one_error(workspace.root):
        Steps(workspace, 0).run('a step', ['true'], None)
    assert str(caught.value) == (
        f'softshell: {workspace.root}/log/setup: Not a directory; expected a complete checkout '
        'that this user may write to, with 3 GB free on its disk'
    )
    with (
        pytest.raises(SystemExit, match=f'{workspace.root}: No space left on device; expected'),
        one_error(workspace.root),
        open('/dev/full', 'w') as full,
    ):
        full.write('a stamp')


def test_a_build_that_cannot_be_sourced_is_one_line(workspace):
    """By the status of its script."""
    (workspace.install_folder / 'setup.bash').write_text('exit 3')
    with pytest.raises(SystemExit, match=r'install/setup\.bash failed with exit status 3'):
        build.source(workspace, {**os.environ})


def test_a_variable_that_is_no_utf_8_is_no_matter(workspace):
    """It is in the environment that is read after sourcing."""
    ours = workspace.install_folder / 'p'
    (workspace.install_folder / 'setup.bash').write_text(f'export PYTHONPATH={ours}')
    environment = {**os.environ, 'LATIN': os.fsdecode(b'caf\xe9')}
    assert build.source(workspace, environment) == {'PYTHONPATH': [str(ours)]}


def test_an_old_build_that_cannot_be_removed_is_one_line(workspace, monkeypatch):
    """It is not taken for one of another kind at the next start."""
    begun = workspace.build_folder / 'softshell.json'
    (workspace.build_folder / 'p').mkdir(parents=True)
    write_stamp(begun, kind='another')

    def refuse(path, ignore_errors=False):
        if not ignore_errors:
            raise PermissionError(13, 'Permission denied', str(path))

    monkeypatch.setattr(build.shutil, 'rmtree', refuse)
    with pytest.raises(SystemExit, match=r'build/p: Permission denied'), one_error(workspace.root):
        build.build(workspace, Recorder())
    assert read_stamp(begun) in ({'kind': 'another'}, {})


def test_a_build_begins_with_empty_folders_also_behind_a_link(workspace, monkeypatch, tmp_path):
    """And colcon is told which they are."""
    (tmp_path / 'scratch' / 'old').mkdir(parents=True)
    (tmp_path / 'scratch' / 'file').touch()
    workspace.build_folder.symlink_to(tmp_path / 'scratch')
    steps = Recorder()
    monkeypatch.setattr(build, 'source', lambda *_: {})
    build.build(workspace, steps)
    assert [path.name for path in workspace.build_folder.iterdir()] == ['softshell.json']
    words = ' '.join(steps.made[0])
    assert ' --build-base build --install-base install ' in words


def test_what_sources_a_build_runs_a_python_whose_path_has_a_space(tmp_path):
    """The scripts that colcon writes call it without quotes."""
    python = tmp_path / 'a b' / 'python'
    python.parent.mkdir()
    python.write_text('#!/bin/sh\necho "$1"')
    python.chmod(0o755)
    line = 'commands="$($_colcon_python_executable "$PWD/c d" sh)"'
    for name in ('bash', 'sh', 'zsh'):
        (tmp_path / f'local_setup.{name}').write_text(f'{line}; echo "$commands"')
    build.quote_interpreter(tmp_path)
    for name in ('bash', 'sh'):
        said = subprocess.run(
            [name, f'local_setup.{name}'], cwd=tmp_path, capture_output=True, text=True,
            env={'_colcon_python_executable': str(python)}, check=True,
        )  # fmt: skip
        assert said.stdout == f'{tmp_path}/c d\n'
    assert '"$_colcon_python_executable" ' in (tmp_path / 'local_setup.zsh').read_text()


def test_the_scripts_that_colcon_has_written_here_have_quotes_then(tmp_path):
    """Another version of colcon may write other words."""
    for script in (ROOT / 'install').glob('local_setup.*sh'):
        shutil.copy(script, tmp_path)
    build.quote_interpreter(tmp_path)
    texts = [path.read_text() for path in tmp_path.iterdir()]
    assert len(texts) == 3
    assert all(text.count('$("$_colcon_python_executable" "') == 1 for text in texts)
    assert not any('($_colcon_python_executable' in text for text in texts)
