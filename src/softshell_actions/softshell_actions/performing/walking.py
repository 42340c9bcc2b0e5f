"""Calls for streamed commands and between gaits: strides for a velocity, moves for a posture."""

from dataclasses import dataclass, replace

import numpy as np

from softshell_actions.language.grammar import AXES, Action, BaseMove
from softshell_actions.library import ActionLibrary
from softshell_actions.performing.call import Call, base_call
from softshell_actions.planning.carried import is_beyond, is_out_of_place
from softshell_actions.planning.planner import Planner
from softshell_actions.state import State
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import COORDINATES, angles_from_rotation

#: Time for the base to come back from its sway [s].
SETTLING = 0.6
#: Shortest time of a move of the base [s].
SHORTEST_POSING = 0.3
#: Part of its velocity that a robot keeps in a stride in which it slows down for another gait.
SLOWED = 0.3
#: A robot that is slower comes to rest instead [m/s], [rad/s].
CREEPING = 0.03
#: Way that a tilt of one radian counts like [m/rad].
LEVER = 0.3


@dataclass(frozen=True)
class Pace:
    """How a robot walks when it follows velocities.

    Args:
        gait: its name.
        tempo: factor on how quickly legs take turns.
        lift: factor on how high feet are lifted.
    """

    gait: str
    tempo: float = 1.0
    lift: float = 1.0


def within_limits(velocity: Array, stride: Action) -> Array:
    """A velocity, reduced in its direction until it is in the ranges of a stride's parameters.

    A component in a direction in which the action allows no velocity at all becomes 0.

    Args:
        velocity: (3,) x, y [m/s], yaw [rad/s].
        stride: an action with parameters of these names, whose ranges hold 0.
    """
    ranges = [stride.parameters[axis] for axis in AXES]
    highest = np.array([entry.maximum for entry in ranges])
    lowest = np.array([entry.minimum for entry in ranges])
    limits = np.where(velocity < 0.0, -lowest, highest)
    free = limits > 0.0
    # Relative to the largest component, so that numbers of any size stay finite.
    size = max(1.0, float(np.abs(velocity[free]).max(initial=0.0)))
    parts = np.where(free, velocity, 0.0) / size
    shares = np.abs(parts[free]) / limits[free]
    slowed = parts / float(np.max(shares, initial=1.0 / size))
    return np.clip(slowed, lowest, highest)


def stride_call(library: ActionLibrary, gait: str, velocity: Array) -> Call:
    """The stride of a gait that brings the robot to a velocity; what feet reach does not count.

    Args:
        library: holds the gait and its stride.
        gait: its name.
        velocity: (3,) x, y [m/s], yaw [rad/s]; beyond the ranges of the stride it is reduced, see
            `within_limits`.
    """
    stride = library.action(library.gait(gait).stride)
    feasible = within_limits(velocity, stride)
    (call,) = library.call(stride.name, dict(zip(AXES, feasible.tolist(), strict=True)), gait)
    return replace(call, counts=False)


class Strides:
    """Strides of a robot that follow velocities.

    Args:
        library: holds its gaits, and their strides.
        pace: how it walks; may be changed at any time.
    """

    def __init__(self, library: ActionLibrary, pace: Pace) -> None:
        self._library, self.pace = library, pace

    @property
    def action(self) -> Action:
        """The action that the strides are of."""
        return self._library.action(self._library.gait(self.pace.gait).stride)

    def call(self, velocity: Array) -> Call:
        """The sub-action that brings the robot to a velocity.

        Args:
            velocity: (3,) x, y [m/s], yaw [rad/s]; as in `stride_call`.
        """
        call = stride_call(self._library, self.pace.gait, velocity)
        return call.paced(self.pace.tempo).lower(self.pace.lift)


def passage(call: Call, state: State, planner: Planner) -> Call | None:
    """The next stride that has to come before a call; None if none has.

    Feet in the air land before a call that follows no gait, another one or another pace. A robot
    that is too fast for its feet to get in step with the other gait slows down. A robot at rest
    first puts feet to where the gait has them.

    Args:
        call: what is to follow.
        state: in which the robot is.
        planner: of the robot.
    """
    stride, move, stance = state.stride, call.gait_move, planner.stance
    if stance is None:
        return None
    if move is None:
        return stride.halting().landing() if stride is not None and state.swings else None
    lifts = call.travels and move.lift  # else no foot gets to its place
    if lifts and is_out_of_place(call, state, stance, planner.cycle(move.gait)):
        return call.halting()
    if stride is None or call.follows_on(stride):
        return None
    if state.swings:
        return stride.halting().landing().veered(state.velocity)
    if state.velocity.any() and is_beyond(call, state, stance, planner.cycle(move.gait)):
        creeps = np.abs(state.velocity).max() < CREEPING
        return stride.halting() if creeps else stride.halting().veered(SLOWED * state.velocity)
    return None


def standing_up(library: ActionLibrary, gait: str | None) -> list[Call]:
    """Sub-actions after which strides of a gait can begin; none if there is no gait."""
    requires = library.action(library.gait(gait).stride).requires if gait else None
    return library.call(requires.action) if requires and requires.action else []


def settling() -> Call:
    """The call that moves the base back from its sway."""
    return base_call('settle', SETTLING, BaseMove(base=[{}]))


def base_move(coordinates: Array) -> BaseMove:
    """The move that brings the base to (6,) x y z yaw pitch roll in the footprint."""
    point = dict(zip(COORDINATES, coordinates.tolist(), strict=True))
    return BaseMove.model_validate({'base': [point]})


def posing_time(state: State, target: Array, speed: float) -> float:
    """Time a move of the base takes at a given mean speed [s].

    Args:
        state: where it starts.
        target: (6,) x y z yaw pitch roll of the base in the footprint where it goes.
        speed: [m/s]; tilts count by `LEVER`.
    """
    angles = angles_from_rotation(state.base_rotation.as_matrix())
    start = np.concatenate([state.base_position, angles])
    distance = np.abs(target - start) * [1.0, 1.0, 1.0, LEVER, LEVER, LEVER]
    return max(SHORTEST_POSING, float(np.linalg.norm(distance)) / speed)
