"""softshell_kinematics as a stranger has it: by pip, in an empty environment, without ROS."""

import os
import shutil
import subprocess
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.long  # pip installs into a fresh environment

ROOT = Path(__file__).parents[2]

DISTRIBUTIONS = """
import importlib.metadata as metadata
print(*sorted(found.metadata['Name'] for found in metadata.distributions()))
"""

PROGRAM = """
import sys
import softshell_kinematics as kinematics
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import rotation_about
assert 'numba' not in sys.modules, 'the errors and rotations need no compiler'
assert kinematics.__file__.startswith(sys.prefix)
nan = float('nan')
row = kinematics.DhRow
arm = kinematics.chain_from_dh('arm', [row(0, 0.1, 0, 0.3, 'a'), row(0, 0, 0, 0.2, 'b')])
result = kinematics.solve_ik(arm, [0.3, 0.2, nan, nan, nan, nan])
assert result.all_converged
assert set(kinematics.__all__) <= {name for name in dir(kinematics) if getattr(kinematics, name)}
"""


@pytest.fixture(scope='module')
def python(tmp_path_factory):
    """The interpreter of an empty environment, after the README's one line of pip."""
    folder = tmp_path_factory.mktemp('alone')
    source = folder / 'softshell_kinematics'
    shutil.copytree(
        ROOT / 'src/softshell_kinematics',
        source,
        ignore=shutil.ignore_patterns('build', '__pycache__', '*.egg-info'),
    )
    venv.create(folder / 'venv', with_pip=True)
    interpreter = folder / 'venv/bin/python'
    pip = [interpreter, '-I', '-m', 'pip', 'install', '--quiet']
    subprocess.run([*pip, source], check=True, timeout=600)
    return interpreter


def run(python, program, jit=True):
    """What the program prints there, where nothing of this environment is to be found."""
    environment = {**os.environ, 'NUMBA_DISABLE_JIT': '0' if jit else '1'}
    command = [python, '-I', '-c', program]
    answer = subprocess.run(
        command, check=True, timeout=300, env=environment, stdout=subprocess.PIPE, text=True
    )
    return answer.stdout


def test_pip_brings_numpy_and_numba_and_nothing_of_ros_or_the_robot(python):
    """Beside pip's own there are numba, the compiler that it stands on, numpy and the package."""
    names = {name.replace('-', '_') for name in run(python, DISTRIBUTIONS).split()}
    assert names - {'pip', 'setuptools'} == {'llvmlite', 'numba', 'numpy', 'softshell_kinematics'}


@pytest.mark.parametrize('jit', [False, pytest.param(True, marks=pytest.mark.long)])
def test_it_solves_there(python, jit):
    """The same code runs as Python, and, which takes a minute, compiled."""
    run(python, PROGRAM, jit)
