"""Friction along and across an axis as forces on links, for an engine that cannot have it itself.

At each contact that force is sought which would stop the link within the step, were the link alone
and nothing else acting; of those that friction can have the nearest is taken. In a chain a link
yields less than alone, so no force ever turns a slip around: it is stable at any step. What is
held creeps as fast as its force needs.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_sim.contact.anisotropic_friction import UPRIGHT

#: Iterations at most, each of which about doubles the digits of a force.
ITERATIONS = 40


class Moving(NamedTuple):
    """Links and how they move.

    Attributes:
        centre, velocity, angular: (links, 3) of their mass, in the world [m], [m/s], [rad/s].
        turn: (links, 3, 3) of their frames in the world.
        mobility: (links,) 1/mass [1/kg]; 0: it stands still.
        turning: (links, 3, 3) inverse of their inertia in the world [1/(kg m^2)].
    """

    centre: Array
    velocity: Array
    angular: Array
    turn: Array
    mobility: Array
    turning: Array


def friction_forces(
    ends: NDArray[np.int64], points: Array, normals: Array, axes: Array, most: Array,
    moving: Moving, step: float,
) -> Array:  # fmt: skip
    """(contacts, 3) forces of friction on the first link of each contact [N].

    Args:
        ends: (contacts, 2) links that touch.
        points, normals: (contacts, 3) in the world [m]; unit vectors.
        axes: (contacts, 3) along which friction is another, in the frame of the first link; 0:
            it is the same in all directions.
        most: (contacts, 2) forces along and across that friction can have [N].
        moving: the links.
        step: of time [s].
    """
    forces: Array = _forces(ends, points, normals, axes, most, *moving, step)
    return forces


@njit(cache=True)
def _forces(
    ends: NDArray[np.int64],
    points: Array,
    normals: Array,
    axes: Array,
    most: Array,
    centre: Array,
    velocity: Array,
    angular: Array,
    turn: Array,
    mobility: Array,
    turning: Array,
    step: float,
) -> Array:
    yields = np.zeros(len(mobility))
    for k in range(len(ends)):
        for side in range(2):
            link = ends[k, side]
            arm = points[k] - centre[link]
            yields[link] += _yield(arm, normals[k], mobility[link], turning[link])
    forces = np.zeros((len(ends), 3))
    for k in range(len(ends)):
        one, other = ends[k]
        slip = velocity[one] + np.cross(angular[one], points[k] - centre[one])
        slip -= velocity[other] + np.cross(angular[other], points[k] - centre[other])
        stop = step * (yields[one] + yields[other])
        if stop > 0.0:
            axis = np.ascontiguousarray(turn[one]) @ axes[k]
            forces[k] = friction_force(slip, normals[k], axis, most[k], stop)
    return forces


@njit(cache=True)
def _yield(arm: Array, normal: Array, mobility: float, turning: Array) -> float:
    """How much a force along a surface changes the velocity where it acts, at most [1/kg].

    Args:
        arm: (3,) from the centre of mass to there [m].
        normal: (3,) unit vector of the surface.
        mobility, turning: 1/mass [1/kg], (3, 3) inverse inertia [1/(kg m^2)].
    """
    one = np.zeros(3)
    one[np.argmin(np.abs(normal))] = 1.0
    one = np.cross(normal, one)
    one /= np.sqrt(one @ one)
    lever, other = np.cross(arm, one), np.cross(arm, np.cross(normal, one))
    inverse = np.ascontiguousarray(turning)
    a, b, c = lever @ inverse @ lever, lever @ inverse @ other, other @ inverse @ other
    return float(mobility + 0.5 * (a + c) + np.sqrt(0.25 * (a - c) ** 2 + b * b))


@njit(cache=True)
def friction_force(slip: Array, normal: Array, axis: Array, most: Array, stop: float) -> Array:
    """(3,) force of friction on a link that slips [N].

    Of all forces f in the ellipse of friction the one nearest to −v / stop, which stops the slip
    v. With a multiplier λ that is −v / stop / (1 + λ / most²) along each axis of the ellipse.

    Args:
        slip: (3,) velocity [m/s].
        normal: (3,) unit vector of the surface.
        axis: (3,) of the link in the world; upright or 0: friction is as across in all directions.
        most: (2,) forces along and across the axis that friction can have [N].
        stop: slip that a force changes in the step [m/(N s)].
    """
    flat = axis - axis @ normal * normal
    length = np.sqrt(flat @ flat)
    force = np.zeros(3)
    if length < UPRIGHT:
        flat = slip - slip @ normal * normal
        length, most = np.sqrt(flat @ flat), np.array([most[1], most[1]])
        if length == 0.0:
            return force
    one = flat / length
    other = np.cross(normal, one)
    wanted = -np.array([slip @ one, slip @ other]) / stop
    limits = np.maximum(most, 1e-12)
    if np.sum((wanted / limits) ** 2) > 1.0:
        squares = limits**2
        # Newton on 1 / |f / limits| − 1, which is nearly straight in λ, from where it is negative.
        scale = 0.0
        for _ in range(ITERATIONS):
            parts = wanted * limits / (squares + scale)
            size = np.sum(parts**2)
            slope = np.sum(parts**2 / (squares + scale))
            more = size * (np.sqrt(size) - 1.0) / slope
            scale += more
            if abs(more) < 1e-12 * scale:
                break
        wanted = wanted * squares / (squares + scale)
    force[:] = wanted[0] * one + wanted[1] * other
    return force
