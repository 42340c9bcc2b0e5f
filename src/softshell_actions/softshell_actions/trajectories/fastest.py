"""The fastest motion along a path of joints with bounded speeds and accelerations.

Along a path q(s), with x the square of ds/dt and u half its slope dx/ds, which is d²s/dt², joints
have the speeds |q'| √x and the accelerations q' u + q'' x: limits of acceleration are linear in x
and u. Bobrow, Dubowsky and Gibson, Time-optimal control of robotic manipulators along specified
paths (1985); Verscheure et al., Time-optimal path tracking for robots (2009). It is solved by one
pass backward, for the largest x from which the rest of the path can be done, and one forward that
speeds up as much as that allows: Pham and Pham, A new approach to time-optimal path
parameterization based on reachability analysis (2018).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import CubicHermiteSpline, CubicSpline

from softshell_actions.trajectories.joint_limits import JointLimits, slowdowns
from softshell_actions.trajectories.motion import Motion
from softshell_actions.trajectories.timing import POINTS, UNLIMITED, Timed, at_limits, spline_along
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError

#: Slopes of the path below this part of its largest one count as 0.
STILL = 1e-9
#: Largest x over the smallest one, where nothing else limits it.
MOST_UNEVEN = 1e12
#: Factor on the sum of a joint's ways from point to point, as the curve between may be longer.
MARGIN = 1.1
#: A step is halved if it exceeds a limit by more than the first, as part of the limit, or loses
#: more time than the second, as part of the motion's time; in so many rounds at most.
COARSE, LOST = 0.005, 1e-4
MOST_ROUNDS = 16
#: Most iterations in `_Steps.largest`.
MOST_CORNERS = 100


@dataclass(frozen=True, eq=False)
class _Steps:
    """What limits x and u in each step between two points of the path.

    In a step u is between the lines `lower - slope x` and `upper - slope x`.

    Args:
        lower, upper, slope: (steps, lines).
        most: (steps + 1,) largest x at each point.
        lengths: (steps,) of the steps, in the parameter.
    """

    lower: Array
    upper: Array
    slope: Array
    most: Array
    lengths: Array

    def largest(self, step: int, after: float) -> float:
        """Largest x at a step's start from which x at its end can be from 0 to `after`.

        The width of the range of u is a concave function of x, so Newton's method goes down from
        corner to corner, and the last corner is exact.
        """
        lower, upper, slope = self._lines(step, after)
        x = float(self.most[step])
        for _ in range(MOST_CORNERS):
            highest, lowest = upper - slope * x, lower - slope * x
            above, below = int(np.argmin(highest)), int(np.argmax(lowest))
            if highest[above] >= lowest[below] or slope[above] <= slope[below]:
                break
            corner = (upper[above] - lower[below]) / (slope[above] - slope[below])
            if not corner < x:
                break
            x = max(float(corner), 0.0)
        return x

    def furthest(self, step: int, x: float, after: float) -> float:
        """Largest x at a step's end, at most `after`, from x at its start."""
        _, upper, slope = self._lines(step, after)
        u = float(np.min(upper - slope * x))
        return min(max(x + 2.0 * float(self.lengths[step]) * u, 0.0), after)

    def _lines(self, step: int, after: float) -> tuple[Array, Array, Array]:
        """Lower bounds, upper bounds and slopes, with those that keep x at the end in range."""
        twice = 2.0 * self.lengths[step]
        return (
            np.append(self.lower[step], 0.0),
            np.append(self.upper[step], after / twice),
            np.append(self.slope[step], 1.0 / twice),
        )


def fastest(
    positions: ArrayLike,
    limits: JointLimits,
    parameters: ArrayLike | None = None,
    points: int = POINTS,
) -> Timed:
    """The fastest motion along a path, from rest to rest.

    Args:
        positions: (samples, joints) [rad] or [m] along the path, which is the cubic spline through
            them (not-a-knot).
        limits: of these joints, in this order.
        parameters: (samples,) of the samples, ascending; None for evenly spaced ones. Joints
            should move evenly with them: where first and second derivatives of all of them are 0,
            the motion takes about 1 % longer than it could.
        points: of the motion to begin with; more are put where the path needs them.

    Raises:
        SoftshellError: as `shortest`.
    """
    path, span = spline_along(positions, limits, parameters)
    grid = path.x[0] + np.linspace(0.0, 1.0, points) * span
    motion = _along(grid, path, limits)
    for _ in range(MOST_ROUNDS):
        coarse = _coarse(motion, limits)
        if not coarse.any():
            break
        # Halve also both neighbours of each coarse step.
        coarse[1:] |= coarse[:-1]
        coarse[:-1] |= coarse[1:]
        grid = np.sort(np.concatenate([grid, (grid[:-1] + grid[1:])[coarse] / 2.0]))
        motion = _along(grid, path, limits)
    # Scale the time of the whole motion, so that its peak is exactly at a limit.
    return at_limits(motion, limits)


