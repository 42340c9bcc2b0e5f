"""softshell_kinematics without ROS and without the other packages."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PROGRAM = """
import importlib.abc, sys

class OnlyNumbers(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        top = name.partition('.')[0]
        strangers = ('rclpy', 'ament_index_python', 'pydantic', 'yaml', 'scipy', 'xacro')
        if top in strangers or (top.startswith('softshell') and top != 'softshell_kinematics'):
            raise ImportError(f'{name} is not among what it needs')

sys.meta_path.insert(0, OnlyNumbers())
sys.path.insert(0, sys.argv[1])
import softshell_kinematics as kinematics
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import rotation_about
assert 'numba' not in sys.modules, 'the errors and rotations need no compiler'
assert kinematics.__file__.startswith(sys.argv[1])
nan = float('nan')
row = kinematics.DhRow
arm = kinematics.chain_from_dh('arm', [row(0, 0.1, 0, 0.3, 'a'), row(0, 0, 0, 0.2, 'b')])
result = kinematics.solve_ik(arm, [0.3, 0.2, nan, nan, nan, nan])
assert result.all_converged
assert set(kinematics.__all__) <= {name for name in dir(kinematics) if getattr(kinematics, name)}
"""


@pytest.mark.parametrize('compiled', [False, pytest.param(True, marks=pytest.mark.long)])
def test_it_installs_by_pip_and_solves_with_numpy_and_numba_alone(tmp_path, compiled):
    """Installed by pip into an empty folder it solves, and imports nothing of ROS or of ours.

    The same code runs as Python, and, which takes a minute, compiled.
    """
    source, target = tmp_path / 'source', tmp_path / 'target'
    shutil.copytree(
        ROOT / 'src/softshell_kinematics',
        source,
        ignore=shutil.ignore_patterns('build', '__pycache__', '*.egg-info'),
    )
    pip = [sys.executable, '-m', 'pip', 'install', '--quiet', '--no-deps', '--no-build-isolation']
    subprocess.run([*pip, '--target', target, source], check=True, timeout=120)
    environment = {**os.environ, 'NUMBA_DISABLE_JIT': '0' if compiled else '1'}
    command = [sys.executable, '-I', '-c', PROGRAM, str(target)]
    subprocess.run(command, check=True, timeout=300, env=environment)
