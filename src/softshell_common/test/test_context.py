"""ROS that cannot be initialised."""

import os
import subprocess
import sys

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

#: What programs do first.
CONTEXT = """
from softshell_common.ros.context import new_context
from softshell_kinematics.errors import SoftshellError
try:
    new_context(99)
except SoftshellError as error:
    print(f'error: {error}')
"""
#: What nodes do first.
NODE = """
from softshell_common.ros.run import run
run(lambda: None, [])
"""


@pytest.mark.parametrize('program', [CONTEXT, NODE])
def test_a_folder_for_logs_that_cannot_be_made_is_one_error_of_one_line(program):
    """In a process of its own: ROS sets up its log once in a process."""
    done = subprocess.run(
        [sys.executable, '-c', program],
        env={**os.environ, 'ROS_LOG_DIR': '/proc/nothing'},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    (line,) = done.stdout.splitlines()
    assert line.startswith('error: ROS refuses its arguments or variables: ')
    assert "'/proc/nothing'" in line
    assert 'src/' not in line  # of ROS
