"""The motion of a base over its feet, and what is remembered of the feet for it."""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_control.estimates.stance_motion import fit, levelled, turned, weigh
from softshell_kinematics.arrays import Array

#: Without contacts, a foot this much higher than the lowest one has the weight 1/e [m].
RAISED = 0.002
#: Time constant of the feet's velocities, by which those that stand are found [s].
SMOOTHING = 0.02
#: A foot that was not measured for longer than this tells nothing of the time between [s]. No
#: joint is waited for longer (`aligned.py`): what moved meanwhile would be lost.
LONGEST_GAP = 0.2
#: Iterations that find the rotation.
TURNS = 3
#: Time constant by which the ground levels a base without IMU [s].
LEVELLING = 0.2
#: A base that is tilted by more than this does not stand on its feet [rad].
FALLEN = math.radians(60.0)
#: Belly and feet carry a base together up to this height above its lying height [m].
LYING = 0.004


class Feet(NamedTuple):
    """What is remembered of each foot; all arrays are written in place.

    Attributes:
        radius: (feet,) of its sphere [m].
        points: (feet, 3) centre of its sphere in the base now [m].
        turns: (feet, 3, 3) its orientation in the base now.
        usable: (feet,) whether these two were measured.
        anchors: (feet, 3) centre of its sphere in odom when it was last measured [m].
        before: (feet, 3, 3) its orientation in odom then.
        since: (feet,) how long ago that was [s].
        drift: (feet, 3) velocity of the base by this foot, along odom, smoothed [m/s].
        weights: (feet,) how surely it stands, 0 to 1.
    """

    radius: Array
    points: Array
    turns: Array
    usable: NDArray[np.bool_]
    anchors: Array
    before: Array
    since: Array
    drift: Array
    weights: Array

    @classmethod
    def unknown(cls, radius: Array) -> 'Feet':
        """Feet that were never measured.

        Args:
            radius: (feet,) of the sphere of each [m].
        """
        n = len(radius)
        return cls(
            radius,
            np.zeros((n, 3)),
            np.zeros((n, 3, 3)),
            np.zeros(n, dtype=np.bool_),
            np.zeros((n, 3)),
            np.zeros((n, 3, 3)),
            np.full(n, np.inf),
            np.zeros((n, 3)),
            np.zeros(n),
        )


def advance(
    feet: Feet,
    position: Array,
    rotation: Array,
    turning: bool,
    support: Array,
    lying_height: float,
    seconds: float,
    motion: Array,
) -> bool:
    """Move a base as its feet tell; where none stands it stays.

    Args:
        feet: as measured now, and remembered; what is remembered is renewed.
        position: (3,) of the base in odom, written [m].
        rotation: (3, 3) of the base in odom: measured, or the one before, then written.
        turning: whether the rotation is to be found as well.
        support: (feet,) how likely each foot stands by its contact, 0 to 1; of length 0 if no
            contacts are measured.
        lying_height: of the base above the ground when its belly carries it [m].
        seconds: since the last measurement [s].
        motion: (6,) written: twist of the base along odom, angular [rad/s], then linear [m/s]; 0
            if no foot stands.

    Returns:
        Whether a foot stands.
    """
    count = len(feet.radius)
    seen, moves, prior = np.zeros((count, 3)), np.zeros((count, 3)), np.zeros(count)
    feet.since[:] += seconds
    _look(feet, position, rotation, seen, moves)
    stands = _may_stand(feet, rotation, support, lying_height, seen, prior)
    _smooth(feet, moves, seconds, prior)
    stands = weigh(prior, seen, feet.drift, turning, feet.weights, motion) and stands
    if stands:
        step = np.zeros(6)
        for _ in range(TURNS if turning else 1):
            fit(seen, moves, feet.weights, turning, step)
            position += step[3:]
            if turning:
                rotation[:] = turned(step[:3], rotation)
                _look(feet, position, rotation, seen, moves)
        if turning:
            slope = levelled(seen, seen[:, 2] - feet.radius, feet.weights)
            rotation[:] = turned(slope * (seconds / (seconds + LEVELLING)), rotation)
        position[2] = _height(feet, rotation)
    else:
        motion[:] = 0.0
        feet.weights[:] = 0.0
    _remember(feet, position, rotation)
    return stands


