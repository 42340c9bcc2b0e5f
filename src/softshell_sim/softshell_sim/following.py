"""The window's camera goes along with the robot."""

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_sim.engine import Engine

#: Time between two movements of the camera, and the one it lags behind by, in simulated time [s].
PERIOD, LAG = 1.0 / 30.0, 0.3


class Following:
    """Moves the window's camera as the robot goes, without its wobble.

    Whoever turns, zooms or shifts the picture with the mouse keeps what they see.

    Args:
        engine: whose window.
        moves: whether it goes along at all.
    """

    def __init__(self, engine: Engine, moves: bool = True) -> None:
        self._engine, self._moves = engine, moves
        self._target = np.zeros(3)
        self._passed = 0.0

    def begin(self, position: Array) -> None:
        """The camera looks at the robot, whose base is at a (3,) position [m]."""
        self._target[:] = position
        self._passed = 0.0

    def update(self, position: Array, seconds: float) -> None:
        """Go along to where the base is now, (3,) [m], so long [s] after the last call."""
        if not self._moves:
            return
        self._passed += seconds
        if self._passed < PERIOD or not np.isfinite(position).all():
            return
        way = (position - self._target) * (1.0 - np.exp(-self._passed / LAG))
        self._passed = 0.0
        self._target += way
        self._engine.follow(way)
