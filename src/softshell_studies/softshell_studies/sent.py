"""Motions that were sent to a bridge in this process, and how a coroutine waits for them."""

from collections.abc import Generator, Mapping

from softshell_actions.performing.robot import BasePose, PerformError
from softshell_common.goal_state import GoalState
from softshell_control.bridge import BridgeCore
from softshell_control.controller import Instruction
from softshell_control.trajectories.trajectory import Identity


class Tick:
    """An awaitable that returns after one control period."""

    def __await__(self) -> Generator[None, None, None]:
        yield


class Sent:
    """A motion that was sent to the bridge; see `softshell_actions.performing.robot.Running`.

    Args:
        core: the bridge.
        identity: of the motion.
        before: the motion that must reach its goal before this one starts; None: no other.

    Attributes:
        base: where the base was when the motion began; None before.
        state: as the bridge last reported it.
        error: why the motion failed; None if it has not.
    """

    def __init__(self, core: BridgeCore, identity: Identity, before: 'Sent | None') -> None:
        self._core, self._identity, self._before = core, identity, before
        self.base: BasePose | None = None
        self.state = GoalState.WAITING
        self.error: PerformError | None = None

    @property
    def over(self) -> bool:
        """Whether it has reached its goal or failed."""
        return self.state is GoalState.REACHED or self.error is not None

    async def started(self) -> None:
        """Return once it moves."""
        while self.state is GoalState.WAITING and self.error is None:
            await Tick()
        if self.error is not None:
            raise self.error

    async def reached(self) -> None:
        """Return once its goal is reached."""
        while not self.over:
            await Tick()
        if self.error is not None:
            raise self.error

    def reached_state(self, state: GoalState) -> None:
        """Take note of a state that the bridge reports; of a failure, `end` tells as well.

        Once its goal is reached, the motion before it matters no more.
        """
        self.state = state
        if state is GoalState.REACHED:
            self._before = None

    def end(self, error: PerformError) -> None:
        """Take note that it failed.

        If the motion before it failed as well, that error is kept: it is the cause.
        """
        before, self._before = self._before, None
        self.error = before.error if before is not None and before.error is not None else error

    def tell(self, references: Mapping[str, float]) -> None:
        """Give the controller new references."""
        self._core.offer(Instruction(self._identity, references))

    def finish(self) -> None:
        """Ask the controller to come to rest."""
        self._core.offer(Instruction(self._identity, finish=True))
