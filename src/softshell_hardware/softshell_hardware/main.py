"""The entry points of this package's nodes."""

from softshell_common.entry import run_node


def hardware_bridge() -> int:
    """Run the bridge to servos; returns the exit status."""
    return run_node('softshell_hardware.ros.hardware_bridge')


def servo_emulator() -> int:
    """Run emulated servos; returns the exit status."""
    return run_node('softshell_hardware.ros.servo_emulator')
