"""The entry point of this package's node."""

from softshell_common.entry import run_node


def sim_bridge() -> int:
    """Run the bridge to the simulation; returns the exit status."""
    return run_node('softshell_sim.ros.sim_bridge')
