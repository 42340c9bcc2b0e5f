"""The motions that were sent last: one that moves, and one that waits till it has ended."""

from collections.abc import Callable
from contextlib import suppress

from softshell_actions.performing.robot import Moving, PerformError


class Sent:
    """The motions that were sent last; no other moves the robot.

    Attributes:
        last: the one sent last; None if none was.
    """

    def __init__(self) -> None:
        self.last: Moving | None = None
        self._before: Moving | None = None
        #: Announces the sub-action sent last, which may still wait for its turn.
        self._announce: Callable[[], None] | None = None

    def add(self, motion: Moving, announce: Callable[[], None]) -> None:
        """Note that a motion was sent, after the last one had begun.

        Args:
            motion: the motion.
            announce: called when it begins to move.
        """
        self._before, self.last, self._announce = self.last, motion, announce

    async def begun(self) -> None:
        """Return once the motion sent last moves, which is then announced.

        Raises:
            PerformError: it ended before that.
        """
        if self.last is None:
            return
        await self.last.started()
        announce, self._announce = self._announce, None
        if announce is not None:
            announce()

    async def ended(self) -> None:
        """Return once all of them have ended, at their goals or not."""
        for motion in (self._before, self.last):
            if motion is not None:
                with suppress(PerformError):
                    await motion.reached()
