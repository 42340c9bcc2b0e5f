"""Keeps a walking robot on its course: strides make up for slip and pushes.

How far a stride slipped is known once the base is measured at the start of a later one. It is
compared with the first stride that began in motion, not with one at rest: a moving base is always
ahead of its plan by the same small distance, which is no error.

The next stride makes up for the error at a changed velocity. As a velocity is gained and lost at
constant acceleration, a change by d for one stride of time T takes the robot d T further, half of
it in this stride and half in the one after.

How far the last strides of a command slipped is known when the next command begins, at rest; the
strides of that one make up for it. An estimate of the base errs by as much as a robot slips, and
its error is none to make up for: what the strides take over is the more probable part, as a Kalman
filter weighs it, with the standard deviation of what the estimate lost since the command began.
"""

from collections import deque
from dataclasses import dataclass, replace

import numpy as np

from softshell_actions.curves import footprint
from softshell_actions.performing.call import Call
from softshell_actions.performing.robot import BasePose, Moving
from softshell_actions.planning.preparing import Prepared
from softshell_actions.state import State
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import angles_from_rotation

#: Smaller errors are ignored [m], [m], [rad].
NOTED = np.array([5e-4, 5e-4, 5e-4])
#: The largest change of a velocity [m/s], [m/s], [rad/s].
MOST = np.array([0.03, 0.03, 0.1])
#: A robot that is further off than this was carried or blocked [m], [m], [rad]: it walks on from
#: where it is.
LOST = np.array([0.15, 0.15, 0.5])
#: Largest error that one command leaves to the next; a robot that is further off was moved by
#: something else in between [m], [m], [rad].
CARRIED = np.array([0.02, 0.02, 0.03])
#: Standard deviation of the error that a command leaves [m], [m], [rad].
LEFT = np.array([0.004, 0.004, 0.01])
#: Number of sub-actions that are remembered; at any time one moves and one waits.
REMEMBERED = 4


@dataclass(frozen=True)
class Stage:
    """A sub-action that was sent; poses are (3,) x, y [m], yaw [rad], in a frame of the ground.

    Args:
        moving: the motion.
        planned: pose of the footprint that is planned for its start.
        base: pose of the base in the footprint at its start.
        travels: whether it began in motion.
    """

    moving: Moving
    planned: Array
    base: Array
    travels: bool

    @property
    def feet(self) -> BasePose | None:
        """The footprint in odom at its start, as sure as the base; None if that is unknown."""
        found = self.moving.base
        if found is None:
            return None
        pose = footprint.compose(found.pose, footprint.seen_from(self.base, np.zeros(3)))
        return BasePose(pose, found.deviation)


class Course:
    """Compares where a robot is with where it should be, and corrects its strides."""

    def __init__(self) -> None:
        # Where the command before was to end, in odom, until the error is carried over; the
        # deviation is that of its start.
        self._expected: BasePose | None = None
        self._anew()

    def _anew(self) -> None:
        # The stage that began at rest.
        self._first: Stage | None = None
        self._stages: deque[Stage] = deque(maxlen=REMEMBERED)
        # Poses of the footprint after the stage sent last, planned and wanted, in a frame of the
        # ground.
        self._planned, self._wanted = np.zeros(3), np.zeros(3)
        self._change, self._duration = np.zeros(3), 0.0
        # Pose of that frame in odom, once the base was measured.
        self._origin: Array | None = None

    def begin(self) -> None:
        """Note that a command begins, with the robot at rest where the one before left it."""
        self._carry_over()
        if self._first is not None:
            feet = self._first.feet
            self._expected = feet and replace(
                feet, pose=footprint.compose(feet.pose, self._wanted)
            )
        self._anew()

    def correction(self, call: Call) -> Array:
        """(3,) by how much the velocity of the next call is to change: x, y [m/s], yaw [rad/s].

        Args:
            call: of any kind; only strides that travel are changed.
        """
        self._carry_over()
        reached = self._reached()
        if reached is None or not call.travels:
            return np.zeros(3)
        off = footprint.seen_from(reached, self._wanted)
        if (np.abs(off) > LOST).any():
            self._wanted = reached
            return np.zeros(3)
        left = off - 0.5 * self._change * self._duration
        if (np.abs(left) < NOTED).all():
            return np.zeros(3)
        return np.clip(left / self._duration, -MOST, MOST)

    def sent(self, moving: Moving, before: State, prepared: Prepared) -> None:
        """Note that a sub-action was sent.

        Args:
            moving: its motion.
            before: the state in which it begins.
            prepared: the sub-action.
        """
        yaw = angles_from_rotation(before.base_rotation.as_matrix())[0]
        base = np.array([*before.base_origin[:2], yaw])
        stage = Stage(moving, self._planned, base, bool(before.velocity.any()))
        self._stages.append(stage)
        self._first = self._first or stage
        change, after = prepared.change, prepared.end.velocity
        duration = prepared.motion.duration
        done = footprint.ramp(before.velocity, after, duration, 2)[-1]
        meant = footprint.ramp(before.velocity - self._change, after - change, duration, 2)[-1]
        self._planned = footprint.compose(self._planned, done)
        self._wanted = footprint.compose(self._wanted, meant)
        self._change, self._duration = change, duration

    def _carry_over(self) -> None:
        """Add the error that the command before left, once this command's start was measured."""
        expected, first = self._expected, self._first
        if expected is None or first is None or (feet := first.feet) is None:
            return
        self._expected = None
        off = footprint.seen_from(feet.pose, expected.pose)
        if (np.abs(off) < CARRIED).all():
            lost = feet.deviation - expected.deviation
            self._wanted = footprint.compose(off * _probable(lost), self._wanted)

    def _reached(self) -> Array | None:
        """(3,) pose of the footprint after the stage sent last; None while it is not known."""
        for stage in reversed(self._stages):
            feet = stage.feet
            if feet is None or not stage.travels:
                continue
            if self._origin is None:
                self._origin = footprint.compose(
                    feet.pose, footprint.seen_from(stage.planned, np.zeros(3))
                )
            measured = footprint.seen_from(self._origin, feet.pose)
            return footprint.compose(measured, footprint.seen_from(stage.planned, self._planned))
        return None


def _probable(lost: Array) -> Array:
    """(3,) share of an error that is the robot's, if the estimate lost so much of x, y and yaw."""
    return LEFT**2 / (LEFT**2 + lost**2)
