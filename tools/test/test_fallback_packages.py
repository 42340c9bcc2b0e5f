"""Interface packages stand in for absent ones, and never shadow an installed one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from softshell_tools import build as building
from softshell_tools import fallbacks
from softshell_tools.fallbacks import INDEX, absent, all_fallbacks
from softshell_tools.workspace import Workspace, sourced_ros

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def repository(tmp_path):
    """A repository with two interface packages, and a prefix that has one of them."""
    for name in ('here_msgs', 'there_msgs'):
        folder = tmp_path / 'checkout/interfaces' / name
        folder.mkdir(parents=True)
        (folder / 'package.xml').write_text('<package/>')
    (tmp_path / 'prefix' / INDEX).mkdir(parents=True)
    (tmp_path / 'prefix' / INDEX / 'there_msgs').touch()
    return tmp_path / 'checkout'


def test_what_a_prefix_brings_is_not_absent(repository):
    """A package counts as present if any entry of AMENT_PREFIX_PATH has it."""
    install = repository / 'install'
    assert absent(repository, {}, install) == ['here_msgs', 'there_msgs']
    path = f'/nothing:{repository.parent}/prefix'
    assert absent(repository, {'AMENT_PREFIX_PATH': path}, install) == ['here_msgs']


def test_a_prefix_that_may_not_be_entered_brings_nothing(tmp_path, monkeypatch):
    """Neither a package nor ROS, and no error."""
    closed = tmp_path / 'closed'
    prefix = {'AMENT_PREFIX_PATH': str(closed / 'prefix')}
    (closed / 'prefix').mkdir(parents=True)
    closed.chmod(0)
    monkeypatch.setattr(fallbacks, 'all_fallbacks', lambda root: ['here_msgs'])
    monkeypatch.setattr(os, 'environ', prefix)
    user = os.geteuid()
    try:
        if not user:  # root may enter it
            os.seteuid(65534)
        found, ros = absent(tmp_path, prefix, tmp_path / 'install'), sourced_ros()
    finally:
        os.seteuid(user)
        closed.chmod(0o700)
    assert (found, ros) == (['here_msgs'], '')


def test_our_own_build_does_not_count(repository):
    """What an earlier build has installed is built again, not taken for ROS's."""
    install = repository / 'install'
    (install / 'here_msgs' / INDEX).mkdir(parents=True)
    (install / 'here_msgs' / INDEX / 'here_msgs').touch()
    environment = {'AMENT_PREFIX_PATH': f'{install}/here_msgs'}
    assert 'here_msgs' in absent(repository, environment, install)


def test_an_earlier_build_of_a_package_that_ros_brings_now_is_removed(repository, monkeypatch):
    """Otherwise it would come before the installed one in every environment."""
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'{repository.parent}/prefix')
    monkeypatch.delenv('ROS_DISTRO', raising=False)
    (repository / 'colcon.meta').touch()
    (repository / 'interfaces/colcon.meta').touch()
    workspace = Workspace(repository)
    for name in ('here_msgs', 'there_msgs'):
        (repository / 'install' / name).mkdir(parents=True)
    workspace.build_folder.mkdir()
    kind = workspace.build_kind()
    building.write_stamp(workspace.build_folder / 'softshell.json', kind=kind)
    commands = []

    class Steps:
        def run(self, title, command, environment):
            commands.append(command)

        def wait_for_others(self):
            pass

    monkeypatch.setattr(building, 'source', lambda *_: {})
    building.build(workspace, Steps())
    assert [path.name for path in (repository / 'install').glob('*_msgs')] == ['here_msgs']
    assert 'interfaces/here_msgs' in commands[0]
    assert 'interfaces/there_msgs' not in commands[0]


@pytest.mark.long
def test_a_plain_colcon_build_does_not_see_them():
    """colcon lists them only where their folders are named."""
    pytest.importorskip('colcon_core', reason='colcon is installed apart from this Python')

    def listed(*arguments):
        command = [sys.executable, '-m', 'colcon', 'list', '--names-only', *arguments]
        return subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.split()

    names = all_fallbacks(ROOT)
    assert {'control_msgs', 'tf2_msgs'} <= {*names}
    assert not {*names} & {*listed()}
    assert 'softshell_interfaces' in listed()
    assert listed('--base-paths', *(f'interfaces/{name}' for name in names)) == names


def test_each_folder_is_named_like_its_package():
    """The folder's name is what is looked for in AMENT_PREFIX_PATH."""
    for name in all_fallbacks(ROOT):
        text = (ROOT / 'interfaces' / name / 'package.xml').read_text()
        assert f'<name>{name}</name>' in text
