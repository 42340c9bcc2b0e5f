"""What the README shows works as it stands there."""

import math
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from softshell_bringup.domain import free_domain
from softshell_bringup.ros.graph import Observer
from softshell_bringup.runner import Stack

ROOT = Path(__file__).parents[2]
README = (ROOT / 'README.md').read_text(encoding='utf-8')


def blocks(language: str) -> list[str]:
    return re.findall(rf'```{language}\n(.*?)```', README, re.DOTALL)


@pytest.fixture(scope='module')
def stack() -> Iterator[Stack]:
    with Stack({'real_time_factor': '0'}, domain=free_domain()) as stack:
        stack.wait_ready()
        yield stack


def said_by(program: str, stack: Stack) -> str:
    """What a program prints that runs to its end beside a stack."""
    run = subprocess.run(
        [sys.executable, '-c', program],
        env={**os.environ, 'ROS_DOMAIN_ID': str(stack.domain)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_the_program_moves_the_robot(stack):
    """The Python of the README runs to its end in the simulation, half a metre from where it was.

    It then walks by a velocity for half a second, and stops as a foot comes down.
    """
    (program,) = blocks('python')
    found = re.search(r'\[(.*)\]', said_by(program, stack))
    assert found
    x, y, z = (float(number) for number in found[1].split())
    assert math.hypot(x, y) == pytest.approx(0.5, abs=0.15)
    assert 0.1 < z < 0.2


def test_the_action_is_a_part_of_the_one_that_ships():
    """The YAML of the README."""
    (shown,) = blocks('yaml')
    turn = ROOT / 'config' / 'robots' / 'shell' / 'actions' / 'turn.yaml'
    assert shown in turn.read_text(encoding='utf-8')


def test_all_topics_and_services_of_the_stack_are_listed(stack):
    """Whatever the running nodes offer, ROS's own parameters aside, stands on the page of them."""
    page = (ROOT / 'docs' / 'reference' / 'topics.md').read_text(encoding='utf-8')
    own = re.compile(r'/(rosout|parameter_events|.*/(get|set|list|describe)_\w*parameter\w*'
                     r'|.*/get_type_description|.*/_action/.*|_\w+.*)')  # fmt: skip
    with Observer(stack.domain) as observer:
        wanted = {'/joint_states', '/foot_contacts', '/solve_ik', '/bridge/reset', '/tf'}
        end = time.monotonic() + 20
        names: set[str] = set()
        while not wanted <= names and time.monotonic() < end:
            observer.look()
            node = observer.node
            offered = [*node.get_topic_names_and_types(), *node.get_service_names_and_types()]
            names = {name for name, _ in offered if not own.fullmatch(name)}
    assert wanted <= names
    absolute = ('/clock', '/tf', '/tf_static')
    written = {name if name in absolute else name[1:] for name in names}
    missing = {name for name in written if f'`{name}`' not in page}
    assert not missing


def test_the_kinematics_program_runs():
    """The Python of the kinematics README runs to its end and its assertions hold."""
    text = (ROOT / 'src/softshell_kinematics/README.md').read_text(encoding='utf-8')
    programs = re.findall(r'```python\n(.*?)```', text, re.DOTALL)
    assert len(programs) == 2
    subprocess.run([sys.executable, '-c', '\n'.join(programs)], timeout=120, check=True)
