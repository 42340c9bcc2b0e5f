"""Channels of every kind, and the claim of the safety gate checked step by step."""

import numpy as np

from softshell_control.channel import Channel, Limits
from softshell_control.slew import ROUNDED
from softshell_description.form import ChannelKind

PERIOD = 0.004
INF = float('inf')
#: Of every kind; only joints and lengths move something, and may not jump in rate.
EVERY_KIND = Limits(
    (
        Channel('hip', ChannelKind.POSITION, 'rad', -2.0, 0.0, 2.0, 30.0, 0.05, 0.1),
        Channel('knee', ChannelKind.POSITION, 'rad', -1.0, 1.5, 6.0, 150.0, 0.05),
        Channel('rail', ChannelKind.POSITION, 'm', 0.0, 0.3, 0.5, 15.0, 0.002),
        Channel('tendon', ChannelKind.TENSION, 'N', 2.0, 80.0, 200.0, INF, 1.0),
        Channel('bellows', ChannelKind.PRESSURE, 'kPa', -20.0, 300.0, 900.0, INF, 5.0),
        Channel('winch', ChannelKind.LENGTH, 'm', 0.1, 0.4, 0.25, 2.0, 0.002),
        Channel('clutch', ChannelKind.EFFORT, 'N m', -1.5, 1.5, 30.0, INF, 0.1),
    )
)
COUNT = len(EVERY_KIND.channels)


class Watch:
    """Holds each safe command against the one before it.

    Args:
        limits: that were promised.
        value, rate: (channels,) at the beginning.
    """

    def __init__(self, limits, value, rate=None):
        self.limits = limits
        self.value = np.array(value, dtype=float)
        self.rate = np.zeros_like(self.value) if rate is None else np.array(rate, dtype=float)

    def check(self, value, rate, passed):
        """Finite, in range, no deeper in a margin, no faster and no sharper than time allows.

        Args:
            value, rate: (channels,) the safe command.
            passed: since the one before it [s].
        """
        limits, tiny = self.limits, 1e-9 * np.maximum(1.0, np.abs(self.value))
        assert np.isfinite(value).all()
        assert np.isfinite(rate).all()
        inner = limits.margin
        lowest = np.maximum(np.minimum(limits.lower + inner, self.value), limits.lower)
        highest = np.minimum(np.maximum(limits.upper - inner, self.value), limits.upper)
        assert (value >= np.minimum(lowest, self.value) - tiny).all()
        assert (value <= np.maximum(highest, self.value) + tiny).all()
        assert (np.abs(rate) <= limits.rate * (1.0 + 1e-9)).all()
        assert (np.abs(value - self.value) <= limits.rate * passed + tiny).all()
        change = np.abs(rate - self.rate)
        assert (change <= limits.acceleration * passed * (1.0 + 1e-6) + 1e-9).all()
        self.value, self.rate = value.copy(), rate.copy()


def unrounded(wanted, last, limits):
    """(channels,) wanted values, within the range where they are beyond it by rounding alone.

    Args:
        wanted, last: (channels,) values that are wanted, and of the command before.
        limits: of the channels.
    """
    low = np.maximum(np.minimum(limits.lower + limits.margin, last), limits.lower)
    high = np.minimum(np.maximum(limits.upper - limits.margin, last), limits.upper)
    within = np.clip(wanted, low, high)
    return np.where(np.abs(within - wanted) <= ROUNDED, within, wanted)
