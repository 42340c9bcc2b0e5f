"""The entry point of this package's node."""

from softshell_common.entry import run_node


def policy() -> int:
    """Run the policy node; returns the exit status."""
    return run_node('softshell_studies.ros.policy_node')
