"""The entry point of this package's node."""

from softshell_common.entry import run_node


def kinematics() -> int:
    """Run the kinematics node; returns the exit status."""
    return run_node('softshell_kinematics_ros.ros.kinematics_node')
