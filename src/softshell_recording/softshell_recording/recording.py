"""A run as arrays over time; needs no ROS."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import angles_from_rotation, rotation_from_quaternion

#: Samples are missing where two are further apart than so many times the median, and than this
#: [s]: several publishers of joint states may send theirs shortly after one another.
MISSING, SHORTEST_GAP = 5.0, 0.1


def missing(times: Array) -> NDArray[np.bool_]:
    """Whether samples are missing between each sample and the next one.

    Args:
        times: (samples,) increasing [s].

    Returns:
        (samples - 1,); none for less than two samples.
    """
    steps = np.diff(times)
    if not len(steps):
        return np.zeros(0, dtype=np.bool_)
    gaps: NDArray[np.bool_] = steps > max(MISSING * np.median(steps), SHORTEST_GAP)
    return gaps


@dataclass(frozen=True, eq=False)
class BasePath:
    """Where the base was.

    Args:
        positions: (samples, 3) of the base in odom [m].
        orientations: (samples, 4) of the base in odom, quaternion x y z w.
    """

    positions: Array
    orientations: Array

    @cached_property
    def rotations(self) -> Array:
        """(samples, 3, 3) of the base in odom."""
        return rotation_from_quaternion(self.orientations)

    @cached_property
    def yaw(self) -> Array:
        """(samples,) heading [rad], without jumps."""
        return np.unwrap(angles_from_rotation(self.rotations)[:, 0])

    @cached_property
    def tilt(self) -> Array:
        """(samples,) angle between the base's z axis and the vertical [rad]."""
        return np.arccos(np.clip(self.rotations[:, 2, 2], -1.0, 1.0))


@dataclass(frozen=True, eq=False)
class BodyPath:
    """Where a body of the simulated world was that is no part of the robot.

    Args:
        times: (samples,) [s] on the ROS clock, increasing.
        poses: (samples, 4, 4) of the body in odom.
    """

    times: Array
    poses: Array

    def at(self, time: float) -> Array:
        """(4, 4) latest pose at a time [s]; before the first pose, the first."""
        sample: Array = self.poses[max(0, int(np.searchsorted(self.times, time, 'right')) - 1)]
        return sample


@dataclass(frozen=True, eq=False)
class Recording:
    """A run.

    Args:
        times: (samples,) [s] on the ROS clock, increasing.
        joint_names: in the order of the columns of `joints`.
        joints: (samples, joints) measured positions [rad] or [m].
        commands: (samples, joints) commanded positions, NaN where nothing is commanded.
        base: where the base was; None if there was no odometry.
        bodies: where the bodies of the world were, by name; none without a simulation.
    """

    times: Array
    joint_names: tuple[str, ...]
    joints: Array
    commands: Array
    base: BasePath | None = None
    bodies: Mapping[str, BodyPath] = field(default_factory=dict)

    @cached_property
    def errors(self) -> Array:
        """(samples, joints) measured minus commanded positions, NaN where nothing is commanded."""
        return self.joints - self.commands

    def at(self, time: float) -> int:
        """Index of the last sample that is not after a time [s]; 0 if all are."""
        return max(0, int(np.searchsorted(self.times, time, side='right')) - 1)

    def columns(self, names: tuple[str, ...]) -> list[int]:
        """Columns of the joints of these `names`.

        Raises:
            KeyError: a joint was not recorded.
        """
        places = {name: index for index, name in enumerate(self.joint_names)}
        return [places[name] for name in names]


@dataclass(frozen=True)
class StepRun:
    """When a step of a scenario ran: from `start` to `end` [s] on the ROS clock."""

    action: str
    start: float
    end: float


@dataclass(frozen=True, eq=False)
class Run:
    """A scenario as it was performed.

    Args:
        recording: what was measured and commanded meanwhile.
        steps: those that were performed, in order; the last one may have failed.
        wall: [s] from the beginning of the first step to the end of the last.
        first_motion: [s, wall] from the start of the stack to the first motion; None: nothing
            moved.
        failure: why it ended early; empty if it did not.
    """

    recording: Recording
    steps: tuple[StepRun, ...]
    wall: float
    first_motion: float | None
    failure: str = ''
