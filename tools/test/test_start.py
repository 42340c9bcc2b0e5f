"""What `./softshell` does before its command: it sets up, repairs, or refuses with one line."""

import os
import shutil
from pathlib import Path

import pytest

from softshell_tools import build, first_use
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
        assert capfd.readouterr().out == f'-m softshell_tools.cli {" ".join(told)}\n'
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


def test_an_interpreter_that_is_gone_is_set_up_again(workspace, started, tmp_path):
    """The link to it dangles after an upgrade of the machine; the doctor reports."""
    assert started('up') == [['up']]
    workspace.python.unlink()
    workspace.python.symlink_to(tmp_path / 'no-python')
    assert started('up') == ['set up', ['up']]
    assert started('doctor') == ['report']
    write_stamp(workspace.begun_stamp, root=str(workspace.root), python='/python')
    made = []

    class Recorder:
        def run(self, title, command, environment):
            made.append(command[1:3])

    python = {'executable': '/python', 'version': [3, 12]}
    first_use.make_venv(workspace, python, None, Recorder())
    assert made == [['-m', 'venv']]


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
