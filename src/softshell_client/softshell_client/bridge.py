"""What the bridge does, as a type; needs no ROS."""

from dataclasses import dataclass
from enum import IntEnum


class BridgeMode(IntEnum):
    """Modes of the bridge; the constants of `softshell_interfaces/BridgeStatus`."""

    STARTING = 0
    INACTIVE = 1
    HOLDING = 2
    EXECUTING = 3
    FAULT = 4
    EMERGENCY_STOP = 5


@dataclass(frozen=True)
class BridgeState:
    """What the bridge reported last.

    Attributes:
        bridge: what moves: `sim`, `mock` or `hardware`.
        mode: what it does.
        reasons: the fault, and what its safety gate limited since the report before.
        control_period: [s].
        real_time_factor: simulated over wall time, over the last second.
    """

    bridge: str
    mode: BridgeMode
    reasons: tuple[str, ...]
    control_period: float
    real_time_factor: float
