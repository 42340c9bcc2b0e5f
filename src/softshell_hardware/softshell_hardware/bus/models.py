"""What sets the models of a family apart: torque, current, speed.

Source: ROBOTIS e-Manual, specifications (stall torque and current, and speed without load, at
12.0 V) and control tables of each model.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Model:
    """A model of servo.

    Attributes:
        name: as the maker calls it.
        stall_torque: at 12 V [N m].
        stall_current: at 12 V [A].
        fastest: speed without load at 12 V [rad/s].
        velocity_limit: as shipped, in units of the register; 0: there is no such register.
        current_limit: as shipped, which is the most there is, in units of the register; 0: it
            does not measure its current, and shows the part of its torque instead.
        voltages: lowest and highest that it can be set to bear, in units of the register.
    """

    name: str
    stall_torque: float
    stall_current: float
    fastest: float
    velocity_limit: int = 0
    current_limit: int = 0
    voltages: tuple[int, int] = (95, 160)

    @property
    def torque_constant(self) -> float:
        """Torque for each ampere [N m/A]."""
        return self.stall_torque / self.stall_current


#: A turn a minute [rad/s].
RPM = math.tau / 60.0
#: By model number.
AX_MODELS = {
    12: Model('AX-12A', 1.5, 1.5, 59.0 * RPM),
    18: Model('AX-18A', 1.8, 2.2, 97.0 * RPM),
    300: Model('AX-12W', 0.2, 1.4, 470.0 * RPM),
}
X_MODELS = {
    1030: Model('XM430-W210', 3.0, 2.3, 77.0 * RPM, 330, 1193),
    1020: Model('XM430-W350', 4.1, 2.3, 46.0 * RPM, 200, 1193),
    1060: Model('XL430-W250', 1.5, 1.4, 61.0 * RPM, 265, voltages=(60, 140)),
    1120: Model('XM540-W270', 10.6, 4.4, 30.0 * RPM, 128, 2047),
}
