"""What a bridge is doing, as a type; needs no ROS."""

from enum import IntEnum


class BridgeMode(IntEnum):
    """Modes of a bridge; the constants of `softshell_interfaces/BridgeStatus`."""

    STARTING = 0
    INACTIVE = 1
    HOLDING = 2
    EXECUTING = 3
    FAULT = 4
    EMERGENCY_STOP = 5
