"""Reaching by a plan: bends of the arm by least squares, then corrected by the tip's error."""

import numpy as np
from scipy.optimize import least_squares

from softshell_kinematics.arrays import Array
from softshell_studies.gym.planar_arm import (
    ACTUATORS,
    LARGEST,
    PLACES,
    SEGMENTS,
    STEPS,
    STIFFNESS,
    WIDTH,
    tip_of,
)
from softshell_studies.gym.policy import Policy
from softshell_studies.gym.reach import RADIUS, Reach
from softshell_studies.gym.task import part_of

#: Moment that bends an actuator by one radian, as part of the largest moment [1/rad].
PER_BEND = STIFFNESS / SEGMENTS / LARGEST
#: Largest bend of an actuator [rad].
MOST = 1.0 / PER_BEND
#: Weights, beside that of the tip's error: of bends [m/rad], and of points that are too near to
#: the obstacle; least gap between arm and obstacle [m].
EASE, AWAY, ROOM = 0.002, 2.0, 0.012
#: Part of the tip's error that is corrected in a step, and damping of the least squares [m/rad].
SHARE, DAMPED = 0.08, 0.05


class ScriptedReach(Policy):
    """Plans the bends once, then corrects them by damped least squares from the tip's error.

    Args:
        task: that is played.
        plans: whether it plans; otherwise it only corrects the moments that are applied now.
    """

    def __init__(self, task: Reach, plans: bool = True) -> None:
        self._task, self._parts, self._plans = task, task.observations, plans
        self._wanted: Array | None = None

    def begin(self) -> None:
        self._wanted = None

    def by_sight(self) -> 'ScriptedReach':
        return ScriptedReach(self._task, plans=False)

    def act(self, observation: Array) -> Array:
        error = part_of(self._parts, observation, 'error')
        bends = part_of(self._parts, observation, 'bends')
        if not self._plans:
            self._wanted = part_of(self._parts, observation, 'moments') / PER_BEND
        elif self._wanted is None:
            target = part_of(self._parts, observation, 'target')
            obstacle = None
            if any(part.name == 'obstacle' for part in self._parts):
                obstacle = part_of(self._parts, observation, 'obstacle')
            self._wanted = planned(target, obstacle)
        jacobian = by_bend(bends)
        inverse = jacobian.T @ np.linalg.inv(jacobian @ jacobian.T + DAMPED**2 * np.eye(2))
        self._wanted = np.clip(self._wanted + SHARE * inverse @ error, -MOST, MOST)
        return self._wanted * PER_BEND


def by_bend(bends: Array) -> Array:
    """(2, actuators) Jacobian of the tip by the bend of each actuator [m/rad].

    Args:
        bends: (actuators,) [rad], each spread evenly over the actuator's joints.
    """
    _, jacobian = tip_of(np.repeat(bends / SEGMENTS, SEGMENTS))
    by_actuator: Array = jacobian.reshape(2, ACTUATORS, SEGMENTS).mean(axis=2)
    return by_actuator


def planned(target: Array, obstacle: Array | None = None) -> Array:
    """(actuators,) bends that bring the tip to a target, and keep the arm off an obstacle [rad].

    Args:
        target: (2,) along and aside [m].
        obstacle: (2,) its centre, along and aside [m]; None: there is none.
    """

    def off(bends: Array) -> Array:
        angles = np.repeat(bends / SEGMENTS, SEGMENTS)
        point, _ = tip_of(angles)
        parts = [point - target, EASE * bends]
        if obstacle is not None:
            gaps = np.linalg.norm(points_of(angles) - obstacle, axis=1)
            parts.append(AWAY * np.minimum(gaps - RADIUS - 0.5 * WIDTH - ROOM, 0.0))
        return np.concatenate(parts)

    side = np.sign(target[1]) or 1.0
    begins = [side * np.array(bends) for bends in ((0.3, 0.3, 0.3, 0.3), (-0.2, -0.2, 1.2, 1.0))]
    found = [least_squares(off, begin, bounds=(-MOST, MOST)) for begin in begins]
    best: Array = min(found, key=lambda one: one.cost).x
    return best


def points_of(angles: Array) -> Array:
    """(joints + 1, 2) positions of the joints and of the tip, along and aside [m].

    Args:
        angles: (joints,) [rad].
    """
    heading = np.cumsum(angles)
    ways = STEPS[:, None] * np.column_stack([np.cos(heading), np.sin(heading)])
    return np.vstack([[PLACES[0], 0.0], [PLACES[0], 0.0] + np.cumsum(ways, axis=0)])
