"""How fast a robot may walk so that no foot is carried out of its reach before it lifts."""

import numpy as np

from softshell_actions.call import Call
from softshell_actions.gait_cycle import GaitCycle
from softshell_actions.state import Stance, State
from softshell_kinematics.arrays import Array


def share_within(call: Call, state: State, stance: Stance, cycle: GaitCycle) -> float:
    """Part of a stride's velocity, from 0 to 1, at which every foot lifts within reach.

    A foot that stands where it should half-way through its stance lifts half a reach behind that
    at most. While the robot gains its velocity, or changes it, other feet than those of a steady
    walk stand, and some for longer than half a stance yet. What is beyond its reach already may
    stay as far.

    Args:
        call: the stride.
        state: at its begin.
        stance: how the robot stands.
        cycle: of its gait.
    """
    move, velocity = call.gait_move, call.velocity
    if cycle.reach is None or move is None:
        return 1.0
    time, reach = call.value(move.cycle), np.array([cycle.reach.x, cycle.reach.y])
    shares = [1.0]
    part = state.parts.get(cycle.name, 0)
    ramp = cycle.length(part) * time / 2
    for leg, timing in cycle.legs.items():
        index = stance.index(leg)
        rest = spread_out(stance.feet[index], timing.spread)
        carried = _carried(velocity, rest)
        # In a steady walk the foot is carried half of its way on either side of that place.
        shares.append(_largest(np.zeros(2), carried * time * timing.duty / reach))
        left = cycle.until_lift(leg, part) * time
        if left > 0.0:
            swing = state.swings.get(leg)
            foot = state.feet[index] if swing is None else swing.foothold
            off = (foot - rest)[:2] - _carried(state.velocity, rest) * ramp
            shares.append(_largest(2 * off / reach, 2 * carried * (left - ramp) / reach))
    return min(shares)


def spread_out(rest: Array, spread: float) -> Array:
    """(3,) a place of a foot in the footprint, so much further out [m]."""
    out: Array = rest + spread * rest / np.linalg.norm(rest)
    return out


def _carried(velocity: Array, place: Array) -> Array:
    """(2,) velocity of a point that moves with the footprint [m/s]."""
    x, y, yaw = velocity
    return np.array([x - yaw * place[1], y + yaw * place[0]])


def _largest(off: Array, way: Array) -> float:
    """Largest s from 0 to 1 at which off - s way is no longer than 1, or than off."""
    square = way @ way
    if square == 0.0:
        return 1.0
    radius = max(1.0, float(np.linalg.norm(off)))
    along = off @ way
    root = np.sqrt(along**2 + square * (radius**2 - off @ off))
    return float(np.clip((along + root) / square, 0.0, 1.0))
