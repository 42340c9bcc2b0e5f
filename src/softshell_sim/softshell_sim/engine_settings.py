"""What a physics engine is started with."""

from dataclasses import dataclass


@dataclass(frozen=True)
class EngineSettings:
    """What an engine is started with.

    Args:
        time_step: that one step lets pass at first [s].
        gravity: along −z at first [m/s^2].
        window: show the world in a window.
    """

    time_step: float
    gravity: float
    window: bool
