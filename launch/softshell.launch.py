"""The robot's nodes: `ros2 launch softshell_bringup softshell.launch.py bridge:=sim`."""

from softshell_bringup.ros.launch_file import launch_description


def generate_launch_description():
    """The nodes, with the stack's arguments: ROS calls this by its name."""
    return launch_description()
