"""`cmd_vel` while the robot is a ball: a run of its controller that is told each velocity."""

import math
from collections.abc import AsyncIterator, Callable

from softshell_actions.facts import BALL
from softshell_actions.performing.call import Call, controller_call
from softshell_actions.performing.performer import Performer
from softshell_kinematics.arrays import Array


class Rolled:
    """Follows velocities by a controller while the robot is a ball.

    Args:
        performer: knows the state and runs the controller.
        controller: its name; takes the references `speed`, `direction`, `turn` and `timeout`.
        timeout: without a velocity for so long the robot comes to rest [s].
        fastest: largest speed [m/s].
        sharpest: largest rate of turn [rad/s].
    """

    def __init__(
        self,
        performer: Performer,
        controller: str,
        timeout: float,
        fastest: float = 0.9,
        sharpest: float = 3.0,
    ) -> None:
        self._performer, self._controller, self._timeout = performer, controller, timeout
        self._fastest, self._sharpest = fastest, sharpest
        self._follows = False

    async def is_ball(self) -> bool:
        """Whether the robot is a ball now."""
        return BALL in await self._performer.facts()

    def foreseen(self) -> bool:
        """Whether it may be a ball at the end of the motion sent last: true unless known not."""
        return self._performer.foresees(BALL) is not False

    def tell(self, velocity: Array) -> None:
        """Give the controller that runs, if any, a velocity (3,) x, y [m/s], yaw [rad/s]."""
        if self._follows and self._performer.running is not None:
            self._performer.running.tell(self._references(velocity))

    async def calls(self, commanded: Callable[[], Array]) -> AsyncIterator[Call]:
        """Runs of the controller, one after another, while the commanded speed is not 0."""
        self._follows = True
        try:
            while (references := self._references(commanded()))['speed'] > 0.0:
                yield controller_call(self._controller, {**references, 'timeout': self._timeout})
        finally:
            self._follows = False

    def _references(self, velocity: Array) -> dict[str, float]:
        x, y, yaw = velocity.tolist()
        references = {
            'speed': min(math.hypot(x, y), self._fastest),
            'turn': min(max(yaw, -self._sharpest), self._sharpest),
        }
        return {**references, 'direction': math.atan2(y, x)} if x or y else references
