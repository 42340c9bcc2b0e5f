"""Joint trajectories from plans and the solutions of their inverse kinematics."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from softshell_actions.draft import Plan
from softshell_kinematics.arrays import Array


@dataclass(frozen=True)
class Motion:
    """A joint trajectory.

    Args:
        joints: names.
        times: (points,) [s] from the start.
        positions: (points, joints) [rad].
        velocities: (points, joints) [rad/s].
    """

    joints: tuple[str, ...]
    times: Array
    positions: Array
    velocities: Array

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return float(self.times[-1])

    @property
    def end(self) -> dict[str, float]:
        """Joint positions at the end by name [rad]."""
        return dict(zip(self.joints, self.positions[-1].tolist(), strict=True))


def joint_motion(plan: Plan, solved: Mapping[str, Array]) -> Motion:
    """The trajectory of every joint a plan moves.

    Velocities are those of the cubic spline through the positions (not-a-knot), which is what the
    bridge's Hermite interpolation then follows.

    Args:
        plan: the plan.
        solved: (points,) positions by joint [rad], for the plan's limbs.
    """
    paths = {**plan.joints, **solved}
    positions = np.column_stack(list(paths.values()))
    velocities = CubicSpline(plan.times, positions).derivative()(plan.times)
    return Motion(tuple(paths), plan.times, positions, velocities)
