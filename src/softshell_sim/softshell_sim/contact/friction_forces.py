"""Anisotropic friction as forces on links, for an engine that has none of its own.

At each contact the force is the one that would stop the slip within the step if the two links were
free bodies and nothing else acted on them, projected onto the ellipse of possible friction forces.
A link of a chain is harder to move than a free one, so the force never reverses a slip: this is
stable at any time step. A link that friction holds creeps, at the slip that gives the needed
force.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.kernels.vectors import Vector, cross, dot, plus, vector
from softshell_sim.contact.anisotropic_friction import UPRIGHT

#: Iterations of Newton's method at most; each about doubles the correct digits of a force.
ITERATIONS = 40
#: Friction of less is as much [N].
LEAST = 1e-12


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
        normal = vector(normals[k], 0)
        for side in range(2):
            link = ends[k, side]
            arm = plus(vector(points[k], 0), -1.0, vector(centre[link], 0))
            yields[link] += _yield(arm, normal, mobility[link], turning[link])
    forces = np.zeros((len(ends), 3))
    for k in range(len(ends)):
        one, other = ends[k]
        stop = step * (yields[one] + yields[other])
        if stop > 0.0:
            slip = (0.0, 0.0, 0.0)
            for link, sign in ((one, 1.0), (other, -1.0)):
                arm = plus(vector(points[k], 0), -1.0, vector(centre[link], 0))
                slip = plus(slip, sign, vector(velocity[link], 0))
                slip = plus(slip, sign, cross(vector(angular[link], 0), arm))
            axis = _product(turn[one], vector(axes[k], 0))
            force = friction_force(slip, vector(normals[k], 0), axis, most[k, 0], most[k, 1], stop)
            for i in range(3):
                forces[k, i] = force[i]
    return forces


@njit(cache=True)
def _product(matrix: Array, a: Vector) -> Vector:
    """Product of a matrix (3, 3) and a vector; `@` would take long to compile."""
    return dot(vector(matrix[0], 0), a), dot(vector(matrix[1], 0), a), dot(vector(matrix[2], 0), a)


@njit(cache=True)
def _yield(arm: Vector, normal: Vector, mobility: float, turning: Array) -> float:
    """Largest inverse mass of a free link against a force along a surface, at a point [1/kg].

    Args:
        arm: from the centre of mass to the point [m].
        normal: unit vector of the surface.
        mobility, turning: 1/mass [1/kg], (3, 3) inverse inertia [1/(kg m^2)].
    """
    x, y, z = abs(normal[0]), abs(normal[1]), abs(normal[2])
    if x <= y and x <= z:
        one = cross(normal, (1.0, 0.0, 0.0))
    elif y <= z:
        one = cross(normal, (0.0, 1.0, 0.0))
    else:
        one = cross(normal, (0.0, 0.0, 1.0))
    size = 1.0 / math.sqrt(dot(one, one))
    lever, other = cross(arm, one), cross(arm, cross(normal, one))
    turned = _product(turning, other)
    a = dot(lever, _product(turning, lever)) * size**2
    b, c = dot(lever, turned) * size**2, dot(other, turned) * size**2
    return mobility + 0.5 * (a + c) + math.sqrt(0.25 * (a - c) ** 2 + b * b)


@njit(cache=True)
def friction_force(
    slip: Vector, normal: Vector, axis: Vector, along: float, across: float, stop: float
) -> Vector:
    """Friction force on a link that slips, in the world [N].

    Of all forces in the friction ellipse it is the one nearest to −v / stop, which would stop the
    slip v. With a Lagrange multiplier λ it is −v / stop / (1 + λ / most²) along each axis of the
    ellipse.

    Args:
        slip: velocity against the other link, in the world [m/s].
        normal: unit vector of the surface, in the world.
        axis: of the link, in the world; if it is 0 or normal to the surface, friction in all
            directions is that across the axis.
        along, across: largest friction along and across the axis [N].
        stop: change of the slip by a force of 1 N during the step [m/(N s)].
    """
    flat = plus(axis, -dot(axis, normal), normal)
    length = math.sqrt(dot(flat, flat))
    if length < UPRIGHT:
        flat, along = plus(slip, -dot(slip, normal), normal), across
        length = math.sqrt(dot(flat, flat))
        if length == 0.0:
            return 0.0, 0.0, 0.0
    one = (flat[0] / length, flat[1] / length, flat[2] / length)
    other = cross(normal, one)
    x, y = -dot(slip, one) / stop, -dot(slip, other) / stop
    p, q = max(along, LEAST) ** 2, max(across, LEAST) ** 2
    if x * x / p + y * y / q > 1.0:
        # Newton's method on 1 / |f / limits| − 1, nearly linear in λ, from a negative value.
        scale = 0.0
        for _ in range(ITERATIONS):
            first, second = x * x * p / (p + scale) ** 2, y * y * q / (q + scale) ** 2
            size = first + second
            slope = first / (p + scale) + second / (q + scale)
            more = size * (math.sqrt(size) - 1.0) / slope
            scale += more
            if abs(more) < 1e-12 * scale:
                break
        x, y = x * p / (p + scale), y * q / (q + scale)
    return x * one[0] + y * other[0], x * one[1] + y * other[1], x * one[2] + y * other[2]
