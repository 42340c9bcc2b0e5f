"""Where robots are: each is a folder with a `robot.yaml`, actions, gaits and a demo.

Any package may bring robots: in the folder `robots/` of its share directory, if it registers an
empty resource of the type `softshell_robots` in the ament index.
"""

from pathlib import Path

from softshell_kinematics.errors import SoftshellError, UnknownNameError

PACKAGE = 'softshell_description'
DEFAULT_ROBOT = 'shell'
ROBOT_FILE = 'robot.yaml'
#: Type of the ament resource by which a package says that it has robots.
RESOURCE = 'softshell_robots'


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
        raise SoftshellError(
            f'{PACKAGE} is not installed, and {checkout} holds no urdf/; expected a built and '
            'sourced workspace, or a checkout'
        )
    return checkout


def robot_names() -> list[str]:
    """Names of the installed robots, those of other packages among them.

    Raises:
        SoftshellError: two packages have a robot of the same name.
    """
    return sorted(_installed())


def _installed() -> dict[str, Path]:
    """The folders of the installed robots, by name.

    Raises:
        SoftshellError: two packages have a robot of the same name.
    """
    found: dict[str, Path] = {}
    for folder in (share_directory() / 'config' / 'robots', *_of_packages()):
        for path in sorted(folder.glob(f'*/{ROBOT_FILE}')):
            name = path.parent.name
            if name in found:
                both = f'{found[name]} and {path.parent}'
                raise SoftshellError(f'two robots are called {name!r}: {both}; rename one')
            found[name] = path.parent
    return found


def _of_packages() -> list[Path]:
    """The folders of robots that packages have registered."""
    try:
        from ament_index_python.resources import get_resources

        packages = get_resources(RESOURCE)
    except (ImportError, LookupError, OSError):  # no ROS environment at all
        return []
    return [Path(prefix, 'share', name, 'robots') for name, prefix in sorted(packages.items())]


def robot_folder(robot: str | Path = DEFAULT_ROBOT) -> Path:
    """The folder of a robot that holds the files which a person edits.

    Links that a build with `--symlink-install` made are followed to the source folder.

    Args:
        robot: name of an installed robot, or path of a folder that holds a `robot.yaml`.

    Raises:
        SoftshellError: the path holds no `robot.yaml`, its `~` is no user's folder, or two
            packages have a robot of one name.
        UnknownNameError: no robot of this name is installed.
    """
    if isinstance(robot, Path) or '/' in robot:
        try:
            folder = Path(robot).expanduser()
        except RuntimeError:  # a ~ without a home
            text = f"robot {str(robot)!r}: expected a path, or ~ for a user's folder"
            raise SoftshellError(text) from None
        if not (folder / ROBOT_FILE).is_file():
            raise SoftshellError(f'robot {str(robot)!r}: no file {folder / ROBOT_FILE}')
        return folder.resolve()
    installed = _installed()
    if robot not in installed:
        raise UnknownNameError('robot', robot, sorted(installed))
    return (installed[robot] / ROBOT_FILE).resolve().parent
