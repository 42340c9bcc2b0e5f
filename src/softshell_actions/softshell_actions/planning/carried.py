"""How fast a robot may walk so that no foot is carried out of its reach before it lifts."""

from collections.abc import Iterator

import numpy as np

from softshell_actions.performing.call import Call
from softshell_actions.planning.gait_cycle import GaitCycle
from softshell_actions.state import Stance, State
from softshell_kinematics.arrays import Array

#: A foot counts as beyond its reach when it is further off than this times what is allowed.
BEYOND = 1.1
#: Larger velocities are first scaled down to this [m/s], [rad/s], so that squares stay finite.
ENORMOUS = 1e12


def share_within(call: Call, state: State, stance: Stance, cycle: GaitCycle) -> float:
    """Part of a stride's velocity, from 0 to 1, at which every foot lifts within its reach.

    A foot has its place half-way through its stance, and has to lift half a reach away from it at
    most. In a steady walk it is there by then; while the velocity changes, each foot counts from
    where it is, for the time until it lifts. A foot that is beyond its reach already may stay as
    far away.

    Args:
        call: the stride.
        state: at its start.
        stance: how the robot stands.
        cycle: of its gait.
    """
    move = call.gait_move
    if cycle.reach is None or move is None:
        return 1.0
    least = ENORMOUS / max(ENORMOUS, float(np.abs(call.velocity).max()))
    if least < 1.0:
        return least * share_within(call.shortened(least), state, stance, cycle)
    time, reach = call.value(move.cycle), np.array([cycle.reach.x, cycle.reach.y])
    shares = [1.0]
    spread = call.value(move.spread)
    for leg, timing in cycle.legs.items():
        rest = put_down(stance.feet[stance.index(leg)], spread + timing.spread, timing.aside)
        # In a steady walk the foot is carried half of its way on either side of its place.
        way = _carried(call.velocity, rest) * time * timing.duty / reach
        shares.append(_largest(np.zeros(2), way))
    for off, left, rest in _lifting_later(state, stance, cycle, time, spread):
        shares.append(_largest(2 * off / reach, 2 * _carried(call.velocity, rest) * left / reach))
    return min(shares)


def is_beyond(call: Call, state: State, stance: Stance, cycle: GaitCycle) -> bool:
    """Whether a foot would leave its reach even if the robot came to rest in a stride.

    Args:
        call: the stride.
        state: at its start.
        stance: how the robot stands.
        cycle: of its gait.
    """
    move = call.gait_move
    if cycle.reach is None or move is None:
        return False
    half = np.array([cycle.reach.x, cycle.reach.y]) / 2
    time, spread = call.value(move.cycle), call.value(move.spread)
    later = _lifting_later(state, stance, cycle, time, spread)
    return any(np.linalg.norm(off / half) > BEYOND for off, _, _ in later)


def is_out_of_place(call: Call, state: State, stance: Stance, cycle: GaitCycle) -> bool:
    """Whether a robot at rest has a foot out of its reach from where the gait puts it down.

    Args:
        call: the stride.
        state: of the robot.
        stance: how it stands.
        cycle: of the gait.
    """
    move = call.gait_move
    if cycle.reach is None or move is None or not state.at_rest:
        return False
    spread = call.value(move.spread)
    half = np.array([cycle.reach.x, cycle.reach.y]) / 2
    for leg, timing in cycle.legs.items():
        index = stance.index(leg)
        off = state.feet[index] - put_down(
            stance.feet[index], spread + timing.spread, timing.aside
        )
        if np.linalg.norm(off[:2] / half) > BEYOND:
            return True
    return False


def _lifting_later(
    state: State, stance: Stance, cycle: GaitCycle, time: float, spread: float
) -> Iterator[tuple[Array, float, Array]]:
    """Feet that lift later: how far off each would be if the robot came to rest in this part.

    Args:
        state: at the start of a part of the cycle.
        stance: how the robot stands.
        cycle: of the gait.
        time: of the whole cycle [s].
        spread: how much further out than in the gait itself feet are put down [m].

    Yields:
        (2,) how far the foot would be from its place half-way through the stance [m]; the time for
        which it is carried at the velocity at the end of this part, until it lifts [s]; its place,
        (3,) in the footprint [m].
    """
    part = state.parts.get(cycle.name, 0)
    ramp = cycle.length(part) * time / 2
    for leg, timing in cycle.legs.items():
        left = cycle.until_lift(leg, part) * time
        if left == 0.0:
            continue
        index = stance.index(leg)
        rest = put_down(stance.feet[index], spread + timing.spread, timing.aside)
        swing = state.swings.get(leg)
        foot = state.feet[index] if swing is None else swing.foothold
        yield (foot - rest)[:2] - _carried(state.velocity, rest) * ramp, left - ramp, rest


def put_down(rest: Array, spread: float, aside: float) -> Array:
    """(3,) place of a foot in the footprint [m].

    Args:
        rest: (3,) its place at rest [m]; right under the base, where no direction leads outwards,
            it stays.
        spread: how much further out [m].
        aside: how much further round the base, to the left [m].
    """
    distance = np.linalg.norm(rest)
    if distance == 0.0:
        return rest.copy()
    out = rest / distance
    left = np.array([-out[1], out[0], 0.0])
    place: Array = rest + spread * out + aside * left
    return place


def _carried(velocity: Array, place: Array) -> Array:
    """(2,) velocity of a point that moves with the footprint [m/s]."""
    x, y, yaw = velocity
    return np.array([x - yaw * place[1], y + yaw * place[0]])


def _largest(off: Array, way: Array) -> float:
    """Largest s from 0 to 1 with |off - s way| ≤ max(1, |off|)."""
    square = way @ way
    if square == 0.0:
        return 1.0
    along, room = off @ way, max(1.0 - float(off @ off), 0.0)
    root = np.sqrt(along**2 + square * room)
    return float(np.clip((along + root) / square, 0.0, 1.0))
