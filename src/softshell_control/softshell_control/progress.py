"""How far channels have come on a trajectory: what was wanted of them, and what was measured."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softshell_control.bridge import BridgeCore
from softshell_kinematics.arrays import Array


@dataclass(frozen=True, eq=False)
class Progress:
    """All channels at the end of a control period.

    Args:
        stamp: the end of the period [ns].
        desired: (channels,) where the trajectory was to be by then, ahead of the safety gate, in
            the unit of each.
        desired_rates: (channels,) likewise [unit/s].
        actual: (channels,) measured values; NaN where one is not known.
        actual_rates: (channels,) measured velocities of joints [rad/s] or [m/s]; NaN where one is
            not known, and of channels that are no joints.
    """

    stamp: int
    desired: Array
    desired_rates: Array
    actual: Array
    actual_rates: Array

    def of(self, channels: NDArray[np.int64]) -> tuple[Array, Array, Array, Array]:
        """Desired values and rates, and actual ones, of some channels, given by their indices."""
        return (
            self.desired[channels],
            self.desired_rates[channels],
            self.actual[channels],
            self.actual_rates[channels],
        )


def progress_of(core: BridgeCore) -> Progress:
    """A copy of what a bridge wants and measures; for the thread that ticks."""
    wanted, measured, joints = core.following.wanted, core.measured, core.limits.joints
    rates = np.full(len(core.channels), np.nan)
    rates[:joints] = np.where(measured.valid[:joints], measured.velocity[:joints], np.nan)
    return Progress(core.now, wanted.value.copy(), wanted.rate.copy(), core.channels.copy(), rates)
