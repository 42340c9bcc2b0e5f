"""The window shows the world, and its camera follows the robot."""

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_sim.physics.engine import Engine

#: Time between two movements of the camera, and time constant of its lag, both simulated [s].
PERIOD, LAG = 1.0 / 30.0, 0.3


class Following:
    """Moves the window's camera with the robot, smoothed by a low-pass filter.

    The camera is only shifted: a view that was turned or zoomed with the mouse is kept.

    Args:
        engine: whose window it is.
        moves: whether the camera follows the robot.
    """

    def __init__(self, engine: Engine, moves: bool = True) -> None:
        self._engine, self._moves = engine, moves
        self._target = np.zeros(3)
        self._passed = 0.0

    def begin(self, position: Array) -> None:
        """Begin with the camera aimed at the robot, whose base is at a (3,) position [m]."""
        self._target[:] = position
        self._passed = 0.0

    def update(self, position: Array, seconds: float) -> None:
        """Follow the base to its (3,) position [m], `seconds` [s] after the last call.

        If time has passed the window shows what there is, also without a step of physics.
        """
        if seconds > 0.0:
            self._engine.show()
        if not self._moves:
            return
        self._passed += seconds
        if self._passed < PERIOD or not np.isfinite(position).all():
            return
        way = (position - self._target) * (1.0 - np.exp(-self._passed / LAG))
        self._passed = 0.0
        self._target += way
        self._engine.follow(way)
