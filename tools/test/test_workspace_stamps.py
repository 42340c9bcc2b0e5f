"""Set-up is repeated exactly when what it depends on has changed."""

import fcntl
import json
import os
import threading
import time
from types import SimpleNamespace

import pytest

from softshell_tools import first_use, interpreter
from softshell_tools.build import build_environment, remove_dangling_links
from softshell_tools.requirement_sets import CORE, SETS
from softshell_tools.workspace import Workspace, prepended, read_stamp, write_stamp


@pytest.mark.parametrize(
    'name',
    ['src/p/package.xml', 'src/p/setup.py', 'src/p/msg/Thing.msg', 'urdf/a/robot.xacro',
     'colcon.meta', 'src/p/srv/New.srv', 'urdf/a/panels.yaml',
     'src/softshell_description/softshell_description/panels.py',
     'src/softshell_description/softshell_description/slabs.py',
     'interfaces/colcon.meta', 'interfaces/their_msgs/msg/Theirs.msg',
     'interfaces/more_msgs/package.xml', 'launch/b.launch.py', 'config/robots/b/robot.yaml'],
)  # fmt: skip
def test_what_a_build_depends_on_asks_for_a_build(workspace, name):
    """An edited build file, and a new data file, make the build out of date."""
    assert workspace.is_ready()
    path = workspace.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('something else')
    assert workspace.has_set(CORE)
    assert not workspace.is_built()


@pytest.mark.parametrize(
    'name',
    ['src/p/p/core.py', 'src/p/p/new.py', 'src/p/test/test_new.py', 'config/robots/a/robot.yaml',
     'src/p/build/generated.obj', 'tests/system/test_new.py', 'tools/test/test_new.py'],
)  # fmt: skip
def test_what_is_linked_asks_for_no_build(workspace, name):
    """Edited and new modules, tests and edited data are there without a build."""
    path = workspace.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('something else')
    assert workspace.is_ready()


def test_an_interface_package_that_ros_brings_asks_for_a_build(workspace, monkeypatch, tmp_path):
    """What stands in for an absent package is no part of the build once the package is there."""
    assert workspace.fallback_packages() == ['their_msgs']
    index = tmp_path / 'overlay/share/ament_index/resource_index/packages'
    index.mkdir(parents=True)
    (index / 'their_msgs').touch()
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path / 'overlay'))
    assert workspace.fallback_packages() == []
    assert not workspace.is_built()
    monkeypatch.delenv('AMENT_PREFIX_PATH')
    assert workspace.is_built()


def test_other_requirements_ask_for_an_installation(workspace):
    """An edited requirements file makes its own set out of date, and no other."""
    write_stamp(workspace.stamp_of('test'), key=workspace.key_of('test'))
    assert workspace.is_ready(['test'])
    (workspace.root / 'requirements/test.txt').write_text('numpy\nscipy')
    assert not workspace.is_ready(['test'])
    assert workspace.is_ready()
    (workspace.root / 'requirements/core.txt').write_text('numpy\nscipy')
    assert not workspace.is_ready()


def test_other_versions_ask_for_an_installation_of_all_sets(workspace):
    """Every set is installed in the versions of its constraints."""
    write_stamp(workspace.stamp_of('test'), key=workspace.key_of('test'))
    (workspace.root / 'requirements/constraints.txt').write_text('numpy==3')
    assert not any(workspace.has_set(name) for name in SETS)
    write_stamp(workspace.stamp_of('bench'), key=workspace.key_of('bench'))
    workspace.python_of('bench').parent.mkdir(parents=True)
    workspace.python_of('bench').touch()
    (workspace.root / 'requirements/constraints.txt').write_text('numpy==4')
    assert workspace.has_set('bench')
    (workspace.root / 'requirements/constraints-bench.txt').write_text('numpy==4')
    assert not workspace.has_set('bench')


def test_a_moved_repository_is_set_up_anew(workspace):
    """The environment's scripts name its place, so another place is another key."""
    moved = workspace.root.with_name('moved')
    workspace.root.rename(moved)
    assert not Workspace(moved).has_set(CORE)
    assert not Workspace(moved).is_built()


