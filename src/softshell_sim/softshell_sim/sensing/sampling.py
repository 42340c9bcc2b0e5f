"""Samples that are taken at a rate and shown after a delay."""

import math
from collections import deque
from typing import Any

from softshell_sim.sensing.sampling_settings import SamplingSettings

#: Times nearer to each other than this are the same [s].
SAME = 1e-9


class SampleQueue:
    """Tells when to sample, and keeps samples until they are shown.

    With a rate r, a sample is taken at the first call at or after each k/r, so that the mean
    rate is r even if r does not fit the period of the calls. The first sample is shown at once,
    without the delay, as there is no other to show.

    Args:
        settings: rate and delay.
    """

    def __init__(self, settings: SamplingSettings) -> None:
        self._rate, self._delay = settings.rate, settings.delay
        self.clear()

    def clear(self) -> None:
        """Forget all samples."""
        self._last = -math.inf
        self._tick = -math.inf
        self._shown: tuple[float, Any] | None = None
        self._waiting: deque[tuple[float, Any]] = deque()

    def due(self, time: float) -> bool:
        """Whether to sample at this time [s], which is never earlier than in the last call."""
        if time - self._last < SAME:
            return False
        return not self._rate or math.floor(time * self._rate + SAME) > self._tick

    def push(self, time: float, sample: Any) -> None:
        """Take a sample of this time [s]; the sample must not change afterwards."""
        self._last = time
        self._tick = math.floor(time * self._rate + SAME)
        if self._shown is None:
            self._shown = time, sample
        else:
            self._waiting.append((time, sample))

    def shown(self, time: float) -> tuple[float, Any]:
        """When the newest sample that is known at a time [s] was taken [s], and the sample."""
        while self._waiting and time - self._waiting[0][0] >= self._delay - SAME:
            self._shown = self._waiting.popleft()
        assert self._shown is not None, 'nothing was sampled yet'
        return self._shown

    def save(self) -> object:
        """Everything, for `restore`."""
        return self._last, self._tick, self._shown, tuple(self._waiting)

    def restore(self, content: Any) -> None:
        """Go on as after `save`."""
        self._last, self._tick, self._shown, waiting = content
        self._waiting = deque(waiting)
