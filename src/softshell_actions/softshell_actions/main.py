"""The entry point of this package's node."""

from softshell_common.entry import run_node


def action_manager() -> int:
    """Run the action manager; returns the exit status."""
    return run_node('softshell_actions.ros.manager_node')