def test_another_interpreter_asks_for_an_installation(workspace, monkeypatch):
    """One that is asked for now, and is not that of the installation."""
    monkeypatch.setenv('SOFTSHELL_PYTHON', '/some/python')
    assert not workspace.has_set(CORE)


@pytest.mark.parametrize('text', ['', '{"key": ', '[]'])
def test_half_a_stamp_is_no_stamp(workspace, text):
    """A stamp that was not written to its end counts as none."""
    workspace.built_stamp.write_text(text)
    assert read_stamp(workspace.built_stamp) == {}
    assert not workspace.is_built()


def test_the_user_keeps_domain_and_paths(workspace, monkeypatch):
    """The environment adds to the user's; discovery stays on this machine unless they say so."""
    ours = workspace.root / 'src/p'
    monkeypatch.setenv('PYTHONPATH', f'/theirs:{ours}')
    monkeypatch.setenv('ROS_DOMAIN_ID', '7')
    monkeypatch.setenv('_ROS_WHEELS_BOOTSTRAP_COMPLETE', '1')
    monkeypatch.delenv('ROS_AUTOMATIC_DISCOVERY_RANGE', raising=False)
    environment = workspace.environment()
    assert environment['PYTHONPATH'] == f'{workspace.root}/tools:{ours}:/theirs'
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
        prepend = {'PYTHONPATH': [str(which.root / 'src/p')]}
        write_stamp(which.built_stamp, key=which.build_key(), prepend=prepend)

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
    assert interpreter.probe(shim) is None
    assert interpreter.probe(tmp_path / 'none') is None


@pytest.mark.parametrize(('own', 'prefix'), [([3, 11], 'python3'), ([3, 12], 'python3.11')])
def test_what_is_missing_is_named_with_its_package(monkeypatch, tmp_path, own, prefix):
    """Without venv, headers and compiler: of the machine's own Python, or of another version."""
    monkeypatch.setenv('PATH', str(tmp_path))
    monkeypatch.setattr(interpreter, 'probe', {'/usr/bin/python3': {'version': own}}.get)
    python = {'version': [3, 11], 'venv': False, 'headers': False, 'rclpy': False}
    packages = [package for _, package in interpreter.missing(python, ros_is_sourced=False)]
    assert packages == [f'{prefix}-venv', f'{prefix}-dev', 'g++']


def test_python_3_11_is_preferred(monkeypatch):
    """3.11 comes before 3.12, which comes before a 3.11 that lacks something; 3.13 is none."""

    def fake(version, whole=True):
        return {'executable': str(version), 'version': version, 'venv': whole, 'headers': whole}

    pythons = {'python3.11': fake([3, 11]), 'python3.12': fake([3, 12]), 'python3': fake([3, 13])}
    monkeypatch.setattr(interpreter.platform, 'machine', lambda: 'x86_64')
    monkeypatch.setattr(interpreter, 'probe', pythons.get)
    assert interpreter.choose_python(False, None)['version'] == [3, 11]
    pythons['python3.11'] = fake([3, 11], whole=False)
    assert interpreter.choose_python(False, None)['version'] == [3, 12]
    assert interpreter.choose_python(False, 'python3.11')['version'] == [3, 11]
    del pythons['python3.11'], pythons['python3.12']
    with pytest.raises(SystemExit, match=r'Python 3\.11 or 3\.12 is needed'):
        interpreter.choose_python(False, None)


