"""Taking or refusing a trajectory message as a whole, before anything follows it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from softshell_common.reason import Reason, ReasonCode
from softshell_control.trajectories.trajectory import Identity, Tolerances, Trajectory
from softshell_kinematics.arrays import Array

MAX_POINTS = 10_000
MAX_DURATION = 3600.0  # [s]
MAX_AHEAD = 10.0  # [s] by which a stamp may be ahead of the clock


@dataclass(frozen=True)
class Refusal:
    """A message refused as a whole: whose it is, and what is wrong with it."""

    identity: Identity
    reasons: tuple[Reason, ...]


@dataclass(frozen=True)
class Request:
    """A trajectory as a message holds it; nothing is checked yet.

    Args:
        identity: whose it is.
        stamp: its earliest start [ns].
        names: of its channels.
        times: of its points, from the start [s].
        values, rates, accelerations: of each point; the latter two may be empty in all points.
            Accelerations are checked and not used: the curve is cubic.
        queued, on_feet, after: see `Trajectory`.
    """

    identity: Identity
    stamp: int
    names: Sequence[str]
    times: Sequence[float]
    values: Sequence[Sequence[float]]
    rates: Sequence[Sequence[float]]
    accelerations: Sequence[Sequence[float]] = ()
    queued: bool = False
    on_feet: bool = False
    after: bytes | None = None


def check_trajectory(
    request: Request,
    known: Sequence[str],
    now: int | None = None,
    tolerances: Tolerances | None = None,
) -> Trajectory | Refusal:
    """Take or refuse a trajectory message as a whole.

    Args:
        request: the message.
        known: names of the robot's channels.
        now: the bridge's clock [ns]; None: the stamp is not held against it.
        tolerances: of the trajectory, already checked.
    """
    names, times = request.names, request.times
    problems = _name_problems(names, known)
    problems += _time_problems(times)
    if now is not None and request.stamp > now + MAX_AHEAD * 1e9:
        text = (
            f'stamp is {(request.stamp - now) * 1e-9:.3f} s ahead of the clock; expected at most '
            f'{MAX_AHEAD} s: does the sender use the time of /clock?'
        )
        problems.append(Reason(ReasonCode.STAMP, text))
    arrays = {}
    for kind, rows in (
        ('positions', request.values),
        ('velocities', request.rates),
        ('accelerations', request.accelerations),
    ):
        optional = kind != 'positions' and not any(len(row) for row in rows)
        if not optional and len(times) <= MAX_POINTS:
            arrays[kind] = _matrix(kind, rows, names, problems)
    if problems:
        return Refusal(request.identity, tuple(problems))
    places = {name: place for place, name in enumerate(known)}
    return Trajectory(
        identity=request.identity,
        stamp=request.stamp,
        channels=np.array([places[name] for name in names], dtype=np.int64),
        times=np.array(times, dtype=np.float64),
        values=arrays['positions'],
        rates=arrays.get('velocities'),
        queued=request.queued,
        tolerances=tolerances or Tolerances(),
        on_feet=request.on_feet,
        after=request.after,
    )


def _name_problems(names: Sequence[str], known: Sequence[str]) -> list[Reason]:
    if not names:
        text = 'joint_names is empty; expected at least one joint'
        return [Reason(ReasonCode.SIZE, text)]
    problems = []
    unknown = sorted(set(names) - set(known))
    if unknown:
        text = f'unknown joints: {_listed(unknown)}; known: {", ".join(known)}'
        problems.append(Reason(ReasonCode.UNKNOWN_CHANNEL, text))
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        text = f'duplicate joints: {_listed(twice)}'
        problems.append(Reason(ReasonCode.DUPLICATE_CHANNEL, text))
    return problems


def _listed(names: Sequence[str]) -> str:
    """The first few names."""
    shown = ', '.join(repr(name) for name in names[:5])
    return shown if len(names) <= 5 else f'{shown} and {len(names) - 5} more'


def _time_problems(times: Sequence[float]) -> list[Reason]:
    if not len(times):
        return [Reason(ReasonCode.SIZE, 'points is empty; expected at least one point')]
    if len(times) > MAX_POINTS:
        text = f'{len(times)} points; expected at most {MAX_POINTS}'
        return [Reason(ReasonCode.SIZE, text)]
    values = np.asarray(times, dtype=np.float64)
    if not np.isfinite(values).all():
        return [Reason(ReasonCode.NOT_FINITE, 'time_from_start is not finite')]
    text = ''
    later = np.flatnonzero(np.diff(values) <= 0.0)
    if values[0] < 0.0:
        text = f'points[0].time_from_start is {values[0]:g} s; expected at least 0'
    elif len(later):
        point = int(later[0]) + 1
        text = (
            f'points[{point}].time_from_start is {values[point]:g} s; '
            f'expected more than {values[point - 1]:g} s of the point before'
        )
    elif values[-1] > MAX_DURATION:
        text = f'the last time_from_start is {values[-1]:g} s; expected at most {MAX_DURATION}'
    return [Reason(ReasonCode.TIME, text)] if text else []


def _matrix(
    kind: str, rows: Sequence[Sequence[float]], names: Sequence[str], problems: list[Reason]
) -> Array:
    """(points, joints) of finite values; what is wrong goes to `problems`."""
    for point, row in enumerate(rows):
        if len(row) != len(names):
            text = (
                f'points[{point}].{kind} has {len(row)} values; expected {len(names)}, '
                'one for each joint'
            )
            problems.append(Reason(ReasonCode.SIZE, text))
            return np.empty((0, 0))
    matrix = np.array([list(row) for row in rows], dtype=np.float64)
    bad = np.argwhere(~np.isfinite(matrix))
    if len(bad):
        point, joint = bad[0]
        text = (
            f'points[{point}].{kind} of {names[joint]!r} is {matrix[point, joint]}; '
            'expected a finite number'
        )
        problems.append(Reason(ReasonCode.NOT_FINITE, text))
    return matrix
