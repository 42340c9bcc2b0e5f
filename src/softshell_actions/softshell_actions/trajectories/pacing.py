"""From plans to joint trajectories that lead under load and keep to the limits of joints."""

from collections.abc import Mapping

import numpy as np

from softshell_actions.performing.call import LONGEST, Call
from softshell_actions.planning.draft import Plan, PlanError
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

#: Extra factor by which a motion that is too fast is slowed down.
SPARE = 1.02
#: Motions beyond a limit by less than this part of it are left as they are.
TOLERANCE = 1e-6
#: A motion that begins with less than this part of a joint's largest speed can be slowed down.
FAST = 0.5
#: How often a motion is slowed down or shortened before it counts as impossible.
ATTEMPTS = 15
#: After so many equal sub-actions that were slowed down, the next is tried in its own time again.
TRIED_AGAIN = 4
#: If the excess falls with the time of a motion to the power -p: the least p that is assumed, and
#: the largest factor of time in one attempt.
LEAST_HELP, MOST_TIME = 0.03, 1.5


class TooFastError(PlanError):
    """A motion that is too fast for a joint, and cannot be slowed down or has to be refused.

    Args:
        name: of the sub-action.
        peak: where it exceeds a limit most.
    """

    def __init__(self, name: str, peak: Peak) -> None:
        self.peak = peak
        super().__init__(f'{name}: {peak}')


class Pacing:
    """Makes joint trajectories of plans, and slows down what is too fast.

    Args:
        leading: lets commands lead by as much as joints give way.
        limits: that no trajectory exceeds.
        refuses: whether a plan that is too fast is refused, not slowed down.

    Attributes:
        refuses: as above.
    """

    def __init__(self, leading: Leading, limits: JointLimits, refuses: bool = False) -> None:
        self._leading, self._limits, self.refuses = leading, limits, refuses
        self._last: Call | None = None
        self._stretch, self._repeated = 1.0, 0
        self._before: tuple[float, float] | None = None

    @property
    def speeds(self) -> dict[str, float]:
        """Largest speed of each joint by name [rad/s] or [m/s]."""
        return dict(zip(self._limits.joints, self._limits.speed.tolist(), strict=True))

    def usual(self, call: Call) -> float:
        """Stretch to begin with: that of the sub-action before, if that was the same; else 1.

        Now and then a streamed stride (`Call.counts` is false) is tried in its own time again:
        what was too fast while the robot set off may be slow enough later.
        """
        self._repeated += 1
        self._before = None
        if call != self._last or (self._repeated == TRIED_AGAIN and not call.counts):
            self._last, self._stretch, self._repeated = call, 1.0, 0
        return self._stretch

    def as_asked(self) -> float:
        """Begin anew with the time that was asked for; returns the stretch for it, 1."""
        self._stretch, self._before = 1.0, None
        return self._stretch

    def motion(self, plan: Plan, solved: Mapping[str, Array]) -> tuple[Motion, State]:
        """The trajectory of every joint a plan moves, and the state it ends in.

        Args:
            plan: the plan.
            solved: (points,) positions by joint [rad] or [m], for the plan's limbs.
        """
        return joint_motion(plan, solved, self._leading)

    def too_fast(self, call: Call, motion: Motion, attempt: int) -> Peak | None:
        """Where a motion exceeds a limit most; None if it keeps to all limits.

        Args:
            call: the sub-action of the motion.
            motion: the motion.
            attempt: how often it has been slowed down already.

        Raises:
            TooFastError: it is too fast, and cannot be slowed down or has to be refused.
        """
        found = peak(motion, self._limits)
        if found.slowdown <= 1.0 + TOLERANCE:
            return None
        # A motion that more time does not slow down, as where a leg turns over, stays too fast.
        endless = motion.duration * found.slowdown * SPARE > LONGEST
        if self.refuses or attempt == ATTEMPTS or endless:
            raise TooFastError(call.name, found)
        return found

    def slow_down(self, found: Peak) -> float:
        """Factor on the time of a motion that was too fast.

        The part of an acceleration that comes from load passing between feet does not fall with
        time. So from the second attempt on, how much more time helps is estimated from the attempt
        before.
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

    def ends_fast(self, motion: Motion) -> bool:
        """Whether a joint ends a motion at more than `FAST` of its largest speed."""
        fastest = self._limits.of(motion.joints).speed
        return bool((np.abs(motion.velocities[-1]) > FAST * fastest).any())

    def slow_down_before(self, found: Peak) -> float:
        """Stretch of a sub-action after which the next is too fast as long as this one is.

        Args:
            found: where the next exceeds a limit most.
        """
        self._stretch *= min(found.slowdown, MOST_TIME) * SPARE
        self._before = None
        return self._stretch


def joint_limits_of(
    model: RobotModel,
    velocity_scale: float = VELOCITY_SCALE,
    acceleration: float = ACCELERATION,
    linear_acceleration: float = LINEAR_ACCELERATION,
) -> JointLimits:
    """The speeds and accelerations that the safety gate lets through, of joints and channels.

    Args:
        model: the robot.
        velocity_scale: part of the motors' no-load speed that counts.
        acceleration: of revolute joints [rad/s^2].
        linear_acceleration: of prismatic joints [m/s^2].
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
