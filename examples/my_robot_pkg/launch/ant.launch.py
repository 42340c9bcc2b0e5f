"""The whole stack with this robot: `ros2 launch my_robot_pkg ant.launch.py bridge:=sim`."""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch.actions import IncludeLaunchDescription

from launch import LaunchDescription


def generate_launch_description():
    """Softshell's launch file with this robot; arguments of the command line are passed on."""
    stack = Path(get_package_share_directory('softshell_bringup'), 'launch')
    included = str(stack / 'softshell.launch.py')
    return LaunchDescription(
        [IncludeLaunchDescription(included, launch_arguments={'robot': 'ant'}.items())]
    )
