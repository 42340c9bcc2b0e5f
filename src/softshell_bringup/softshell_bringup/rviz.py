"""The RViz layout for a robot: that of `launch/`, with the robot's frames."""

import os
from pathlib import Path

import yaml

from softshell_common.frames import ODOM
from softshell_kinematics.errors import SoftshellError

LAYOUT = 'softshell.rviz'


def write_layout(robot: str, base_is_measured: bool) -> Path:
    """Write the layout for a robot to a file in ROS's folder of this user.

    The fixed frame is odom, or the robot's root link if nothing measures the base. The view
    follows the robot.

    Args:
        robot: name of an installed robot, or path of its folder.
        base_is_measured: whether there are transforms from odom.

    Returns:
        Path of the file; the same for the same frames.

    Raises:
        SoftshellError: the robot cannot be read, or the file cannot be written, e.g. as there is
            no home.
    """
    from softshell_description.load import load_robot

    model = load_robot(robot)
    fixed = ODOM if base_is_measured else model.urdf.root
    followed = model.base.footprint if model.legs is not None else model.base.link
    path = ros_home() / 'softshell' / f'{fixed}-{followed}.rviz'
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(layout(fixed, followed), encoding='utf-8')
    except OSError as error:
        raise SoftshellError(f'RViz layout {path}: cannot be written: {error.strerror}') from None
    return path


def layout(fixed: str, followed: str) -> str:
    """The shipped layout with other frames, as YAML.

    Args:
        fixed: RViz's fixed frame.
        followed: the frame that the view follows.
    """
    from ament_index_python.packages import get_package_share_directory

    shipped = Path(get_package_share_directory('softshell_bringup')) / 'launch' / LAYOUT
    content = yaml.safe_load(shipped.read_text(encoding='utf-8'))
    manager = content['Visualization Manager']
    manager['Global Options']['Fixed Frame'] = fixed
    manager['Views']['Current']['Target Frame'] = followed
    text: str = yaml.safe_dump(content, sort_keys=False)
    return text


def ros_home() -> Path:
    """The folder in which ROS keeps files of this user.

    Raises:
        SoftshellError: this user has no home.
    """
    try:
        return Path(os.environ.get('ROS_HOME') or Path.home() / '.ros')
    except RuntimeError:
        raise SoftshellError('this user has no home; expected HOME or ROS_HOME') from None
