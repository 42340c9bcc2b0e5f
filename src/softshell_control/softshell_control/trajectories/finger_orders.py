"""Finger commands: what is wrong with one, and the trajectory for several that overlap."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isfinite

import numpy as np

from softshell_common.shown import shown
from softshell_control.trajectories.check import MAX_DURATION
from softshell_kinematics.arrays import Array


def mistake_of(
    channels: Sequence[str], values: Sequence[float], duration: float, known: Sequence[str]
) -> str:
    """The first thing that is wrong, empty if nothing is.

    Args:
        channels: names of those that are commanded.
        values: one for each, in its unit; for one beyond its range, the channel goes to the end of
            the range.
        duration: time to get there [s]; 0: as fast as the rates allow.
        known: all channels of the robot.
    """
    if not channels:
        return f'channels is empty; expected some of {", ".join(known)}'
    strangers = [name for name in channels if name not in known]
    if strangers:
        return f'{shown(strangers[0])} is no channel; expected some of {", ".join(known)}'
    twice = [name for name, count in Counter(channels).items() if count > 1]
    if twice:
        return f'{shown(twice[0])} is in channels twice; expected each once'
    if len(values) != len(channels):
        return f'values has {len(values)} numbers; expected {len(channels)}, one for each channel'
    for name, value in zip(channels, values, strict=True):
        if not isfinite(value):
            return f'the value of {shown(name)} is {value}; expected a finite number'
    if not 0.0 <= duration <= MAX_DURATION:
        return (
            f'duration is {duration} s; expected 0 (as fast as the rates allow) or more, at most '
            f'{MAX_DURATION:g}'
        )
    return ''


def shortest(ways: Array, rates: Array) -> float:
    """The shortest time in which channels at their highest rates keep up with a cubic [s].

    A cubic between two rests is at first slower than the mean way/T, and at most 1.5 times as
    fast. With T = 9/8 way/rate it is as fast as the channel at a quarter of T, where 5/32 of the
    way are done; the channel then needs the 27/32 way/rate that are left.

    Args:
        ways: (channels,) ways to go, each in its unit.
        rates: (channels,) their highest rates, per second.
    """
    return 1.125 * float(np.max(np.abs(ways) / rates, initial=0.0))


def points_of(
    begin: Mapping[str, float], goals: Mapping[str, tuple[float, float]]
) -> tuple[list[float], list[list[float]]]:
    """The points of a trajectory that has each channel at its goal at its time.

    At the times of others a channel is as far on its way as at a constant rate. The curve through
    values alone never leaves them (`smooth_rates`), so no channel turns back or passes its goal.

    Args:
        begin: where each channel is.
        goals: the goal of each, and how long it takes to get there [s].

    Returns:
        (points,) times [s], and (points, channels) values in the order of the goals.
    """
    times = sorted({seconds for _, seconds in goals.values()})
    rows = [
        [
            begin[name] + (goal - begin[name]) * min(1.0, time / seconds)
            for name, (goal, seconds) in goals.items()
        ]
        for time in times
    ]
    return times, rows
