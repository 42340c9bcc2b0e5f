"""What the pages on a ROS machine and on containers show fits the files of the repository.

Their commands need apt, ROS or a container, so they are compared here and not run.
"""

import re
import shlex
import subprocess

import pytest
import yaml
from page_blocks import ROOT, blocks

from softshell_tools.interpreter import VERSIONS
from softshell_tools.requirement_sets import CORE
from softshell_tools.workspace import Workspace

ROS, CONTAINER = 'ros-machine.md', 'container.md'
PAGES = {page: (ROOT / 'docs' / page).read_text(encoding='utf-8') for page in (ROS, CONTAINER)}
DOCKERFILE = (ROOT / 'docker' / 'Dockerfile').read_text(encoding='utf-8')
COMPOSE_TEXT = (ROOT / 'docker' / 'compose.yaml').read_text(encoding='utf-8')
COMPOSE = yaml.safe_load(COMPOSE_TEXT)


def lines(page: str) -> list[str]:
    """The lines of a page's blocks of commands."""
    return '\n'.join(blocks(page, 'bash')).splitlines()


def words_after(start: str, text: str) -> list[list[str]]:
    """The words of each command in a text that begins in this way, without what begins it."""
    found = re.findall(rf'{re.escape(start)} ([^\n`]+)', text)
    return [shlex.split(rest, comments=True) for rest in found]


@pytest.mark.parametrize('page', PAGES)
def test_a_shell_can_read_the_commands(page):
    """bash finds no mistake in any block."""
    for block in blocks(page, 'bash'):
        subprocess.run(['bash', '-n'], input=block, text=True, check=True)


def test_what_is_run_in_a_container_exists():
    """Launch files and executables behind compose's words; all others: test_ros2_on_pages.py."""
    for package, file, *_ in words_after('ros2 launch', PAGES[CONTAINER]):
        assert package == 'softshell_bringup'
        assert (ROOT / 'launch' / file).is_file()
    for package, executable, *_ in words_after('ros2 run', PAGES[CONTAINER]):
        setup = (ROOT / 'src' / package / 'setup.py').read_text(encoding='utf-8')
        assert f"'{executable} = " in setup


def test_the_page_installs_what_the_image_of_the_nodes_has():
    """The same keys are left out of rosdep, and pip is given the same files."""
    (skipped,) = re.findall(r'--skip-keys "(.*?)"', PAGES[ROS])
    assert f'FROM_PIP="{skipped}"' in DOCKERFILE
    (there,) = re.findall(r'pip install --no-cache-dir (.*?)&&', DOCKERFILE, re.DOTALL)
    (here,) = words_after('pip install', '\n'.join(lines(ROS)))
    assert here == shlex.split(there.replace('/tmp/', '').replace('\\\n', ''))
    assert all((ROOT / path).is_file() for path in here[1::2])
    assert 'venv --system-site-packages ~/softshell-venv' in PAGES[ROS]
    assert '-m venv --system-site-packages' in DOCKERFILE
    assert 'python -m colcon build --base-paths src --symlink-install' in lines(ROS)


def test_the_table_of_differences_is_true(monkeypatch):
    """Virtual environments and constraints are those that `./softshell` takes; Pythons as well."""
    rows = {
        name: [without, sourced]
        for name, without, sourced in re.findall(
            r'^\| (.*?) \| (.*?) \| (.*?) \|$', PAGES[ROS], re.MULTILINE
        )
    }
    monkeypatch.delenv('ROS_DISTRO', raising=False)
    wheels, ros = Workspace(ROOT), Workspace(ROOT)
    ros.ros_is_sourced, ros.venv = True, ROOT / '.venv-ros'
    venvs = [f'`{workspace.venv.name}`' for workspace in (wheels, ros)]
    assert rows['virtual environment of `./softshell`'] == venvs
    for cell, workspace in zip(rows['versions'], (wheels, ros), strict=True):
        assert f'`requirements/{workspace.constraints_of(CORE).name}`' in cell
    assert rows['Python'][0] == ' or '.join('{}.{}'.format(*version) for version in VERSIONS)
    folders = sorted(path.parent.name for path in (ROOT / 'interfaces').glob('*/package.xml'))
    assert ' and '.join(f'`{name}`' for name in folders) in ' '.join(rows)


def test_every_service_is_shown_and_exists():
    """Of each command of compose, the service; a profile is named where the service needs it."""
    services = COMPOSE['services']
    shown = set()
    for words in words_after('docker compose -f docker/compose.yaml', PAGES[CONTAINER]):
        profiles = [words.pop(1) for word in words[:1] if word == '--profile']
        words = [word for word in words if not word.startswith('-')]
        command, *rest = words
        assert command in ('up', 'down', 'exec', 'run', 'cp')
        if command == 'down':
            continue
        name = rest[0].partition(':')[0] if rest else 'stack'
        shown.add(name)
        assert command != 'up' or profiles == services[name].get('profiles', [])
    assert shown == {*services}


def test_every_variable_is_explained_with_its_default():
    """Those that compose.yaml reads, no less and no more; commands set no other."""
    told = {
        name: default
        for names, default in re.findall(
            r'^\| (`[A-Z].*?) \| `(.*?)` \|', PAGES[CONTAINER], re.MULTILINE
        )
        for name in re.findall(r'`(\w+)`', names)
    }
    assert told == dict(re.findall(r'\$\{(\w+):-(.*?)\}', COMPOSE_TEXT))
    assert {*re.findall(r'\b([A-Z_]{4,})=', '\n'.join(lines(CONTAINER)))} <= {*told}


def test_folders_in_the_container_are_those_of_its_file():
    """Where it works, where compiled code is, and below its home what ROS and the black box write.

    That ROS writes to .ros/log of the home: its default, which no file here changes.
    """
    named = {*re.findall(r'(?<![\w.])(/(?:opt|home|workspace)[\w./-]*)', PAGES[CONTAINER])}
    known = {
        *re.findall(r'^(?:WORKDIR|ENV NUMBA_CACHE_DIR=) ?(/\S+)$', DOCKERFILE, re.MULTILINE),
        *re.findall(r'^ENTRYPOINT \["(/\S+?)"\]', DOCKERFILE, re.MULTILINE),
    }
    home = '/home/softshell'
    logs = {f'{home}/.ros/log', f'{home}/.ros/log/black_box'}
    assert home in known
    assert named <= known | logs
    assert 'ROS_LOG_DIR' not in DOCKERFILE + COMPOSE_TEXT
    (mounted,) = COMPOSE['services']['develop']['volumes']
    assert mounted.partition(':')[2] == '/workspace'
    assert '`/workspace`, which is the checkout' in PAGES[CONTAINER]
    source = ROOT / 'src/softshell_recording/softshell_recording/ros/black_box.py'
    assert "get_logging_directory() / Path('black_box')" in source.read_text(encoding='utf-8')
