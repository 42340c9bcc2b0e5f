"""Finds the interpreter with which softshell is set up.

Only the standard library, and any Python from 3.9: this runs before anything is installed.
"""

import contextlib
import json
import os
import platform
import shutil
import subprocess
import sys

from softshell_tools.steps import fail

#: Versions of Python that have wheels of ROS, the best first: PyBullet has no wheel for 3.12.
VERSIONS = [(3, 11), (3, 12)]
#: The machine's own interpreter: packages of apt without a version are for this one.
SYSTEM = '/usr/bin/python3'
PROBE = """
import importlib.util as u, json, os, sys, sysconfig
print(json.dumps({
    'executable': os.path.realpath(sys.executable), 'version': sys.version_info[:2],
    'venv': bool(u.find_spec('venv') and u.find_spec('ensurepip')),
    'headers': os.path.exists(os.path.join(sysconfig.get_paths()['include'], 'Python.h')),
    'rclpy': bool(u.find_spec('rclpy'))}))
"""


def probe(interpreter):
    """What an interpreter has, as `PROBE` prints it; None if it does not run (a pyenv shim).

    Its path is the real one: after an upgrade a link may lead to another version.
    """
    with contextlib.suppress(OSError, ValueError, subprocess.TimeoutExpired):
        run = subprocess.run([str(interpreter), '-c', PROBE], capture_output=True, timeout=30)
        return json.loads(run.stdout)
    return None


def missing(python, ros_is_sourced):
    """What this machine lacks for a probed interpreter, as a list of (thing, apt package)."""
    version = '{}.{}'.format(*python['version'])
    own = (probe(SYSTEM) or {}).get('version', ())
    prefix = 'python3' if tuple(own) == tuple(python['version']) else f'python{version}'
    checks = [
        (python['venv'], f'the venv module of Python {version}', f'{prefix}-venv'),
        (python['headers'], f'the headers of Python {version}', f'{prefix}-dev'),
        (shutil.which('g++'), 'a C++ compiler', 'g++'),
    ]
    if ros_is_sourced:
        checks.append((python['rclpy'], 'rclpy for this Python', 'ros-jazzy-ros-base'))
        checks.append((shutil.which('xacro'), 'xacro', 'ros-jazzy-xacro'))
        checks.append((shutil.which('colcon'), 'colcon', 'python3-colcon-common-extensions'))
    return [(thing, package) for present, thing, package in checks if not present]


def wanted_python(remembered):
    """The interpreter that is asked for now, or was and can still be used; None: any.

    Args:
        remembered: command or path of the one that the last installation was asked for, or None.
    """
    asked = os.environ.get('SOFTSHELL_PYTHON')
    if asked or not remembered:
        return asked or None
    python = probe(remembered)
    return remembered if python and tuple(python['version']) in VERSIONS else None


def choose_python(ros_is_sourced, wanted):
    """The interpreter to use: the one for which the machine lacks least; of these the oldest.

    Args:
        ros_is_sourced: whether ROS from apt is sourced.
        wanted: command or path of the one to use, see `wanted_python`; None: any.

    Returns:
        What `probe` returned for it.
    """
    if not ros_is_sourced and platform.machine() != 'x86_64':
        fail(
            f'the wheels of ROS exist for x86_64, not for {platform.machine()}: '
            'source ROS 2 Jazzy from apt, or use docker/'
        )
    if wanted:
        names = [wanted]
    elif ros_is_sourced:
        names = [SYSTEM, 'python3']
    else:
        names = [f'{folder}python3{minor}' for folder in ('', '/usr/bin/')
                 for minor in ('.11', '', '.12')] + [sys.executable]  # fmt: skip
    found = [(name, probe(name)) for name in names]
    usable = [python for _, python in found if python and tuple(python['version']) in VERSIONS]
    if not usable:
        listed = '\n'.join(
            f'  {name}: '
            + ('Python {}.{}'.format(*python['version']) if python else 'does not run')
            for name, python in found
        )
        fail(
            f'Python 3.11 or 3.12 is needed; found\n{listed}\n'
            'Debian 12 and Ubuntu 24.04 have it: '
            'sudo apt install python3 python3-venv python3-dev g++\n'
            'elsewhere name one: SOFTSHELL_PYTHON=/path/to/python3.11 ./softshell ...'
        )
    return min(usable, key=lambda p: (len(missing(p, ros_is_sourced)), p['version']))
