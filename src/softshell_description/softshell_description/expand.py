"""Where the robot's files are, and its URDF expanded from xacro."""

import re
from pathlib import Path

import xacro
from softshell_common.errors import SoftshellError

PACKAGE = 'softshell_description'
_MESH_URI = re.compile(rf'package://{PACKAGE}/(meshes/[^"\']+)')


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
    share = share_directory()
    text = xacro.process_file(str(share / 'urdf' / 'softshell.urdf.xacro')).toxml()
    if resolve_meshes:
        text = _MESH_URI.sub(lambda match: str(share / match[1]), text)
    return text
