"""What a physics engine is started with."""

from dataclasses import dataclass


@dataclass(frozen=True)
class EngineSettings:
    """What an engine is started with.

    Args:
        time_step: duration of a step at the start [s].
        gravity: along −z at the start [m/s^2].
        window: whether to show the world in a window.
    """

    time_step: float
    gravity: float
    window: bool
