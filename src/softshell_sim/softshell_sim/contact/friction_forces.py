"""Anisotropic friction as forces on links, for an engine that has none of its own.

At each contact the force is the one that would stop the slip within the step if the two links were
free bodies and nothing else acted on them, projected onto the ellipse of possible friction forces.
A link of a chain is harder to move than a free one, so the force never reverses a slip: this is
stable at any time step. A link that friction holds creeps, at the slip that gives the needed
force.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_sim.contact.anisotropic_friction import UPRIGHT

#: Iterations of Newton's method at most; each about doubles the correct digits of a force.
ITERATIONS = 40


class Moving(NamedTuple):
    """Links and how they move.

    Attributes:
        centre: (links, 3) centres of mass in the world [m].
        velocity, angular: (links, 3) velocities of these and of the links [m/s], [rad/s].
        turn: (links, 3, 3) rotation of the frames of the links in the world.
        mobility: (links,) 1/mass [1/kg]; 0: the link stands still.
        turning: (links, 3, 3) inverse of the inertia in the world [1/(kg m^2)].
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
        ends: (contacts, 2) places in `moving` of the links that touch.
        points: (contacts, 3) in the world [m].
        normals: (contacts, 3) unit vectors in the world.
        axes: (contacts, 3) axis of the anisotropy in the frame of the first link; 0: friction is
            the same in all directions.
        most: (contacts, 2) largest friction along and across the axis [N].
        moving: the links.
        step: duration of the step [s].
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
    """Largest inverse mass of a free link against a force along a surface, at a point [1/kg].

    Args:
        arm: (3,) from the centre of mass to the point [m].
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
    """(3,) friction force on a link that slips, in the world [N].

    Of all forces in the friction ellipse it is the one nearest to −v / stop, which would stop the
    slip v. With a Lagrange multiplier λ it is −v / stop / (1 + λ / most²) along each axis of the
    ellipse.

    Args:
        slip: (3,) velocity against the other link, in the world [m/s].
        normal: (3,) unit vector of the surface, in the world.
        axis: (3,) of the link, in the world; if it is 0 or normal to the surface, friction in all
            directions is that across the axis.
        most: (2,) largest friction along and across the axis [N].
        stop: change of the slip by a force of 1 N during the step [m/(N s)].
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
        # Newton's method on 1 / |f / limits| − 1, nearly linear in λ, from a negative value.
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
