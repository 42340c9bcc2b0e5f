"""Where robots are: each is a folder with a `robot.yaml`, actions, gaits and a demo."""

from pathlib import Path

from softshell_kinematics.errors import SoftshellError, UnknownNameError

PACKAGE = 'softshell_description'
DEFAULT_ROBOT = 'shell'
ROBOT_FILE = 'robot.yaml'


def share_directory() -> Path:
    """The folder with `urdf/` and `config/`: the installed share, or the plain checkout.

    Raises:
        SoftshellError: neither exists.
    """
    try:
        from ament_index_python.packages import get_package_share_directory

        return Path(get_package_share_directory(PACKAGE))
    except (ImportError, LookupError, OSError):  # OSError: no ROS environment at all
        checkout = Path(__file__).resolve().parents[3]
    if not (checkout / 'urdf').is_dir():
        raise SoftshellError(f'{PACKAGE} is not installed, and {checkout} holds no urdf/')
    return checkout


def robot_names() -> list[str]:
    """Names of the installed robots."""
    folder = share_directory() / 'config' / 'robots'
    return sorted(path.parent.name for path in folder.glob(f'*/{ROBOT_FILE}'))


def robot_folder(robot: str | Path = DEFAULT_ROBOT) -> Path:
    """The folder of a robot: that of the files which a person edits.

    A build with `--symlink-install` makes links to them; then the folder is where these lead.

    Args:
        robot: name of an installed robot, or path of a folder that holds a `robot.yaml`.

    Raises:
        SoftshellError: the path holds no `robot.yaml`.
        UnknownNameError: no robot of this name is installed.
    """
    if isinstance(robot, Path) or '/' in robot:
        folder = Path(robot).expanduser()
        if not (folder / ROBOT_FILE).is_file():
            raise SoftshellError(f'robot {str(robot)!r}: no file {folder / ROBOT_FILE}')
        return folder.resolve()
    if robot not in robot_names():
        raise UnknownNameError('robot', robot, robot_names())
    installed = share_directory() / 'config' / 'robots' / robot
    return (installed / ROBOT_FILE).resolve().parent
