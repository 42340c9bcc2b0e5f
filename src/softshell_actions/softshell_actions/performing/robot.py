"""What the performer needs of a robot: it solves, moves and reports, on hardware or simulated."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from softshell_actions.planning.reach import Question, Solution
from softshell_actions.state import State
from softshell_actions.trajectories.motion import Motion
from softshell_common.outcome import Status
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError


class PerformError(SoftshellError):
    """A sub-action that could not be performed.

    Args:
        status: why.
        message: names the thing, the value and what was expected.
    """

    def __init__(self, status: Status, message: str) -> None:
        self.status = status
        super().__init__(message)


@dataclass(frozen=True)
class BasePose:
    """Where a base or its footprint is in odom.

    Args:
        pose: (3,) x, y [m], yaw [rad].
        deviation: (3,) their standard deviations; 0 of ground truth.
    """

    pose: Array
    deviation: Array


class Moving(Protocol):
    """A motion that was sent. Both methods raise the PerformError with which it ended, if any."""

    async def started(self) -> None:
        """Return once it moves."""

    async def reached(self) -> None:
        """Return once its goal is reached."""

    @property
    def over(self) -> bool:
        """Whether it has ended."""

    @property
    def base(self) -> BasePose | None:
        """Where the base was when it began; None if that is unknown."""


class Running(Moving, Protocol):
    """A run of a controller."""

    def tell(self, references: Mapping[str, float]) -> None:
        """Give it new references, by name."""

    def finish(self) -> None:
        """Have it come to rest; its goal is then reached."""


class Robot(Protocol):
    """What the performer needs of a robot."""

    async def solve(self, question: Question) -> Solution:
        """Joint paths (points,) [rad] by joint, for tip goals (points, 6) by chain."""

    async def measure(self) -> State:
        """The state of the robot at rest."""

    async def tilt(self) -> float:
        """Angle between the base's z axis and the vertical [rad]; 0 if nothing measures it.

        Raises a PerformError if it cannot be measured now.
        """

    async def holds(self) -> bool | None:
        """Whether its soft manipulators hold an object; None if nothing measures it."""

    async def driven(self) -> None:
        """Return if its joints follow commands; raise a PerformError that says why not."""

    def disturbed(self) -> bool:
        """Whether anything but what was sent may have moved it since this was last asked."""

    def send(self, motion: Motion, queue: bool) -> Moving:
        """Start a motion now, or when the one before it is reached."""

    def run(self, controller: str, references: Mapping[str, float], queue: bool) -> Running:
        """Begin a run of a controller now, or when the motion before it is reached."""

    async def sleep(self, duration: float) -> None:
        """Let time pass on the robot's clock [s]."""

    def adapted(self, remark: str) -> None:
        """Take note that a sub-action is shorter or slower than asked for, and why."""

    def late(self, name: str) -> None:
        """Take note that a sub-action was sent only after the one before it had ended."""
