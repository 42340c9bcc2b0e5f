"""What was sent to a bridge in this process, and the passing of its time."""

from collections.abc import Generator, Mapping

from softshell_actions.performing.robot import PerformError
from softshell_common.goal_state import GoalState
from softshell_control.bridge import BridgeCore
from softshell_control.controller import Instruction
from softshell_control.trajectory import Identity
from softshell_kinematics.arrays import Array


class Tick:
    """Awaited, it lets one control period pass."""

    def __await__(self) -> Generator[None, None, None]:
        yield


class Sent:
    """What was sent to the bridge, and what the bridge told of it; see `performing.Running`."""

    def __init__(self, core: BridgeCore, identity: Identity, before: 'Sent | None') -> None:
        self._core, self._identity, self._before = core, identity, before
        self.base: Array | None = None
        self.state = GoalState.WAITING
        self.error: PerformError | None = None

    @property
    def over(self) -> bool:
        """Whether it has ended."""
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

    def end(self, error: PerformError) -> None:
        """It failed, or was dropped with the one before, whose error is then the one to tell."""
        before, self._before = self._before, None
        self.error = before.error if before is not None and before.error is not None else error

    def tell(self, references: Mapping[str, float]) -> None:
        """Tell a controller references."""
        self._core.offer(Instruction(self._identity, references))

    def finish(self) -> None:
        """Have a controller come to rest."""
        self._core.offer(Instruction(self._identity, finish=True))
