"""The libraries that need no ROS, as a stranger has them: wheels in an empty environment."""

import os
import re
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


#: The libraries, each after those that it needs.
LIBRARIES = ('softshell_kinematics', 'softshell_common', 'softshell_continuum')


@pytest.fixture(scope='module')
def wheels(tmp_path_factory) -> Path:
    """A folder with a wheel of each library, built from a copy of its sources."""
    folder = tmp_path_factory.mktemp('wheels')
    for name in LIBRARIES:
        shutil.copytree(
            ROOT / 'src' / name,
            folder / name,
            ignore=shutil.ignore_patterns('build', '__pycache__', '*.egg-info'),
        )
    venv.create(folder / 'venv', with_pip=True)
    pip = [folder / 'venv/bin/python', '-I', '-m', 'pip', 'wheel', '--quiet', '--no-deps']
    sources = [folder / name for name in LIBRARIES]
    subprocess.run([*pip, '--wheel-dir', folder / 'dist', *sources], check=True, timeout=600)
    return folder / 'dist'


def environment_with(folder: Path, wheels: Path, name: str) -> Path:
    """The interpreter of an empty environment into which a library is installed, by its wheel."""
    venv.create(folder, with_pip=True)
    interpreter = folder / 'bin/python'
    pip = [interpreter, '-I', '-m', 'pip', 'install', '--quiet', '--find-links', wheels]
    (wheel,) = wheels.glob(f'{name}-*.whl')
    subprocess.run([*pip, wheel], check=True, timeout=600)
    return interpreter


@pytest.fixture(scope='module')
def python(tmp_path_factory, wheels):
    """The interpreter of an environment with the kinematics alone."""
    return environment_with(
        tmp_path_factory.mktemp('one') / 'venv', wheels, 'softshell_kinematics'
    )


@pytest.fixture(scope='module')
def with_continuum(tmp_path_factory, wheels):
    """The interpreter of an environment with the soft manipulators, and what they need."""
    return environment_with(tmp_path_factory.mktemp('two') / 'venv', wheels, 'softshell_continuum')


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


def test_soft_manipulators_bring_no_ros_either(with_continuum):
    """Beside what they stand on there are the three libraries."""
    names = {name.replace('-', '_') for name in run(with_continuum, DISTRIBUTIONS).split()}
    assert {*LIBRARIES, 'numpy', 'scipy', 'pydantic'} <= names
    assert not [name for name in names if name in ('rclpy', 'pybullet', 'mujoco', 'xacro')]


def test_the_program_of_the_page_on_soft_manipulators_runs_there(with_continuum):
    """It finds the tensions that bring a finger where it is told to be."""
    page = (ROOT / 'docs' / 'continuum.md').read_text(encoding='utf-8')
    program = re.search(r'```python\n(.*?)```', page, re.DOTALL)
    assert program
    run(with_continuum, program[1])
