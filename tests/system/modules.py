"""What files of Python import, and on which lists that is."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Name on PyPI and rosdep key of each module that is no ROS package, by the name it is imported
#: by. Those without a key are named in docs/ros-machine.md.
MODULES = {
    'aiohttp': ('aiohttp', 'python3-aiohttp'),
    'cmaes': ('cmaes', None),
    'dask': ('dask', None),
    'distributed': ('distributed', None),
    'dynamixel_sdk': ('dynamixel-sdk', None),
    'geomdl': ('geomdl', None),
    'gymnasium': ('gymnasium', None),
    'hypothesis': ('hypothesis', 'python3-hypothesis'),
    'imageio_ffmpeg': ('imageio-ffmpeg', None),
    'jsonschema': ('jsonschema', 'python3-jsonschema'),
    'matplotlib': ('matplotlib', 'python3-matplotlib'),
    'PIL': ('pillow', 'python3-pil'),
    'mujoco': ('mujoco', None),
    'nbclient': ('nbclient', None),
    'nbformat': ('nbformat', None),
    'numba': ('numba', 'python3-numba'),
    'numpy': ('numpy', 'python3-numpy'),
    'optuna': ('optuna', None),
    'playwright': ('playwright', None),
    'plotly': ('plotly', None),
    'pyarrow': ('pyarrow', None),
    'pybullet': ('pybullet', 'python3-pybullet-pip'),
    'pydantic': ('pydantic', 'python3-pydantic'),
    'pydantic_core': ('pydantic', 'python3-pydantic'),
    'pytest': ('pytest', 'python3-pytest'),
    'rich': ('rich', 'python3-rich'),
    'rosbags': ('rosbags', None),
    'scipy': ('scipy', 'python3-scipy'),
    'serial': ('pyserial', 'python3-serial'),
    'trimesh': ('trimesh', None),
    'typer': ('typer', 'python3-typer'),
    'viser': ('viser', None),
    'yaml': ('pyyaml', 'python3-yaml'),
}


def modules_of(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Full names of the modules that are imported, and of packages in a text `package.msg:Type`,
    which names a message that is imported when it is needed."""
    for node in nodes:
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module
            case ast.Constant(value=str(text)) if re.fullmatch(r'\w+\.(msg|srv|action):\w+', text):
                yield text.partition('.')[0]


def requirements(name: str) -> set[str]:
    """Names in a file of requirements."""
    text = (ROOT / 'requirements' / f'{name}.txt').read_text(encoding='utf-8')
    return set(re.findall(r'^([\w-]+)', text, re.MULTILINE))
