"""Changes in the state of a trajectory, and the reasons for them."""

from dataclasses import dataclass

from softshell_common.goal_state import GoalState
from softshell_common.reason import Reason, ReasonCode
from softshell_control.controller import Run
from softshell_control.trajectories.trajectory import NOBODY, Identity, Trajectory


@dataclass(frozen=True)
class GoalEvent:
    """A change in the state of one trajectory.

    Args:
        identity: which one.
        state: its state from now on.
        error: largest error when it was decided, in the unit of its channel.
        channel: name of the channel that has it.
        reasons: why it was refused, missed, replaced or stopped.
        on_the_way: whether it was missed before its end.
    """

    identity: Identity = NOBODY
    state: GoalState = GoalState.NONE
    error: float = 0.0
    channel: str = ''
    reasons: tuple[Reason, ...] = ()
    on_the_way: bool = False


def ended(trajectory: Trajectory | Run, state: GoalState, reason: Reason) -> GoalEvent:
    """The event that a trajectory or a run has ended."""
    return GoalEvent(trajectory.identity, state, reasons=(reason,))


def replaced_by(trajectory: Trajectory | Run) -> Reason:
    """The reason for the end of what a trajectory or run replaces."""
    text = f'replaced by a trajectory of {trajectory.identity.sender}'
    return Reason(ReasonCode.REPLACED, text)
