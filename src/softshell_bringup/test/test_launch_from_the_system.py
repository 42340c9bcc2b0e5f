"""`ros2 launch` starts the stack from a Python that does not see what pip has installed.

That Python is the bare one of this virtual environment. Of `launch`, which wheels of ROS do not
have, only the calls are recorded.
"""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from softshell_bringup.nodes import NODES
from softshell_bringup.programs import interpreter_of, program_of, use_packages_of
from softshell_kinematics.errors import SoftshellError

LAUNCH_FILE = Path(__file__).resolve().parents[3] / 'launch' / 'softshell.launch.py'
LAUNCH = """
import importlib.util, json, site, sys
from types import SimpleNamespace
from unittest.mock import MagicMock
apt, launch_file, arguments, *sources = sys.argv[1:]
site.getsitepackages = lambda: [apt]
sys.path += [*sources, apt]
try:
    from pydantic import BaseModel
    sys.exit('this Python sees what pip has installed')
except ImportError:
    del sys.modules['pydantic']
for name in ('', '.actions', '.events', '.events.process'):
    sys.modules['launch' + name] = MagicMock()
sys.modules['launch_ros'] = sys.modules['launch_ros.actions'] = launch_ros = MagicMock()
spec = importlib.util.spec_from_file_location('softshell_launch', launch_file)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
module.generate_launch_description()
context = SimpleNamespace(
    launch_configurations=json.loads(arguments), argv=[],
    locals=SimpleNamespace(current_launch_file_path=launch_file))
for call in sys.modules['launch.actions'].OpaqueFunction.call_args_list:
    call.kwargs['function'](context)
print(json.dumps([
    [call.kwargs['executable'], call.kwargs['prefix'].split()[-1]]
    for call in launch_ros.Node.call_args_list]))
"""


@pytest.fixture
def launched(tmp_path):
    """Function: the nodes that the launch file makes, each with the last word before its script.

    The system has what ROS brings, and a pydantic that is too old.
    """
    for name in ('ament_index_python', 'yaml', '_yaml'):
        folder = Path(importlib.util.find_spec(name).origin).parent
        (tmp_path / name).symlink_to(folder)
    (tmp_path / 'pydantic.py').write_text('VERSION = "1.10"\n')

    def run(**arguments):
        sources = [entry for entry in os.environ['PYTHONPATH'].split(os.pathsep) if entry]
        words = [str(tmp_path), str(LAUNCH_FILE), json.dumps(arguments), *sources]
        ended = subprocess.run(
            [os.path.realpath(sys.executable), '-I', '-S', '-c', LAUNCH, *words],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert ended.returncode == 0, ended.stderr
        return dict(json.loads(ended.stdout))

    return run


def test_the_stack_is_launched_by_a_python_without_our_packages(launched):
    """The launch file finds them where the nodes do, also before older ones of the system.

    Each node is started by the interpreter that it was installed for: Linux itself could not
    start a script below a path with spaces.
    """
    nodes = launched(robot='quadruped', bridge='mock', black_box='false')
    assert [*nodes] == ['mock_bridge', 'kinematics', 'action_manager']
    assert {*nodes.values()} == {sys.executable}


def test_a_black_box_that_is_not_installed_is_left_out(launched, monkeypatch):
    """Nobody has asked for it; the other nodes start."""
    prefixes = os.environ['AMENT_PREFIX_PATH'].split(os.pathsep)
    others = [entry for entry in prefixes if Path(entry).name != 'softshell_recording']
    monkeypatch.setenv('AMENT_PREFIX_PATH', os.pathsep.join(others))
    assert [*launched(bridge='mock')] == ['mock_bridge', 'kinematics', 'action_manager']


def test_the_interpreter_of_a_script_is_that_of_its_first_line(tmp_path):
    """With its options, and as it is quoted if it has spaces; a binary program has none."""
    lines = {
        b'#!/usr/bin/python3 -E\n': ('/usr/bin/python3', '-E'),
        b'#! /usr/bin/env python3\n': ('/usr/bin/env', 'python3'),
        b'#!"/home/me/my robot/.venv/bin/python"\n': ('/home/me/my robot/.venv/bin/python',),
        b'#!/bin/sh\n': (),
        b'\x7fELF python\n': (),
    }
    for line, words in lines.items():
        program = tmp_path / 'program'
        program.write_bytes(line + b'import sys\n')
        assert interpreter_of(program) == words


def test_an_environment_for_another_python_is_refused(tmp_path):
    """With the versions of both, and so is one that is gone.

    An interpreter outside of environments has nothing to add.
    """
    before = [*sys.path]
    python = tmp_path / 'bin' / 'python'
    with pytest.raises(SoftshellError, match=f'{python}, on which the nodes run, does not exist'):
        use_packages_of(str(python))
    python.parent.mkdir()
    python.touch()
    use_packages_of(str(python))
    (tmp_path / 'pyvenv.cfg').touch()
    (tmp_path / 'lib' / 'python3.99' / 'site-packages').mkdir(parents=True)
    here = 'python{}.{}'.format(*sys.version_info)
    with pytest.raises(SoftshellError, match=f'is for python3.99; expected {here}') as caught:
        use_packages_of(str(python))
    assert str(tmp_path) in str(caught.value)
    assert sys.path == before


def test_where_the_packages_are_seen_already_nothing_changes():
    """As in a checkout that was set up from wheels."""
    before = [*sys.path]
    for row in NODES:
        if row.ours:
            use_packages_of(interpreter_of(program_of(row))[0])
    assert sys.path == before
