"""The entry point of this package's node."""

from softshell_common.entry import run_node


def mock_bridge() -> int:
    """Run the bridge without physics; returns the exit status."""
    return run_node('softshell_control.ros.mock_bridge')
