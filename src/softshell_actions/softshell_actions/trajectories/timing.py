"""How long a motion of joints takes with bounded speeds and accelerations.

Motions are slowed down as a whole, or timed by a given time law; `fastest` finds the best law.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import CubicSpline

from softshell_actions.curves.time_law import LAWS, USUAL_LAW, progress
from softshell_actions.language.curved_move import Law
from softshell_actions.trajectories.joint_limits import JointLimits, Peak, peak
from softshell_actions.trajectories.motion import Motion
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.limits import checked_finite

#: Message for a path that nothing limits.
UNLIMITED = 'path: no joint that has a limit moves along it; expected at least one'
#: Number of points of a motion that is timed.
POINTS = 1001


@dataclass(frozen=True, eq=False)
class Stretch:
    """A motion that keeps to its limits.

    Args:
        factor: its time over the time before; 1 if it kept to its limits already.
        motion: that keeps to them.
        peak: of the motion before; it decides the factor.
    """

    factor: float
    motion: Motion
    peak: Peak


@dataclass(frozen=True, eq=False)
class Timed:
    """A motion that is as fast as its limits allow.

    Args:
        motion: from rest to rest.
        peak: where it is at a limit.
    """

    motion: Motion
    peak: Peak


def slowed(motion: Motion, factor: float) -> Motion:
    """The same motion in `factor` times the time."""
    return Motion(
        motion.joints, motion.times * factor, motion.positions, motion.velocities / factor
    )


def stretched(motion: Motion, limits: JointLimits) -> Stretch:
    """A motion, slowed down as a whole until no joint is too fast.

    Its velocities at both ends are slowed down as well: a motion that is not from rest to rest
    then only fits the motions before and after it if they are slowed down by the same factor.

    Args:
        motion: of at least two points.
        limits: of the motion's joints, and maybe of others.

    Raises:
        UnknownNameError: a joint of the motion has no limits.
    """
    found = peak(motion, limits)
    if found.slowdown <= 1.0:
        return Stretch(1.0, motion, found)
    return Stretch(found.slowdown, slowed(motion, found.slowdown), found)


def shortest(
    positions: ArrayLike,
    limits: JointLimits,
    law: Law = USUAL_LAW,
    parameters: ArrayLike | None = None,
    points: int = POINTS,
) -> Timed:
    """The shortest motion along a path by a given time law.

    Args:
        positions: (samples, joints) [rad] or [m] along the path, which is the cubic spline through
            them (not-a-knot).
        limits: of these joints, in this order.
        law: by which the parameter goes from its first to its last value.
        parameters: (samples,) of the samples, ascending; None for evenly spaced ones.
        points: number of points of the motion.

    Raises:
        SoftshellError: there are fewer than two samples, one is not finite or not of these joints,
            parameters do not ascend, or no joint with a limit moves.
    """
    path, span = spline_along(positions, limits, parameters)
    times = np.linspace(0.0, 1.0, points)
    along = path.x[0] + span * progress(law, points)
    speeds = span * LAWS[law].deriv()(times)[:, None] * path(along, 1)
    return at_limits(Motion(limits.joints, times, path(along), speeds), limits)


def spline_along(
    positions: ArrayLike, limits: JointLimits, parameters: ArrayLike | None
) -> tuple[CubicSpline, float]:
    """A path of joints as a spline, and the range of its parameter.

    Args:
        positions, limits, parameters: as in `shortest`.

    Raises:
        SoftshellError: as `shortest`, except for the limits.
    """
    values = checked_finite(positions, 'path')
    count = len(limits.joints)
    if values.ndim != 2 or values.shape[1] != count or len(values) < 2:
        raise SoftshellError(
            f'path has shape {values.shape}; expected (samples, {count}) of at least 2 samples'
        )
    if parameters is None:
        parameters = np.linspace(0.0, 1.0, len(values))
    places = checked_finite(parameters, 'parameters of the path')
    if places.shape != values.shape[:1]:
        raise SoftshellError(
            f'path has {len(values)} samples and parameters of shape {places.shape}; expected '
            'one for each'
        )
    if not (np.diff(places) > 0.0).all():
        index = int(np.argmin(np.diff(places)))
        raise SoftshellError(
            f'parameters of the path: {places[index + 1]:g} follows {places[index]:g}; expected '
            'a larger one'
        )
    return CubicSpline(places, values), float(places[-1] - places[0])


def at_limits(motion: Motion, limits: JointLimits) -> Timed:
    """A motion from rest to rest, as fast as its limits allow with the same time law.

    Raises:
        SoftshellError: no joint with a limit moves.
    """
    found = peak(motion, limits)
    if not found.slowdown > 0.0:
        raise SoftshellError(UNLIMITED)
    timed = slowed(motion, found.slowdown)
    return Timed(timed, peak(timed, limits))
