"""The mass matrix of a robot's joints, compiled."""

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.model.urdf import Urdf
from softshell_sim.urdf.tree import from_the_root

#: Steps after which those who use a mass matrix compute it anew.
MASS_STEPS = 10


class JointMass:
    """Mass matrix of the joints of a robot whose base is free or fixed.

    By the composite rigid body algorithm (Featherstone, "Rigid Body Dynamics Algorithms", 2008,
    table 6.2), in the frame of the root link. With a free base it is M = Mjj − Mjb Mbb⁻¹ Mbj:
    joint efforts alone are M times the accelerations of the joints.

    Args:
        urdf: as `flatten` returns it: every joint moves.
        names: (joints,) of the joints, in their order.
        fixed: whether the root link is fixed.
        rotor_inertia: (joints,) added to each joint [kg m^2] or [kg].
    """

    def __init__(
        self, urdf: Urdf, names: Sequence[str], fixed: bool, rotor_inertia: Array
    ) -> None:
        order = from_the_root(urdf)
        place = {joint.child: number for number, joint in enumerate(order)}
        self._column = np.array([names.index(joint.name) for joint in order], dtype=np.int64)
        self._parent = np.array([place.get(joint.parent, -1) for joint in order], dtype=np.int64)
        self._slides = np.array([joint.type == 'prismatic' for joint in order])
        self._origin = np.array([joint.origin for joint in order]).reshape(-1, 4, 4)
        self._axis = np.array([joint.axis for joint in order]).reshape(-1, 3)
        links = [urdf.link(joint.child) for joint in order]
        self._mass = np.array([link.mass for link in links])
        self._com = np.array([link.com for link in links]).reshape(-1, 3)
        self._inertia = np.array([link.inertia for link in links]).reshape(-1, 3, 3)
        root = urdf.link(urdf.root)
        self._root = np.zeros((6, 6))
        _add_body(self._root, root.mass, root.com, root.inertia)
        self._fixed, self._rotor = fixed, rotor_inertia

    def write(self, position: Array, matrix: Array) -> None:
        """Write the (joints, joints) matrix [kg m^2], [kg m] or [kg].

        Args:
            position: (joints,) [rad] or [m].
            matrix: (joints, joints), is overwritten.
        """
        whole, push = self._root.copy(), np.zeros((6, len(position)))
        _write(
            position, self._column, self._parent, self._slides, self._origin, self._axis,
            self._mass, self._com, self._inertia, whole, push, matrix,
        )  # fmt: skip
        if not self._fixed:
            matrix -= push.T @ np.linalg.solve(whole, push)
        matrix.flat[:: len(matrix) + 1] += self._rotor


@njit(cache=True)
def _add_body(whole: Array, mass: float, centre: Array, inertia: Array) -> None:
    """Add a body to a (6, 6) spatial inertia about the origin; angular coordinates first."""
    x, y, z = centre[0], centre[1], centre[2]
    square = x * x + y * y + z * z
    for i in range(3):
        for j in range(3):
            whole[i, j] += inertia[i, j] - mass * centre[i] * centre[j]
        whole[i, i] += mass * square
        whole[3 + i, 3 + i] += mass
    for i, j, value in ((0, 1, -z), (0, 2, y), (1, 0, z), (1, 2, -x), (2, 0, -y), (2, 1, x)):
        whole[i, 3 + j] += mass * value
        whole[3 + i, j] -= mass * value


@njit(cache=True)
def _turn_about(axis: Array, angle: float) -> Array:
    """(3, 3) rotation matrix, by Rodrigues' formula."""
    cosine, sine = np.cos(angle), np.sin(angle)
    turn = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            turn[i, j] = (1.0 - cosine) * axis[i] * axis[j]
        turn[i, i] += cosine
    for i, j, value in ((0, 1, -axis[2]), (0, 2, axis[1]), (1, 2, -axis[0])):
        turn[i, j] += sine * value
        turn[j, i] -= sine * value
    return turn


@njit(cache=True)
def _apply(matrix: Array, vector: Array) -> Array:
    """Product of a matrix and a vector; `@` would take long to compile."""
    result = np.zeros(len(matrix))
    for i in range(len(matrix)):
        for j in range(len(vector)):
            result[i] += matrix[i, j] * vector[j]
    return result


@njit(cache=True)
def _product(one: Array, other: Array) -> Array:
    """Product of two (3, 3) matrices."""
    result = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                result[i, j] += one[i, k] * other[k, j]
    return result


@njit(cache=True)
def _write(
    position: Array,
    column: NDArray[np.int64],
    parent: NDArray[np.int64],
    slides: NDArray[np.bool_],
    origin: Array,
    axis: Array,
    mass: Array,
    com: Array,
    inertia: Array,
    whole: Array,
    push: Array,
    matrix: Array,
) -> None:
    """Write Mjj into `matrix` and Mbj into `push`; add all links to `whole`, that of the root."""
    count = len(column)
    turn, place = np.empty((count, 3, 3)), np.empty((count, 3))
    motion = np.zeros((count, 6))
    composite = np.zeros((count, 6, 6))
    for k in range(count):
        value = position[column[k]]
        own, at = origin[k, :3, :3].copy(), origin[k, :3, 3].copy()
        if slides[k]:
            at += value * _apply(own, axis[k])
        else:
            own = _product(own, _turn_about(axis[k], value))
        if parent[k] >= 0:
            at = _apply(turn[parent[k]], at) + place[parent[k]]
            own = _product(turn[parent[k]], own)
        turn[k], place[k] = own, at
        way = _apply(own, axis[k])
        if slides[k]:
            motion[k, 3:] = way
        else:
            motion[k, :3] = way
            motion[k, 3] = at[1] * way[2] - at[2] * way[1]
            motion[k, 4] = at[2] * way[0] - at[0] * way[2]
            motion[k, 5] = at[0] * way[1] - at[1] * way[0]
        moments = _product(_product(own, inertia[k]), own.T)
        _add_body(composite[k], mass[k], _apply(own, com[k]) + at, moments)
    for k in range(count - 1, -1, -1):
        if parent[k] >= 0:
            composite[parent[k]] += composite[k]
        else:
            whole += composite[k]
    matrix[:] = 0.0
    for k in range(count):
        force = _apply(composite[k], motion[k])
        push[:, column[k]] = force
        j = k
        while j >= 0:
            felt = 0.0
            for i in range(6):
                felt += motion[j, i] * force[i]
            matrix[column[j], column[k]] = matrix[column[k], column[j]] = felt
            j = parent[j]
