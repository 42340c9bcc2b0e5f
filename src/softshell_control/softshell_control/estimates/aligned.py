"""Joints that are measured one after the other, brought to one time.

Servos on a bus are read in turn: at any moment some readings are new, and some are up to four
control periods old. The feet tell the motion of the base only if all joints are taken at one
time. That is here the latest time at which every joint is known. Between two readings a joint is
taken to have moved as its command did, plus an offset that changes linearly from the one reading
to the other: the command has the quick lifts that a few readings miss, and the readings show how
far the joint gave way.
"""

from collections import deque
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from softshell_control.backend import FootContacts, ImuSample, Measured
from softshell_control.estimates.stance import LONGEST_GAP
from softshell_control.joint_map import JointMap
from softshell_control.trajectories.trajectory import NANOSECONDS
from softshell_kinematics.arrays import Array

#: A joint that was measured longer ago than this is not waited for, and not used [s].
OLDEST = LONGEST_GAP
#: For how long measurements are remembered: two readings of a joint and the time between them [s].
KEPT = 2.0 * OLDEST


@dataclass(frozen=True, eq=False)
class _Frame:
    """One measurement.

    Attributes:
        stamp: its time [ns].
        read: (movable,) when each joint was measured [ns].
        position: (movable,) where it was [rad] or [m].
        command: (movable,) where it was to be at the stamp [rad] or [m].
        imu, contacts: as measured.
    """

    stamp: int
    read: NDArray[np.int64]
    position: Array
    command: Array
    imu: ImuSample | None
    contacts: FootContacts | None


class Aligned:
    """Remembers measurements, and makes measurements of them whose parts are all of one time.

    Args:
        joints: of the robot.
    """

    def __init__(self, joints: JointMap) -> None:
        self._joints = joints
        self._frames: deque[_Frame] = deque()

    def restart(self) -> None:
        """Forget everything."""
        self._frames.clear()

    def update(self, measured: Measured, command: Array | None = None) -> Measured:
        """The measurement at the latest time at which every joint is known.

        Args:
            measured: the latest measurement.
            command: (channels,) in force; None: joints move evenly between two readings.

        Returns:
            Joints, feet and IMU at that time, which is the stamp; their ages are 0, and joints
            that were measured too long ago are not valid. If nothing is old, the measurement
            itself.
        """
        if not measured.age.any():
            self._frames.clear()
            return measured
        frame = self._frame(measured, command)
        if self._frames and frame.stamp <= self._frames[-1].stamp:
            self._frames.pop()
        self._frames.append(frame)
        while frame.stamp - self._frames[0].stamp > KEPT * NANOSECONDS:
            self._frames.popleft()
        usable = measured.valid & (measured.age <= OLDEST)
        if not usable.any():
            return replace(measured, valid=usable)
        time = int(frame.read[usable].min())
        at_time = min(self._frames, key=lambda each: abs(each.stamp - time))
        return replace(
            measured,
            position=self._positions(time),
            valid=usable,
            age=np.zeros_like(measured.age),
            stamp=time,
            imu=None if at_time.imu is None else replace(at_time.imu, age=0.0),
            contacts=at_time.contacts,
        )

    def _frame(self, measured: Measured, command: Array | None) -> _Frame:
        position = measured.position.copy()
        commanded = np.zeros_like(position)
        if command is not None:
            self._joints.positions(command[: self._joints.independent], commanded)
        age = np.where(np.isfinite(measured.age), measured.age * NANOSECONDS, measured.stamp)
        imu, contacts = measured.imu, measured.contacts
        return _Frame(
            measured.stamp,
            measured.stamp - np.rint(age).astype(np.int64),
            position,
            commanded,
            imu and replace(
                imu,
                orientation=imu.orientation.copy(),
                angular_velocity=imu.angular_velocity.copy(),
            ),
            contacts and replace(
                contacts, touching=contacts.touching.copy(), force=contacts.force.copy()
            ),
        )  # fmt: skip

    def _positions(self, time: int) -> Array:
        """(movable,) where every joint was at a time [ns], [rad] or [m]."""
        frames = self._frames
        stamps = np.array([frame.stamp for frame in frames])
        commands = np.array([frame.command for frame in frames])
        read = np.array([frame.read for frame in frames])
        position = np.array([frame.position for frame in frames])
        columns = np.arange(position.shape[1])
        # The last reading that is not later, and the first that is, or else the last of all.
        later = read > time
        after = np.where(later.any(axis=0), later.argmax(axis=0), len(frames) - 1)
        before = np.where(later[0], 0, np.maximum(after - later.any(axis=0), 0))
        ends = []
        for rows in (before, after):
            when = read[rows, columns]
            ends.append((when, position[rows, columns] - _at(when, stamps, commands)))
        (begin, first), (end, last) = ends
        share = np.clip((time - begin) / np.maximum(end - begin, 1), 0.0, 1.0)
        now = _at(np.full(len(columns), time), stamps, commands)
        moved: Array = now + first + share * (last - first)
        return moved


def _at(when: NDArray[np.int64], stamps: NDArray[np.int64], commands: Array) -> Array:
    """(n,) commands of n joints, each at its own time; those at the ends hold beyond them."""
    columns = np.arange(commands.shape[1])
    after = np.clip(np.searchsorted(stamps, when), 1, max(len(stamps) - 1, 1))
    after = np.minimum(after, len(stamps) - 1)
    before = np.maximum(after - 1, 0)
    span = np.maximum(stamps[after] - stamps[before], 1)
    share = np.clip((when - stamps[before]) / span, 0.0, 1.0)
    first = commands[before, columns]
    values: Array = first + share * (commands[after, columns] - first)
    return values
