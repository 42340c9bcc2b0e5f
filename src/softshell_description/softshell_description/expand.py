"""Where the robot's files are, and its URDF expanded from xacro."""

import hashlib
import os
import re
import tempfile
from pathlib import Path

import xacro

from softshell_common.errors import SoftshellError
from softshell_description.panels import write_meshes

PACKAGE = 'softshell_description'
_MESH_URI = re.compile(rf'package://{PACKAGE}/meshes/([^"\']+)')


def share_directory() -> Path:
    """The folder with `urdf/` and `config/`: the installed share, or the plain checkout.

    Raises:
        SoftshellError: neither is there.
    """
    try:
        from ament_index_python.packages import get_package_share_directory

        return Path(get_package_share_directory(PACKAGE))
    except (ImportError, LookupError, OSError):  # OSError: no ROS environment at all
        checkout = Path(__file__).resolve().parents[3]
    if not (checkout / 'urdf').is_dir():
        raise SoftshellError(f'{PACKAGE} is not installed, and {checkout} holds no urdf/')
    return checkout


def robot_urdf(resolve_meshes: bool = False) -> str:
    """The robot's URDF.

    Args:
        resolve_meshes: name meshes by absolute path instead of by `package://` URI, for
            programs that know nothing of ROS packages.
    """
    document = xacro.process_file(str(share_directory() / 'urdf' / 'softshell.urdf.xacro'))
    # Bullet reads lines of at most 1024 characters, so one line for all will not do.
    text = document.documentElement.toprettyxml(indent='  ')
    if resolve_meshes:
        folder = mesh_directory()
        text = _MESH_URI.sub(lambda match: str(folder / match[1]), text)
    return text


def mesh_directory() -> Path:
    """The folder with the panels' meshes.

    The build makes them; in a checkout that is not built they are made now, in the user's cache.
    """
    share = share_directory()
    if (share / 'meshes').is_dir():
        return share / 'meshes'
    panels = share / 'urdf' / 'panels.yaml'
    generator = Path(__file__).with_name('panels.py')
    key = hashlib.sha256(panels.read_bytes() + generator.read_bytes()).hexdigest()[:16]
    folder = _cache_directory() / f'meshes-{key}'
    write_meshes(panels, folder)
    return folder


def _cache_directory() -> Path:
    """The user's cache, or the temporary folder if that cannot be written."""
    try:
        cache = Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache') / 'softshell'
        cache.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # RuntimeError: no home
        return Path(tempfile.gettempdir()) / f'softshell-{os.getuid()}'
    return cache if os.access(cache, os.W_OK) else Path(tempfile.gettempdir()) / 'softshell'
