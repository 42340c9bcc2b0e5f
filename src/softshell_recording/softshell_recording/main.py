"""The entry point of this package's node."""

from softshell_common.entry import run_node


def black_box() -> int:
    """Run the black box; returns the exit status."""
    return run_node('softshell_recording.ros.black_box')
