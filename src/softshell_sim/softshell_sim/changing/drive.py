"""The changes that drive a body along a path and release it, with their checks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import UnknownNameError
from softshell_sim.bodies import Body, BodyState
from softshell_sim.changing.change_checks import (
    FARTHEST,
    NOT_UNIT,
    quaternion_problems,
    vector_problems,
)
from softshell_sim.changing.pose_path import PosePath

#: Largest speed of a driven body [m/s] and [rad/s]; every engine can do it.
FASTEST_DRIVE = 50.0
#: Largest number of poses of a path.
MOST_POSES = 100_000


@dataclass(frozen=True, eq=False)
class Drive:
    """Drive the root link of a body along a path, whatever is in its way.

    It moves from pose to pose at constant velocity, and stays at the last one until it is
    released. If the first time is above 0, it first moves from where it is to the first pose.

    Args:
        body: its name.
        times: (poses,) after now [s], increasing; if the first is 0, the body is placed at the
            first pose at once.
        poses: (poses, 7) position in the world [m] and quaternion x, y, z, w; empty: the body is
            held where it is.
    """

    body: str
    times: Sequence[float] | Array = ()
    poses: Sequence[Sequence[float]] | Array = ()

    @property
    def jumps(self) -> bool:
        """Whether it places the body at its first pose at once."""
        return len(self.times) > 0 and float(self.times[0]) == 0.0

    def problems(self, bodies: Mapping[str, Body]) -> Iterator[str]:
        """What is wrong with it in a world of these bodies, by name; one line each."""
        if self.body not in bodies:
            yield str(UnknownNameError('body', self.body, bodies))
        try:
            times, poses = np.asarray(self.times, np.float64), np.asarray(self.poses, np.float64)
        except (TypeError, ValueError):
            yield 'has times or poses that are no numbers; expected (poses,) and (poses, 7)'
            return
        if times.shape == (0,) and poses.size == 0:
            return
        if times.ndim != 1 or poses.shape != (len(times), 7) or len(times) > MOST_POSES:
            yield (
                f'has times of shape {times.shape} and poses of shape {poses.shape}; expected '
                f'(poses,) and (poses, 7), with at most {MOST_POSES} poses'
            )
            return
        found = [*_time_problems(times), *_pose_problems(poses)]
        yield from found or _speed_problems(times, poses, 1)

    def first_way_problems(self, state: BodyState) -> Iterator[str]:
        """What is wrong with the speed from where the body is, `state`, to the first pose."""
        times, poses = self._path(state)
        if len(self.times) and self.times[0] > 0.0:
            yield from _speed_problems(times[:2], poses[:2], 0)

    def start(self, state: BodyState) -> BodyState:
        """The state, at rest, in which the path of a body begins that is now in `state`."""
        pose = self._path(state)[1][0]
        return BodyState(pose[:3], pose[3:])

    def path(self, state: BodyState) -> PosePath:
        """The path, from time 0 on, of a body that is now in `state`."""
        return PosePath(*self._path(state))

    def _path(self, state: BodyState) -> tuple[Array, Array]:
        here = np.concatenate([state.position, state.orientation])[None]
        times = np.asarray(self.times, np.float64)
        poses = np.asarray(self.poses, np.float64).reshape(-1, 7)
        if not len(times) or times[0] > 0.0:
            times, poses = np.concatenate([[0.0], times]), np.concatenate([here, poses])
        poses = poses.copy()
        poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
        return times, poses


@dataclass(frozen=True)
class Release:
    """Release a driven body: physics moves it again, from the velocity that it has.

    Args:
        body: its name.
    """

    body: str

    def problems(self, bodies: Mapping[str, Body]) -> Iterator[str]:
        """What is wrong with it in a world of these bodies, by name; one line each."""
        if self.body not in bodies:
            yield str(UnknownNameError('body', self.body, bodies))


def _time_problems(times: Array) -> Iterator[str]:
    """What is wrong with the first time that is out of range or out of order."""
    before = np.concatenate([[-np.inf], times[:-1]])
    good = np.isfinite(times) & (times >= 0.0) & (times > before)
    for place in np.flatnonzero(~good)[:1].tolist():
        yield (
            f'time {place + 1} is {times[place]} s; expected 0 or more, finite, and later than '
            'the one before'
        )


def _pose_problems(poses: Array) -> Iterator[str]:
    """What is wrong with the first pose that is out of range or has no unit quaternion."""
    lengths = np.linalg.norm(poses[:, 3:], axis=1)
    good = (np.linalg.norm(poses[:, :3], axis=1) <= FARTHEST) & (abs(lengths - 1.0) <= NOT_UNIT)
    for place in np.flatnonzero(~good)[:1].tolist():
        yield from vector_problems(f'position {place + 1}', poses[place, :3], FARTHEST, 'm')
        yield from quaternion_problems(f'orientation {place + 1}', poses[place, 3:])


def _speed_problems(times: Array, poses: Array, first: int) -> Iterator[str]:
    """What is wrong with the speeds between poses; `first`: number of the first pose.

    Poses are counted from 1; 0 is where the body is now.
    """
    for values, unit in zip(PosePath(times, poses).speeds(), ('m/s', 'rad/s'), strict=True):
        for place in np.flatnonzero(values > FASTEST_DRIVE)[:1].tolist():
            start = 'where it is' if first + place == 0 else f'pose {first + place}'
            yield (
                f'from {start} to pose {first + place + 1} it would move at '
                f'{values[place]:g} {unit}; expected at most {FASTEST_DRIVE:g} {unit}'
            )
