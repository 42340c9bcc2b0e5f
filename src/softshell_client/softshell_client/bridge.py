"""What the bridge reports, as a type; needs no ROS."""

from dataclasses import dataclass

from softshell_common.bridge_mode import BridgeMode
from softshell_common.reason import ReasonCode


@dataclass(frozen=True)
class BridgeState:
    """What the bridge reported last.

    Attributes:
        bridge: its kind: `sim`, `mock` or `hardware`.
        mode: its mode.
        reasons: in words: why it does not drive, what its safety gate limited since the report
            before, and warnings.
        codes: the kind of each reason.
        control_period: time between two control ticks [s].
        real_time_factor: simulated over wall time, over the last second.
    """

    bridge: str
    mode: BridgeMode
    reasons: tuple[str, ...]
    codes: tuple[ReasonCode, ...]
    control_period: float
    real_time_factor: float
