"""How far channels are off what was wanted of them, and what to say of it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softshell_common.reason import Reason, ReasonCode
from softshell_control.channel import Channel
from softshell_kinematics.arrays import Array


class Deviation(NamedTuple):
    """How far one channel is off.

    Args:
        error: in the unit of the channel; NaN if it was not measured.
        allowed: the largest error that is allowed.
        channel: which one.
    """

    error: float
    allowed: float
    channel: Channel

    @property
    def too_far(self) -> bool:
        """Whether it is farther off than allowed, or not measured."""
        return not self.error <= self.allowed

    def why(self, what: str, when: str = '') -> Reason:
        """The reason for missing a trajectory, e.g. of `left its path`."""
        name, unit = self.channel.name, self.channel.unit
        if not np.isfinite(self.error):
            return Reason(ReasonCode.NOT_MEASURED, f'{name} is not measured')
        return Reason(
            ReasonCode.TOLERANCE,
            f'{name} {what} by {self.error:.4g} {unit}{when}; '
            f'expected at most {self.allowed:.4g} {unit}',
        )


def worst_deviation(
    channels: Sequence[Channel], columns: NDArray[np.int64], errors: Array, tolerance: Array
) -> Deviation:
    """The deviation of the channel that is farthest off for its tolerance.

    Args:
        channels: of the robot.
        columns: (n,) indices of those that are looked at, at least one.
        errors: (n,) measured minus wanted, in the unit of each; NaN is the farthest.
        tolerance: (n,) the largest allowed errors.
    """
    sizes = np.abs(errors)
    worst = int(np.argmax(sizes / tolerance))
    return Deviation(float(sizes[worst]), float(tolerance[worst]), channels[columns[worst]])
