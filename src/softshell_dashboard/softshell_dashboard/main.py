"""The entry point of this package's node."""

from softshell_common.entry import run_node


def dashboard() -> int:
    """Run the dashboard node; returns the exit status."""
    return run_node('softshell_dashboard.ros.dashboard_node')
