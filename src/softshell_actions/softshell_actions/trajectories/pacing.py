"""From plans to joint trajectories that lead under load and are no faster than joints may go."""

from collections.abc import Mapping

import numpy as np

from softshell_actions.performing.call import Call
from softshell_actions.planning.draft import LONGEST, Plan, PlanError
from softshell_actions.state import State
from softshell_actions.trajectories.joint_limits import JointLimits, Peak, peak
from softshell_actions.trajectories.leading import Leading
from softshell_actions.trajectories.motion import Motion, joint_motion
from softshell_description.command_rates import (
    ACCELERATION,
    LINEAR_ACCELERATION,
    VELOCITY_SCALE,
)
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array

#: A motion that is too fast is slowed down by so much more than it takes.
SPARE = 1.02
#: Motions beyond a limit by less than this part of it are left as they are.
TOLERANCE = 1e-6
#: How often a motion is slowed down or shortened before it counts as impossible.
ATTEMPTS = 15
#: After so many sub-actions that were slowed down alike the next is tried in its own time again.
TRIED_AGAIN = 4
#: The least power of its time by which a motion counts as becoming slower, and the most time
#: that this gives it at once.
LEAST_HELP, MOST_TIME = 0.03, 1.5


class Pacing:
    """Makes joint trajectories of plans, and slows down what is too fast.

    Args:
        leading: lets joints lead by what they give way.
        limits: that no trajectory exceeds.
        refuses: whether what is too fast is refused.
    """

    def __init__(self, leading: Leading, limits: JointLimits, refuses: bool = False) -> None:
        self._leading, self._limits, self._refuses = leading, limits, refuses
        self._last: Call | None = None
        self._stretch, self._repeated = 1.0, 0
        self._before: tuple[float, float] | None = None

    @property
    def speeds(self) -> dict[str, float]:
        """Largest speed of each joint by name [rad/s] or [m/s]."""
        return dict(zip(self._limits.joints, self._limits.speed.tolist(), strict=True))

    def usual(self, call: Call) -> float:
        """So many times its time a sub-action took the last time, if it was the one before.

        Now and then one that nobody counts is tried in its own time again: what was too fast while
        the robot set off need not be so for ever.
        """
        self._repeated += 1
        self._before = None
        if call != self._last or (self._repeated == TRIED_AGAIN and not call.counts):
            self._last, self._stretch, self._repeated = call, 1.0, 0
        return self._stretch

    def as_asked(self) -> float:
        """Begin anew with the time that was asked for: 1 times that."""
        self._stretch, self._before = 1.0, None
        return self._stretch

    def motion(self, plan: Plan, solved: Mapping[str, Array]) -> tuple[Motion, State]:
        """The trajectory of every joint a plan moves, and the state it ends in.

        Args:
            plan: the plan.
            solved: (points,) positions by joint [rad], for the plan's limbs.
        """
        return joint_motion(plan, solved, self._leading)

    def too_fast(self, call: Call, motion: Motion, attempt: int) -> Peak | None:
        """Where a motion is too fast, relative to the limit; None if it is not.

        Args:
            call: the sub-action that it is of.
            motion: the motion.
            attempt: how often it has been slowed down already.

        Raises:
            PlanError: it is too fast and cannot be slowed down, or such are refused.
        """
        found = peak(motion, self._limits)
        if found.slowdown <= 1.0 + TOLERANCE:
            return None
        # What is no slower in more time, as where a leg turns over, is never slow enough.
        endless = motion.duration * found.slowdown * SPARE > LONGEST
        if self._refuses or attempt == ATTEMPTS or endless:
            raise PlanError(f'{call.name}: {found}')
        return found

    def slow_down(self, found: Peak) -> float:
        """So many times as long a motion has to take for one that was too fast.

        What a load that is passed on takes of an acceleration does not become less in more time:
        the second attempt and those after it see from the one before how much more time helps.
        """
        helps = 1.0
        if self._before is not None:
            stretch, slowdown = self._before
            less = np.log(slowdown / found.slowdown) / np.log(self._stretch / stretch)
            helps = float(np.clip(less, LEAST_HELP, 1.0))
        self._before = self._stretch, found.slowdown
        more: float = min(found.slowdown ** (1.0 / helps), max(found.slowdown, MOST_TIME))
        factor = more * SPARE
        self._stretch *= factor
        return factor


def joint_limits_of(
    model: RobotModel,
    velocity_scale: float = VELOCITY_SCALE,
    acceleration: float = ACCELERATION,
    linear_acceleration: float = LINEAR_ACCELERATION,
) -> JointLimits:
    """The speeds and accelerations that the safety gate lets through, of joints and channels.

    Args:
        model: the robot.
        velocity_scale: part of the motors' no-load speed.
        acceleration: of joints that turn [rad/s^2].
        linear_acceleration: of joints that slide [m/s^2].
    """
    joints, others = model.joints, model.channels
    hardest = [linear_acceleration if joint.unit == 'm' else acceleration for joint in joints]
    return JointLimits(
        (*(joint.name for joint in joints), *others),
        (*(joint.unit for joint in joints), *(spec.unit for spec in others.values())),
        np.array(
            [joint.velocity * velocity_scale for joint in joints]
            + [spec.rate for spec in others.values()]
        ),
        np.array(hardest + [spec.acceleration or np.inf for spec in others.values()]),
    )
