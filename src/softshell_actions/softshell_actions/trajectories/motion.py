"""Joint trajectories from plans and the solutions of their inverse kinematics."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from softshell_actions.planning.draft import Plan
from softshell_actions.state import State
from softshell_actions.trajectories.leading import Leading
from softshell_actions.trajectories.load import derivative
from softshell_kinematics.arrays import Array


@dataclass(frozen=True)
class Motion:
    """A joint trajectory.

    Args:
        joints: names.
        times: (points,) [s] from the start.
        positions: (points, joints) that are commanded [rad] or [m].
        velocities: (points, joints) [rad/s] or [m/s].
        on_feet: whether the robot stands or walks meanwhile.
    """

    joints: tuple[str, ...]
    times: Array
    positions: Array
    velocities: Array
    on_feet: bool = False

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return float(self.times[-1])


def joint_motion(
    plan: Plan, solved: Mapping[str, Array], leading: Leading
) -> tuple[Motion, State]:
    """The trajectory of every joint a plan moves, and the state it ends in.

    Velocities are the sum of those of two cubic splines: one through the planned positions
    (not-a-knot), one through the leads (slope 0 at both ends, so that motions follow each other
    smoothly). The bridge's Hermite interpolation then follows these splines.

    Args:
        plan: the plan.
        solved: (points,) positions by joint [rad] or [m], for the plan's limbs.
        leading: lets commands lead by as much as joints give way.
    """
    paths = {**plan.joints, **solved}
    commanded = leading.commanded(plan, paths)
    positions = np.column_stack(list(commanded.values()))
    ways = np.column_stack(list(paths.values()))
    period = float(plan.times[1])
    level = derivative(positions - ways, period, ends='clamped')
    velocities = derivative(ways, period) + level
    ends = {name: float(path[-1]) for name, path in paths.items()}
    lead = {name: float(commanded[name][-1]) - end for name, end in ends.items()}
    motion = Motion(tuple(paths), plan.times, positions, velocities)
    return motion, plan.end.with_joints(ends, lead)
