"""A robot's URDF: expanded from xacro, and with its meshes found."""

import hashlib
import os
import re
import tempfile
from pathlib import Path

import xacro

from softshell_description.panels import write_meshes
from softshell_description.robots import PACKAGE, share_directory
from softshell_kinematics.errors import SoftshellError

_FILE_NAME = re.compile(r'(<mesh\b[^>]*?\bfilename=")([^"]+)(")')


def find_urdf(name: str, folder: Path) -> Path:
    """The file that a `robot.yaml` names: beside it, or below the installed `urdf/`.

    Raises:
        SoftshellError: it is in neither place.
    """
    places = [folder / name, share_directory() / 'urdf' / name]
    for path in places:
        if path.is_file():
            return path
    raise SoftshellError(f'urdf is {name!r}; no such file beside it or below {places[1].parent}')


def expand_urdf(path: Path) -> str:
    """The text of a URDF; a file called `*.xacro` is expanded first.

    Raises:
        SoftshellError: the file cannot be read or expanded.
    """
    try:
        if path.suffix != '.xacro':
            return path.read_text(encoding='utf-8')
        document = xacro.process_file(str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise SoftshellError(f'{path}: cannot be read: {error}') from error
    except Exception as error:  # xacro raises whatever an expression in the file raises
        raise SoftshellError(f'{path}: xacro cannot expand it: {error}') from error
    # Bullet reads lines of at most 1024 characters, so one line for all will not do.
    return document.documentElement.toprettyxml(indent='  ')


def resolve_meshes(text: str, folder: Path) -> str:
    """A URDF that names its meshes by absolute path, for programs that know no ROS packages.

    Args:
        text: the URDF.
        folder: of its file, from which relative paths start.

    Raises:
        SoftshellError: a mesh belongs to a package that is not installed.
    """
    return _FILE_NAME.sub(lambda match: match[1] + _mesh_path(match[2], folder) + match[3], text)


def _mesh_path(name: str, folder: Path) -> str:
    scheme, separator, rest = name.partition('://')
    if not separator:
        return str(folder / name)
    if scheme != 'package':
        return rest
    package, _, path = rest.partition('/')
    if package == PACKAGE:
        return str(mesh_directory() / path.removeprefix('meshes/'))
    try:
        from ament_index_python.packages import get_package_share_directory

        return str(Path(get_package_share_directory(package)) / path)
    except (ImportError, LookupError, OSError):
        raise SoftshellError(f'mesh {name!r}: no package {package!r} is installed') from None


def mesh_directory() -> Path:
    """The folder with generated meshes, one folder below it for each robot that has panels.

    The build makes them; in a checkout that is not built they are made now, in the user's cache.
    """
    share = share_directory()
    if (share / 'meshes').is_dir():
        return share / 'meshes'
    sources = sorted((share / 'urdf').glob('*/panels.yaml'))
    digest = hashlib.sha256(Path(__file__).with_name('panels.py').read_bytes())
    for source in sources:
        digest.update(source.read_bytes())
    folder = _cache_directory() / f'meshes-{digest.hexdigest()[:16]}'
    for source in sources:
        write_meshes(source, folder / source.parent.name)
    return folder


def _cache_directory() -> Path:
    """The user's cache, or the temporary folder if that cannot be written."""
    try:
        cache = Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache') / 'softshell'
        cache.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # RuntimeError: no home
        return Path(tempfile.gettempdir()) / f'softshell-{os.getuid()}'
    return cache if os.access(cache, os.W_OK) else Path(tempfile.gettempdir()) / 'softshell'
