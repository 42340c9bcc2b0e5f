"""What the joints were told to be, from the trajectories that were followed; needs no ROS."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from softshell_control.trajectory import smooth_rates
from softshell_kinematics.arrays import Array


@dataclass(frozen=True, eq=False)
class Followed:
    """A trajectory that the bridge followed.

    Args:
        start: when the bridge began to follow it [s] on the ROS clock.
        end: when it stopped to, before the end of the trajectory [s]; infinite if it did not.
        names: of its n channels; those that are no joints are left out of what comes of it.
        times: (points,) from its start [s].
        values: (points, n) [rad] or [m].
        rates: (points, n) [rad/s] or [m/s]; None: as the bridge chooses them.
    """

    start: float
    end: float
    names: tuple[str, ...]
    times: Array
    values: Array
    rates: Array | None


def commanded_positions(
    times: Array, joint_names: tuple[str, ...], followed: Iterable[Followed]
) -> Array:
    """Positions that the joints were told to have.

    Args:
        times: (samples,) [s] on the ROS clock.
        joint_names: of the columns.
        followed: trajectories in the order in which they began; a later one takes over the
            channels that it has.

    Returns:
        (samples, joints); NaN before the first point and after the end of all trajectories.
    """
    commands = np.full((len(times), len(joint_names)), np.nan)
    for one in followed:
        known = [index for index, name in enumerate(one.names) if name in joint_names]
        columns = [joint_names.index(one.names[index]) for index in known]
        first, last = one.start + one.times[0], min(one.start + one.times[-1], one.end)
        rows = (times >= first) & (times <= last)
        if rows.any() and columns:
            commands[np.ix_(rows, columns)] = _curve(one, times[rows] - one.start)[:, known]
    return commands


def _curve(one: Followed, times: Array) -> Array:
    """(samples, n) values at times from the start [s]."""
    if len(one.times) == 1:
        return np.repeat(one.values, len(times), axis=0)
    rates = one.rates
    if rates is None:
        rates = smooth_rates(one.times, one.values, np.zeros(one.values.shape[1]))
    positions: Array = CubicHermiteSpline(one.times, one.values, rates)(times)
    return positions
