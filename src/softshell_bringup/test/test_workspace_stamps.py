"""Set-up is repeated exactly when what it depends on has changed."""

import json
import os
import threading
import time
from pathlib import Path

import pytest

from softshell_bringup import first_use
from softshell_bringup.workspace import Workspace, prepended, read_stamp, write_stamp

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A small repository, installed and built as far as its stamps tell."""
    monkeypatch.delenv('ROS_DISTRO', raising=False)
    monkeypatch.delenv('SOFTSHELL_PYTHON', raising=False)
    files = {
        'colcon.meta': '{}', 'requirements/constraints.txt': 'numpy==2', 'launch/a.launch.py': '',
        'requirements/ros-wheels.txt': 'a', 'requirements/python.txt': 'numpy',
        'requirements/dev.txt': 'pytest', 'src/p/package.xml': '<package/>', 'src/p/setup.py': '',
        'src/p/p/core.py': '', 'src/p/msg/Thing.msg': 'int32 a', 'src/p/test/test_p.py': '',
        'config/robot.yaml': 'a: 1', 'urdf/robot.xacro': '<robot/>', 'install/setup.bash': '',
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    made = Workspace(tmp_path)
    made.venv.mkdir()
    write_stamp(made.installed_stamp, key=made.requirements_key(), wanted=None, python='/python')
    write_stamp(made.built_stamp, key=made.build_key(), prepend={'PYTHONPATH': ['/ours']})
    return made


@pytest.mark.parametrize(
    'name',
    ['src/p/package.xml', 'src/p/setup.py', 'src/p/msg/Thing.msg', 'urdf/robot.xacro',
     'colcon.meta', 'src/p/srv/New.srv', 'urdf/panels.yaml',
     'src/softshell_description/softshell_description/panels.py',
     'launch/b.launch.py', 'config/new.yaml'],
)  # fmt: skip
def test_what_a_build_depends_on_asks_for_a_build(workspace, name):
    """An edited build file, and a new data file, make the build out of date."""
    assert workspace.is_ready()
    path = workspace.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('something else')
    assert workspace.is_installed()
    assert not workspace.is_built()


@pytest.mark.parametrize(
    'name',
    ['src/p/p/core.py', 'src/p/p/new.py', 'src/p/test/test_new.py', 'config/robot.yaml',
     'src/p/build/generated.obj'],
)  # fmt: skip
def test_what_is_linked_asks_for_no_build(workspace, name):
    """Edited and new modules, tests and edited data are there without a build."""
    path = workspace.root / name
    path.parent.mkdir(exist_ok=True)
    path.write_text('something else')
    assert workspace.is_ready()


def test_other_requirements_ask_for_an_installation(workspace):
    """An edited requirements file makes the environment out of date."""
    (workspace.root / 'requirements/python.txt').write_text('numpy\nscipy')
    assert not workspace.is_installed()


def test_a_moved_repository_is_set_up_anew(workspace):
    """The environment's scripts name its place, so another place is another key."""
    moved = workspace.root.with_name('moved')
    workspace.root.rename(moved)
    assert not Workspace(moved).is_installed()
    assert not Workspace(moved).is_built()


def test_another_interpreter_asks_for_an_installation(workspace, monkeypatch):
    """SOFTSHELL_PYTHON counts only while it is set."""
    monkeypatch.setenv('SOFTSHELL_PYTHON', '/some/python')
    assert not workspace.is_installed()


@pytest.mark.parametrize('text', ['', '{"key": ', '[]'])
def test_half_a_stamp_is_no_stamp(workspace, text):
    """A stamp that was not written to its end counts as none."""
    workspace.built_stamp.write_text(text)
    assert read_stamp(workspace.built_stamp) == {}
    assert not workspace.is_built()


