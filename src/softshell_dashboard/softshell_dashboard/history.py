"""The numbers that are plotted, over the last minute."""

import math
from collections import deque
from collections.abc import Mapping
from typing import Any

#: Time between two samples, and time for which they are kept [s].
PERIOD, LENGTH = 0.2, 60.0


class History:
    """Samples of named numbers, at a steady rate."""

    def __init__(self) -> None:
        self._rows: deque[tuple[float, dict[str, float]]] = deque(maxlen=round(LENGTH / PERIOD))
        self._next = -math.inf

    def is_due(self, now: float) -> bool:
        """Whether it is time for the next sample."""
        return now >= self._next

    def add(self, values: Mapping[str, float | None], now: float) -> None:
        """Add a sample.

        Args:
            values: by name; what is None or not finite is left out.
            now: time of a clock that never runs backwards [s].
        """
        self._next = max(self._next + PERIOD, now + 0.5 * PERIOD)
        known = {
            name: float(value)
            for name, value in values.items()
            if value is not None and math.isfinite(value)
        }
        self._rows.append((now, known))

    def since(self, time: float) -> list[dict[str, Any]]:
        """Samples that are later than a time, oldest first, for JSON."""
        return [
            {'time': when, **{name: float(f'{value:.5g}') for name, value in row.items()}}
            for when, row in self._rows
            if when > time
        ]

    @property
    def newest(self) -> float:
        """Time of the newest sample; minus infinity before the first."""
        return self._rows[-1][0] if self._rows else -math.inf
