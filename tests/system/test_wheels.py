"""The libraries that need no ROS, as a stranger has them: wheels in an empty environment."""

import email
import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
import zipfile
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
def checkout(tmp_path_factory) -> Path:
    """A folder with copies of the libraries in src/, for pip builds where the sources lie."""
    folder = tmp_path_factory.mktemp('checkout')
    for name in LIBRARIES:
        shutil.copytree(
            ROOT / 'src' / name,
            folder / 'src' / name,
            ignore=shutil.ignore_patterns('build', '__pycache__', '*.egg-info'),
        )
    return folder


def environment_with(wheels: Path, folder: Path, page: str) -> Path:
    """The interpreter of an empty environment with the wheels of what a page's pip installs."""
    venv.create(folder, with_pip=True)
    interpreter = folder / 'bin/python'
    (sources,) = re.findall(r'pip install (\./[^\n`]+)', (ROOT / page).read_text(encoding='utf-8'))
    files = [wheel_of(Path(source).name, wheels) for source in shlex.split(sources)]
    pip = [interpreter, '-I', '-m', 'pip', 'install', '--quiet']
    subprocess.run([*pip, *files], check=True, timeout=600)
    return interpreter


def wheel_of(name: str, wheels: Path) -> Path:
    """The wheel of a library."""
    (path,) = wheels.glob(f'{name}-*.whl')
    return path


@pytest.fixture(scope='module')
def wheels(checkout) -> Path:
    """A folder with a wheel of each library; the sources are gone once these are built."""
    pip = [sys.executable, '-I', '-m', 'pip', 'wheel', '--quiet', '--no-deps']
    sources = [f'./src/{name}' for name in LIBRARIES]
    subprocess.run([*pip, '--wheel-dir', 'dist', *sources], cwd=checkout, check=True, timeout=600)
    shutil.rmtree(checkout / 'src')
    return checkout / 'dist'


@pytest.fixture(scope='module')
def python(tmp_path_factory, wheels):
    """The interpreter of an environment with the kinematics alone."""
    folder = tmp_path_factory.mktemp('one') / 'venv'
    return environment_with(wheels, folder, 'src/softshell_kinematics/README.md')


@pytest.fixture(scope='module')
def with_continuum(tmp_path_factory, wheels):
    """The interpreter of an environment with the soft manipulators, and what they need."""
    return environment_with(wheels, tmp_path_factory.mktemp('two') / 'venv', 'docs/continuum.md')


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


@pytest.mark.parametrize('name', LIBRARIES)
def test_a_wheel_has_its_licence_and_says_what_it_is(wheels, name):
    """The text of the licence, a short description, and the README as the long one."""
    with zipfile.ZipFile(wheel_of(name, wheels)) as wheel:
        found = {Path(member).name: member for member in wheel.namelist() if 'dist-info' in member}
        licence = wheel.read(found['LICENSE']).decode()
        metadata = email.message_from_bytes(wheel.read(found['METADATA']))
    assert licence == (ROOT / 'LICENSE').read_text(encoding='utf-8')
    assert metadata['License-File'] == 'LICENSE'
    assert 'Apache-2.0' in (metadata['License-Expression'] or metadata['License'])
    assert metadata['Requires-Python'] == '>=3.11'
    assert metadata['Summary']
    assert metadata['Description-Content-Type'] == 'text/markdown'
    readme = (ROOT / 'src' / name / 'README.md').read_text(encoding='utf-8')
    assert metadata.get_payload(decode=True).decode().strip() == readme.strip()
