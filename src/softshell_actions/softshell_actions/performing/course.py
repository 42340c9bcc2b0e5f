"""Where a robot that walks is, against where it was to be: strides veer to make up for that.

What a stride slips or is pushed is known once the base was measured at the begin of a later one,
against the first that began in motion: a base on the move is a little ahead of its plan, always by
as much, which is no error.

The next stride then goes that much further or less far, at a velocity that is changed; since a
velocity is gained and lost evenly, one changed by d for one stride of time T takes the robot d T
further, half of it in the stride and half in the one after that.

What the last strides of a command slipped is known when the next one begins, at rest; its strides
make up for that.
"""

from collections import deque
from dataclasses import dataclass

import numpy as np

from softshell_actions.curves import footprint
from softshell_actions.performing.call import Call
from softshell_actions.performing.robot import Moving
from softshell_actions.planning.preparing import Prepared
from softshell_actions.state import State
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import angles_from_rotation

#: What is off by less is left alone [m], [m], [rad].
NOTED = np.array([5e-4, 5e-4, 5e-4])
#: The largest change of a velocity [m/s], [m/s], [rad/s].
MOST = np.array([0.03, 0.03, 0.1])
#: A robot that is further off than this was carried or blocked [m], [m], [rad]: it goes on from
#: where it is.
LOST = np.array([0.15, 0.15, 0.5])
#: What a command leaves to the next one; a robot further off by then was moved [m], [m], [rad].
CARRIED = np.array([0.02, 0.02, 0.03])
#: Sub-actions that are remembered: one moves, one waits.
REMEMBERED = 4


@dataclass(frozen=True)
class Leg:
    """A sub-action that was sent; poses are (3,) x, y [m], yaw [rad], in a frame of the ground.

    Args:
        moving: the motion.
        planned: where the footprint is planned to be at its begin.
        base: of the base in the footprint there.
        travels: whether it began in motion.
    """

    moving: Moving
    planned: Array
    base: Array
    travels: bool

    @property
    def feet(self) -> Array | None:
        """(3,) where the footprint was in odom at its begin; None if that is unknown."""
        if self.moving.base is None:
            return None
        return footprint.compose(self.moving.base, footprint.seen_from(self.base, np.zeros(3)))


class Course:
    """Keeps a robot on its way."""

    def __init__(self) -> None:
        # Where the footprint is to be when a command begins, in odom, till its strides are told.
        self._expected: Array | None = None
        self._anew()

    def _anew(self) -> None:
        # What began at rest.
        self._first: Leg | None = None
        self._legs: deque[Leg] = deque(maxlen=REMEMBERED)
        # Where the footprint is planned and wanted to be after what was sent last.
        self._planned, self._wanted = np.zeros(3), np.zeros(3)
        self._change, self._duration = np.zeros(3), 0.0
        # Where that frame is in odom, once anything has measured the base.
        self._origin: Array | None = None

    def begin(self) -> None:
        """A command begins, with the robot at rest where the one before left it."""
        self._carry_over()
        if self._first is not None:
            feet = self._first.feet
            self._expected = None if feet is None else footprint.compose(feet, self._wanted)
        self._anew()

    def correction(self, call: Call) -> Array:
        """(3,) by how much the velocity of what comes next is to change: x, y [m/s], yaw [rad/s].

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
        """A sub-action was sent.

        Args:
            moving: its motion.
            before: the state in which it begins.
            prepared: what it is.
        """
        at_base = angles_from_rotation(before.base_rotation.as_matrix())[0]
        base = np.array([*before.base_origin[:2], at_base])
        leg = Leg(moving, self._planned, base, bool(before.velocity.any()))
        self._legs.append(leg)
        self._first = self._first or leg
        change, after = prepared.change, prepared.end.velocity
        duration = prepared.motion.duration
        done = footprint.ramp(before.velocity, after, duration, 2)[-1]
        meant = footprint.ramp(before.velocity - self._change, after - change, duration, 2)[-1]
        self._planned = footprint.compose(self._planned, done)
        self._wanted = footprint.compose(self._wanted, meant)
        self._change, self._duration = change, duration

    def _carry_over(self) -> None:
        """What is wanted begins where the command before was to end, once it is known where."""
        if self._expected is None or self._first is None or self._first.feet is None:
            return
        off = footprint.seen_from(self._first.feet, self._expected)
        self._expected = None
        if (np.abs(off) < CARRIED).all():
            self._wanted = footprint.compose(off, self._wanted)

    def _reached(self) -> Array | None:
        """(3,) where the footprint is after what was sent last; None while nobody knows."""
        for leg in reversed(self._legs):
            feet = leg.feet
            if feet is None or not leg.travels:
                continue
            if self._origin is None:
                self._origin = footprint.compose(
                    feet, footprint.seen_from(leg.planned, np.zeros(3))
                )
            measured = footprint.seen_from(self._origin, feet)
            return footprint.compose(measured, footprint.seen_from(leg.planned, self._planned))
        return None
