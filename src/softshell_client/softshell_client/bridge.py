"""What the bridge reports, as a type; needs no ROS."""

from dataclasses import dataclass

from softshell_common.bridge_mode import BridgeMode
from softshell_common.reason import ReasonCode


@dataclass(frozen=True)
class BridgeState:
    """What the bridge reported last.

    Attributes:
        bridge: what moves: `sim`, `mock` or `hardware`.
        mode: what it does.
        reasons: why it does not drive, what its safety gate limited since the report before, and
            what it warns of.
        codes: the kind of each reason.
        control_period: [s].
        real_time_factor: simulated over wall time, over the last second.
    """

    bridge: str
    mode: BridgeMode
    reasons: tuple[str, ...]
    codes: tuple[ReasonCode, ...]
    control_period: float
    real_time_factor: float
