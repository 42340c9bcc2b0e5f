"""What the bridge reports, as a type; needs no ROS."""

from dataclasses import dataclass

from softshell_common.bridge_mode import BridgeMode


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
