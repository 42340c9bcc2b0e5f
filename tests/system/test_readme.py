"""What the README shows works as it stands there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from softshell_bringup.domain import free_domain
from softshell_bringup.nodes import ARGUMENTS
from softshell_bringup.runner import Stack

ROOT = Path(__file__).parents[2]
README = (ROOT / 'README.md').read_text(encoding='utf-8')


def blocks(language: str) -> list[str]:
    return re.findall(rf'```{language}\n(.*?)```', README, re.DOTALL)


@pytest.mark.usefixtures('family')
def test_the_program_moves_the_robot():
    """The Python of the README runs to its end on the mock and prints a position."""
    (program,) = blocks('python')
    with Stack({'bridge': 'mock', 'real_time_factor': '4'}, domain=free_domain()) as stack:
        stack.wait_ready()
        run = subprocess.run(
            [sys.executable, '-c', program],
            env={**os.environ, 'ROS_DOMAIN_ID': str(stack.domain)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        assert re.search(r'\[.*\d.*\]', run.stdout), run.stdout


def test_the_kinematics_program_runs():
    """The Python of the kinematics README runs to its end and its assertion holds."""
    text = (ROOT / 'src/softshell_kinematics/README.md').read_text(encoding='utf-8')
    (program,) = re.findall(r'```python\n(.*?)```', text, re.DOTALL)
    subprocess.run([sys.executable, '-c', program], timeout=120, check=True)


def test_its_arguments_and_files_exist():
    """Every name:=value is an argument of the stack or of an action, every path is there."""
    known = {argument.name for argument in ARGUMENTS} | {'distance'}
    shell = '\n'.join(blocks('bash'))
    assert {name for name, _ in re.findall(r'(\w+):=(\w+)', shell)} <= known
    for path in re.findall(r'`((?:src|urdf|config|docs|docker)/[\w./]*)`', README):
        assert (ROOT / path).exists(), path
    for picture in re.findall(r'!\[.*?\]\((.*?)\)', README):
        assert (ROOT / picture).is_file()


def test_all_topics_of_the_bridge_and_the_manager_are_listed():
    """A topic or service that a node makes stands in the README's tables."""
    made = set()
    for source in (ROOT / 'src').glob('*/*/*node*.py'):
        text = source.read_text(encoding='utf-8')
        made |= set(
            re.findall(r"create_(?:publisher|subscription|service)\(\s*\w+,\s*'([\w/]+)'", text)
        )
    assert {'joint_states', 'cmd_vel', 'list_actions'} <= made
    missing = {name for name in made if f'`{name}`' not in README}
    assert not missing