def test_the_user_keeps_domain_and_paths(workspace, monkeypatch):
    """The environment adds to the user's; discovery stays on this machine unless they say so."""
    monkeypatch.setenv('PYTHONPATH', '/theirs:/ours')
    monkeypatch.setenv('ROS_DOMAIN_ID', '7')
    monkeypatch.setenv('_ROS_WHEELS_BOOTSTRAP_COMPLETE', '1')
    monkeypatch.delenv('ROS_AUTOMATIC_DISCOVERY_RANGE', raising=False)
    environment = workspace.environment()
    assert environment['PYTHONPATH'] == '/ours:/theirs'
    assert environment['ROS_DOMAIN_ID'] == '7'
    assert environment['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'LOCALHOST'
    assert environment['PATH'].startswith(str(workspace.venv / 'bin'))
    assert '_ROS_WHEELS_BOOTSTRAP_COMPLETE' not in environment
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'SUBNET')
    assert workspace.environment()['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'SUBNET'


def test_prepending_twice_is_prepending_once():
    """Entries are put in front, and none appears twice."""
    once = prepended({'A': 'x:y'}, {'A': ['z', 'x']})
    assert once == {'A': 'z:x:y'}
    assert prepended(once, {'A': ['z', 'x']}) == once


def test_two_first_uses_at_once_set_up_once(workspace, monkeypatch):
    """The second start waits for the first, then finds everything done."""
    workspace.built_stamp.unlink()
    done = []

    def slow_build(which, steps):
        done.append(which)
        time.sleep(0.5)
        write_stamp(which.built_stamp, key=which.build_key(), prepend={})

    monkeypatch.setattr(first_use, 'build', slow_build)
    threads = [threading.Thread(target=first_use.set_up, args=(workspace,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 1


def test_an_interpreter_that_does_not_run_is_none(tmp_path):
    """A shim that only prints an error, and a path to nothing, are no interpreters."""
    shim = tmp_path / 'python3.12'
    shim.write_text('#!/bin/sh\necho "command not found" >&2\nexit 127\n')
    shim.chmod(0o755)
    assert first_use.probe(shim) is None
    assert first_use.probe(tmp_path / 'none') is None


def test_what_is_missing_is_named_with_its_package(monkeypatch, tmp_path):
    """Without venv, headers and compiler, their Debian packages are named."""
    monkeypatch.setenv('PATH', str(tmp_path))
    python = {'version': [3, 11], 'venv': False, 'headers': False, 'rclpy': False}
    packages = [package for _, package in first_use.missing(python, ros_is_sourced=False)]
    assert packages == ['python3.11-venv', 'python3.11-dev', 'g++']


def test_python_3_11_is_preferred(monkeypatch):
    """3.11 comes before 3.12, which comes before a 3.11 that lacks something; 3.13 is none."""

    def fake(version, whole=True):
        return {'executable': str(version), 'version': version, 'venv': whole, 'headers': whole}

    pythons = {'python3.11': fake([3, 11]), 'python3.12': fake([3, 12]), 'python3': fake([3, 13])}
    monkeypatch.delenv('SOFTSHELL_PYTHON', raising=False)
    monkeypatch.setattr(first_use.platform, 'machine', lambda: 'x86_64')
    monkeypatch.setattr(first_use, 'probe', pythons.get)
    assert first_use.choose_python(False)['version'] == [3, 11]
    pythons['python3.11'] = fake([3, 11], whole=False)
    assert first_use.choose_python(False)['version'] == [3, 12]
    del pythons['python3.11'], pythons['python3.12']
    with pytest.raises(SystemExit, match=r'needs Python 3\.11 or 3\.12'):
        first_use.choose_python(False)


def test_a_failed_step_shows_its_output_and_leaves_no_stamp(workspace, capsys):
    """A failing command ends the set-up with its output and where all of it is."""
    lock = os.open(workspace.root, os.O_RDONLY)
    steps = first_use.Steps(workspace, lock)
    with pytest.raises(SystemExit, match=r'log/setup/a-step\.log'):
        steps.run('a step', ['sh', '-c', 'echo the reason; exit 3'], None)
    assert 'the reason' in capsys.readouterr().err
    os.close(lock)


def test_the_constraints_pin_every_requirement():
    """Each requirement for wheels has its exact version in the constraints."""
    folder = ROOT / 'requirements'
    lines = (folder / 'constraints.txt').read_text().splitlines()
    pinned = {line.split('==')[0] for line in lines if '==' in line}
    for name in ('ros-wheels.txt', 'python.txt', 'dev.txt'):
        for line in (folder / name).read_text().splitlines():
            requirement = line.split('#')[0].strip()
            if requirement and requirement != 'wheel':
                for separator in '[<>=!~':
                    requirement = requirement.split(separator)[0]
                assert requirement in pinned, requirement


def test_stamps_are_plain_json(workspace):
    """A stamp can be read by anyone."""
    assert json.loads(workspace.installed_stamp.read_text())['python'] == '/python'