@njit(cache=True)
def _roll(turn: Array, before: Array, radius: float, way: Array) -> None:
    """Write how far the centre of a ball rolls over level ground without slip: r · angle × z.

    Args:
        turn, before: (3, 3) orientation of the ball in odom now, and before.
        radius: [m].
        way: (3,) written [m].
    """
    x = y = 0.0
    for i in range(3):
        x += 0.5 * (turn[2, i] * before[1, i] - turn[1, i] * before[2, i])
        y += 0.5 * (turn[0, i] * before[2, i] - turn[2, i] * before[0, i])
    way[0], way[1], way[2] = radius * y, -radius * x, 0.0


@njit(cache=True)
def _look(feet: Feet, position: Array, rotation: Array, seen: Array, moves: Array) -> None:
    """Write the feet's positions from the base and the base's motion by each, along odom [m].

    A foot that stands has rolled from its anchor; the base moves so that it is where it rolled to.
    """
    way = np.zeros(3)
    for i in range(len(feet.radius)):
        if feet.usable[i]:
            seen[i] = rotation @ feet.points[i]
            moves[i] = 0.0
            if feet.since[i] < LONGEST_GAP:
                _roll(rotation @ feet.turns[i], feet.before[i], feet.radius[i], way)
                moves[i] = feet.anchors[i] + way - seen[i] - position


@njit(cache=True)
def _may_stand(
    feet: Feet,
    rotation: Array,
    support: Array,
    lying_height: float,
    seen: Array,
    prior: Array,
) -> bool:
    """Write how likely each foot stands by its contact or height; returns whether any may."""
    if rotation[2, 2] < math.cos(FALLEN):
        return False
    lowest = math.inf
    for i in range(len(prior)):
        if feet.usable[i]:
            lowest = min(lowest, seen[i, 2] - feet.radius[i])
    # If the base lies on its belly, the motion of the feet tells nothing of it.
    if len(support) == 0 and -lowest < lying_height + LYING:
        return False
    some = False
    for i in range(len(prior)):
        if not feet.usable[i]:
            continue
        if len(support) > 0:
            prior[i] = support[i]
        else:
            prior[i] = math.exp(-(((seen[i, 2] - feet.radius[i] - lowest) / RAISED) ** 2))
        some = some or prior[i] > 0.0
    return some


@njit(cache=True)
def _smooth(feet: Feet, moves: Array, seconds: float, prior: Array) -> None:
    """Renew the base's velocity by each foot; feet that tell nothing of this time do not count."""
    for i in range(len(prior)):
        if not feet.usable[i] or feet.since[i] >= LONGEST_GAP or seconds <= 0.0:
            feet.drift[i] = 0.0
            prior[i] = 0.0
        else:
            feet.drift[i] += (moves[i] / seconds - feet.drift[i]) * seconds / (seconds + SMOOTHING)


@njit(cache=True)
def _height(feet: Feet, rotation: Array) -> float:
    """Height of the base [m] at which the feet that stand touch the ground."""
    height = 0.0
    for i in range(len(feet.radius)):
        if feet.weights[i] > 0.0:
            height += feet.weights[i] * (feet.radius[i] - rotation[2] @ feet.points[i])
    return float(height / feet.weights.sum())


@njit(cache=True)
def _remember(feet: Feet, position: Array, rotation: Array) -> None:
    """Keep where the measured feet are."""
    for i in range(len(feet.radius)):
        if feet.usable[i]:
            feet.anchors[i] = position + rotation @ feet.points[i]
            feet.before[i] = rotation @ feet.turns[i]
            feet.since[i] = 0.0
