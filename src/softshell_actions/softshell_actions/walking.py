"""Motions that follow a command as it changes: strides for a velocity, moves for a posture."""

import numpy as np
from numpy.typing import NDArray

from softshell_actions.language import Action, PointsMove, SubAction
from softshell_actions.library import ActionLibrary, Call
from softshell_actions.state import State

Array = NDArray[np.float64]

AXES = ('x', 'y', 'yaw')

#: Shortest time of a move of the base [s].
SHORTEST_POSING = 0.3
#: A tilt by one radian counts like so many metres.
LEVER = 0.3


def within_limits(velocity: Array, stride: Action) -> Array:
    """A velocity slowed down, its direction kept, until it fits an action of one stride.

    Args:
        velocity: (3,) x, y [m/s], yaw [rad/s].
        stride: an action with parameters of these names.
    """
    limits = np.array([stride.parameters[axis].maximum for axis in AXES])
    return velocity / max(1.0, float(np.max(np.abs(velocity) / limits)))


def stride_call(library: ActionLibrary, stride: str, velocity: Array) -> Call:
    """The sub-action that brings the robot to a velocity.

    Args:
        library: holds the action.
        stride: name of an action of one sub-action, with parameters x, y and yaw.
        velocity: (3,) x, y [m/s], yaw [rad/s]; beyond the action's limits it is slowed down.
    """
    feasible = within_limits(velocity, library.action(stride))
    (call,) = library.call(stride, dict(zip(AXES, feasible.tolist(), strict=True)))
    return call


def with_move(call: Call, move: PointsMove) -> Call:
    """A call with one more move side by side."""
    sub_action = call.sub_action.model_copy(update={'moves': [*call.sub_action.moves, move]})
    return Call(sub_action, call.values)


def move_call(name: str, duration: float, move: PointsMove) -> Call:
    """A call of one move that takes `duration` [s]."""
    sub_action = {'name': name, 'duration': duration, 'moves': [move]}
    return Call(SubAction.model_validate(sub_action), {})


def posing_time(state: State, target: PointsMove, speed: float) -> float:
    """Time a move of the base takes at a given mean speed [s].

    Args:
        state: where it starts.
        target: where it goes, absolute, every coordinate a number.
        speed: [m/s]; tilts count by `LEVER`.
    """
    goal = np.array([float(value) for value in target.points[-1].values()])
    start = np.concatenate([state.base_position, state.base_rotation.as_euler('ZYX')])
    distance = np.abs(goal - start) * [1.0, 1.0, 1.0, LEVER, LEVER, LEVER]
    return max(SHORTEST_POSING, float(np.linalg.norm(distance)) / speed)