def _coarse(motion: Motion, limits: JointLimits) -> NDArray[np.bool_]:
    """(steps,) whether a step should be halved: it is above a limit, or loses time.

    It loses time if neither a speed nor an acceleration is at its limit half-way.
    """
    path = CubicHermiteSpline(motion.times, motion.positions, motion.velocities)
    middles = (motion.times[:-1] + motion.times[1:]) / 2.0
    speeds, accelerations = np.abs(path(middles, 1)), np.abs(path(middles, 2))
    used = np.maximum(speeds / limits.speed, accelerations / limits.acceleration).max(axis=1)
    losing = np.diff(motion.times) * (1.0 - used) > LOST * motion.duration
    coarse: NDArray[np.bool_] = (slowdowns(motion, limits) > 1.0 + COARSE) | losing
    return coarse


def _along(grid: Array, path: CubicSpline, limits: JointLimits) -> Motion:
    """The fastest motion from rest to rest whose points are at the parameters of a grid.

    Between points it may exceed a limit, the more the coarser the grid is.
    """
    values, tangents = path(grid), path(grid, 1)
    steps = _steps(grid, values, tangents, path(grid, 2), limits)
    moving = np.abs(tangents[[0, -1]]).max(axis=1) > STILL * np.abs(tangents).max()
    # If the tangent of the path is 0 at an end, joints rest there at any x.
    ends = np.where(moving, 0.0, steps.most[[0, -1]])
    reachable, squares = np.zeros(len(grid)), np.zeros(len(grid))
    reachable[-1] = ends[1]
    for step in reversed(range(len(grid) - 1)):
        reachable[step] = steps.largest(step, float(reachable[step + 1]))
    squares[0] = min(ends[0], reachable[0])
    for step in range(len(grid) - 1):
        squares[step + 1] = steps.furthest(step, float(squares[step]), float(reachable[step + 1]))
    rates = np.sqrt(squares)
    times = np.concatenate([[0.0], np.cumsum(2.0 * steps.lengths / (rates[:-1] + rates[1:]))])
    velocities = tangents * rates[:, None]
    velocities[[0, -1]] = 0.0
    return Motion(limits.joints, times, values, velocities)


def _steps(
    grid: Array, values: Array, tangents: Array, bends: Array, limits: JointLimits
) -> _Steps:
    """What limits each step; limits of acceleration count at both of its ends.

    Args:
        grid: (points,) parameters.
        values, tangents, bends: (points, joints) positions, first and second derivatives.
        limits: of the joints.
    """
    lengths = np.diff(grid)
    ahead = 2.0 * lengths[:, None]
    # Each limit is |factor u + bend x| <= bound; at a step's end x has become x + 2 length u.
    factors = np.hstack([tangents[:-1], tangents[1:] + ahead * bends[1:]])
    curving = np.hstack([bends[:-1], bends[1:]])
    bounds = np.broadcast_to(np.tile(limits.acceleration, 2), factors.shape)
    usable = np.abs(factors) > STILL * np.abs(tangents).max()
    safe = np.where(usable, factors, 1.0)
    reach = np.where(usable, bounds / np.abs(safe), np.inf)
    most = _most(values, tangents, bends, limits)
    return _Steps(-reach, reach, np.where(usable, curving / safe, 0.0), most, lengths)


def _most(values: Array, tangents: Array, bends: Array, limits: JointLimits) -> Array:
    """(points,) largest x at each point of a path, whatever u is.

    A joint with a limit a of acceleration is never faster than √(2 a d), where d is the length of
    all its way, to and fro.

    Args:
        values, tangents, bends: (points, joints) positions, first and second derivatives.
        limits: of the joints.

    Raises:
        SoftshellError: no joint with a limit moves.
    """
    ways = MARGIN * np.abs(np.diff(values, axis=0)).sum(axis=0)
    moved = ways > 0.0
    slopes, accelerations = np.abs(tangents[:, moved]), limits.acceleration[moved]
    speeds = np.minimum(limits.speed[moved], np.sqrt(2.0 * accelerations * ways[moved]))
    with np.errstate(over='ignore', divide='ignore'):
        by_speed = (speeds / slopes) ** 2
        by_bend = accelerations / np.abs(bends[:, moved])
    by_bend[slopes > STILL * np.abs(tangents).max()] = np.inf
    most = np.minimum(by_speed, by_bend).min(axis=1, initial=np.inf)
    if not np.isfinite(most).any():
        raise SoftshellError(UNLIMITED)
    capped: Array = np.minimum(most, MOST_UNEVEN * most.min())
    return capped