def test_who_waits_is_told_for_whom(workspace, capsys):
    """The process that holds the lock is named with its command."""
    held = os.open(workspace.root, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    timer = threading.Timer(0.5, os.close, (held,))
    timer.start()
    first_use.set_up(workspace)
    said = capsys.readouterr().err
    assert f'(process {os.getpid()}: ' in said
    assert 'waiting for it' in said


def test_links_of_deleted_files_go_with_the_next_build(tmp_path):
    """What is linked to a file that is no more is removed; everything else stays."""
    (tmp_path / 'share').mkdir()
    source = tmp_path / 'walk.yaml'
    source.write_text('name: walk')
    (tmp_path / 'share/walk.yaml').symlink_to(source)
    (tmp_path / 'share/gone.yaml').symlink_to(tmp_path / 'gone.yaml')
    remove_dangling_links(tmp_path)
    assert [path.name for path in (tmp_path / 'share').iterdir()] == ['walk.yaml']


def test_stamps_are_plain_json(workspace):
    """A stamp can be read by anyone."""
    assert json.loads(workspace.stamp_of(CORE).read_text())['python'] == '/python'


def test_what_an_earlier_build_added_is_no_part_of_where_a_build_begins(workspace, monkeypatch):
    """Or it would be missing from what sourcing adds, in a shell in which nothing was sourced."""
    root = workspace.root
    ours = [root / 'install' / 'p' / 'lib', root / 'build' / 'p']
    monkeypatch.setenv('PYTHONPATH', os.pathsep.join([*map(str, ours), '/of/the/user']))
    assert build_environment(workspace)['PYTHONPATH'] == '/of/the/user'


def test_settings_of_colcon_for_other_workspaces_are_left_alone(workspace, monkeypatch, tmp_path):
    """They may name other folders, packages and options."""
    monkeypatch.setenv('COLCON_HOME', str(tmp_path))
    monkeypatch.setenv('COLCON_DEFAULTS_FILE', str(tmp_path / 'defaults.yaml'))
    environment = build_environment(workspace)
    assert environment['COLCON_DEFAULTS_FILE'] == os.devnull
    assert environment['COLCON_HOME'] == str(workspace.build_folder / 'colcon')


def test_files_of_editors_make_no_build_old(workspace):
    """Swap files, backups, and Emacs' locks, which are links to nowhere."""
    for name in ('config/robots/a/.robot.yaml.swp', 'src/p/p/core.py~', 'urdf/a/#robot.xacro#'):
        (workspace.root / name).write_text('anything')
    (workspace.root / 'urdf/a/.#robot.xacro').symlink_to('me@here.123')
    assert workspace.is_built()


@pytest.mark.parametrize('version', [[3, 11], [3, 13], None])
def test_the_interpreter_that_was_asked_for_is_remembered_while_it_can_be_used(
    workspace, monkeypatch, version
):
    """At the next installation the variable need not be set again."""
    monkeypatch.setattr(interpreter, 'probe', lambda _: version and {'version': version})
    write_stamp(workspace.stamp_of(CORE), key=workspace.key_of(CORE), wanted='python3')
    remembered = workspace.remembered_python()
    assert interpreter.wanted_python(remembered) == ('python3' if version == [3, 11] else None)
    assert workspace.has_set(CORE)  # wherever `python3` may lead in this shell
    monkeypatch.setenv('SOFTSHELL_PYTHON', '/other')
    assert interpreter.wanted_python(remembered) == '/other'
    assert not workspace.has_set(CORE)


@pytest.mark.parametrize('cut', ['venv', 'pip'])
def test_what_is_remembered_outlives_the_environment(workspace, monkeypatch, cut):
    """Which is made anew, and cleared, after the checkout was moved; also if that is cut off."""
    write_stamp(workspace.stamp_of(CORE), key='', wanted='python3')
    python = {'executable': '/python', 'version': [3, 11]}
    stamp = workspace.stamp_of(CORE)
    monkeypatch.setattr(interpreter, 'probe', lambda _: python)
    monkeypatch.setattr(first_use, 'checked_python', lambda *_: python)
    monkeypatch.setattr(first_use, 'remove_unfinished', lambda _: None)
    cuts = [cut]

    def run(title, command, environment):
        if 'venv' in command:
            stamp.unlink(missing_ok=True)
            workspace.begun_stamp.unlink(missing_ok=True)
        if {*cuts} & {*command}:
            raise KeyboardInterrupt

    steps = SimpleNamespace(run=run)
    with pytest.raises(KeyboardInterrupt):
        first_use.install(workspace, CORE, steps)
    assert workspace.remembered_python() == 'python3'
    cuts.clear()
    first_use.install(workspace, CORE, steps)
    assert read_stamp(stamp)['wanted'] == 'python3'
