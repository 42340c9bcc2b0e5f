"""Motions that follow a command as it changes: strides for a velocity, moves for a posture."""

from dataclasses import replace

import numpy as np

from softshell_actions.call import Call
from softshell_actions.language import AXES, Action, BaseMove
from softshell_actions.library import ActionLibrary
from softshell_actions.state import State
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import COORDINATES, angles_from_rotation

#: Shortest time of a move of the base [s].
SHORTEST_POSING = 0.3
#: A tilt by one radian counts like so many metres.
LEVER = 0.3


def within_limits(velocity: Array, stride: Action) -> Array:
    """A velocity slowed down, its direction kept, until it fits an action of one stride.

    Along an axis in whose direction the action allows no velocity at all there is none.

    Args:
        velocity: (3,) x, y [m/s], yaw [rad/s].
        stride: an action with parameters of these names, whose ranges hold 0.
    """
    ranges = [stride.parameters[axis] for axis in AXES]
    highest = np.array([entry.maximum for entry in ranges])
    lowest = np.array([entry.minimum for entry in ranges])
    limits = np.where(velocity < 0.0, -lowest, highest)
    free = limits > 0.0
    shares = np.abs(velocity[free]) / limits[free]
    return np.where(free, velocity, 0.0) / float(np.max(shares, initial=1.0))


def stride_call(library: ActionLibrary, stride: str, velocity: Array, gait: str = '') -> Call:
    """The sub-action that brings the robot to a velocity.

    Args:
        library: holds the action.
        stride: name of an action that a gait's `stride` may name: of one sub-action, with
            parameters x, y and yaw.
        velocity: (3,) x, y [m/s], yaw [rad/s]; beyond the action's limits it is slowed down.
        gait: that the stride follows if it is for any; empty: the one that the robot walks by.
    """
    feasible = within_limits(velocity, library.action(stride))
    (call,) = library.call(stride, dict(zip(AXES, feasible.tolist(), strict=True)), gait)
    return replace(call, counts=False)


def standing_up(library: ActionLibrary, gait: str | None) -> list[Call]:
    """What brings the robot to where the strides of a gait can begin; nothing without a gait."""
    requires = library.action(library.gait(gait).stride).requires if gait else None
    return library.call(requires.action) if requires and requires.action else []


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
