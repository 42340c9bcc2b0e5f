"""A node is imported once the process is made ready for it."""

import os
import subprocess
import sys

import pytest

from softshell_common.entry import ENVIRONMENT

#: A set variable stays as it is; of others a program is told here.
THEIRS = {'OPENBLAS_NUM_THREADS': '2', 'FASTDDS_BUILTIN_TRANSPORTS': 'SHM'}
#: Prints which ports a node listens on in shared memory.
LISTENS = """
import rclpy
def main():
    rclpy.init()
    rclpy.create_node('listener')
    maps = open('/proc/self/maps').read().split()
    print([each for each in maps if each.startswith('/dev/shm/fastrtps_port')])
    return 0
"""
#: A program of a user, which nothing is set for; it may have initialised ROS by itself before.
PROGRAM = """
import os, sys
import rclpy
from softshell_common.ros.context import new_context
if 'before' in sys.argv:
    theirs = rclpy.Context()
    rclpy.init(args=[], context=theirs)
    before = rclpy.create_node('theirs', context=theirs)
ours = rclpy.create_node('ours', context=new_context())
print('fastrtps_port' in open('/proc/self/maps').read(), os.environ['FASTDDS_BUILTIN_TRANSPORTS'])
"""


def told(folder, module, **given):
    """What a module prints that is started as a node, with no variables of ours but these."""
    (folder / 'told.py').write_text(module, encoding='utf-8')
    start = 'import sys; from softshell_common.entry import run_node; sys.exit(run_node("told"))'
    environment = {name: value for name, value in os.environ.items() if name not in ENVIRONMENT}
    environment |= given
    environment['PYTHONPATH'] = f'{folder}:{environment.get("PYTHONPATH", "")}'
    run = subprocess.run(
        [sys.executable, '-c', start], env=environment, capture_output=True, text=True, check=True
    )
    assert not run.stderr
    return run.stdout.strip()


@pytest.mark.parametrize('given', [{}, THEIRS])
def test_a_node_starts_with_our_variables_unless_told_otherwise(tmp_path, given):
    """By what the module finds while it is imported, when a library reads them."""
    module = f'import os\nprint([os.environ[name] for name in {list(ENVIRONMENT)}])\nmain = int\n'
    assert told(tmp_path, module, **given) == str(list({**ENVIRONMENT, **given}.values()))


@pytest.mark.parametrize('reach', ['LOCALHOST', 'SUBNET'])
@pytest.mark.parametrize('ours', [True, False])
def test_a_node_listens_in_no_shared_memory(tmp_path, reach, ours):
    """There Fast DDS waits, while it publishes, for programs that come or were killed; it would
    listen there without our variables."""
    given = {'ROS_AUTOMATIC_DISCOVERY_RANGE': reach, 'ROS_DOMAIN_ID': '99'}
    if not ours:
        profiles = tmp_path / 'nothing.xml'
        profiles.write_text('<profiles/>', encoding='utf-8')
        given |= dict(zip(list(ENVIRONMENT)[1:], ('DEFAULT', str(profiles)), strict=True))
    assert (told(tmp_path, LISTENS, **given) == '[]') is ours


@pytest.mark.parametrize(
    ('order', 'given', 'expected'),
    [
        ('first', {}, 'False UDPv4'),
        ('first', {'FASTDDS_BUILTIN_TRANSPORTS': 'LARGE_DATA'}, 'False LARGE_DATA'),
        ('before', {}, 'True UDPv4'),
    ],
)
def test_a_program_talks_as_our_nodes_do_unless_told_otherwise(order, given, expected):
    """So what it asks for is sent again soon; a node that it made before stays as it is."""
    environment = {name: value for name, value in os.environ.items() if name not in ENVIRONMENT}
    run = subprocess.run(
        [sys.executable, '-c', PROGRAM, order],
        env=environment | given | {'ROS_DOMAIN_ID': '99'},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert run.stdout.strip() == expected
