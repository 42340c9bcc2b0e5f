"""The entry point of this package's node."""

from softshell_common.entry import run_node


def keyboard() -> int:
    """Run the keyboard interface in this terminal; returns the exit status."""
    return run_node('softshell_teleop.ros.keyboard_node')
