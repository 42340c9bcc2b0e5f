"""PyBullet's contacts, in the form that all engines have."""

from collections.abc import Callable
from typing import Any

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_sim.bodies import Body, Gap
from softshell_sim.contact.contact_table import ContactTable
from softshell_sim.pybullet.quietly import pybullet

#: A contact point, as `getContactPoints` returns it.
Point = tuple[Any, ...]


def contact_table(
    points: tuple[Point, ...],
    bodies: tuple[Body, ...],
    place_of: dict[int, int],
    friction: Callable[[Body, Body], float],
) -> ContactTable:
    """The table of all contacts.

    Args:
        points: of PyBullet.
        bodies: of the world.
        place_of: places in `bodies`, by PyBullet's numbers of bodies.
        friction: coefficient between two bodies.
    """
    if not points:
        return ContactTable.empty(bodies)
    ends = [(place_of[point[1]], place_of[point[2]]) for point in points]
    return ContactTable(
        bodies,
        np.array(ends, dtype=np.int64),
        np.array([(point[3] + 1, point[4] + 1) for point in points], dtype=np.int64),
        # In the middle between the two surfaces, as in MuJoCo.
        0.5 * np.array([point[5] for point in points]) + 0.5 * np.array([p[6] for p in points]),
        np.array([point[7] for point in points]),
        np.array([-point[8] for point in points]),
        np.array([_force(point) for point in points]),
        np.array([friction(bodies[one], bodies[other]) for one, other in ends]),
    )


def add_forces(points: tuple[Point, ...], number: int, force: Array) -> None:
    """Add the forces on each link of a body, with PyBullet's number, to (links, 3) [N]."""
    # Called in every step; single elements of a memoryview are faster than those of numpy.
    sums = memoryview(force.reshape(-1))  # type: ignore[arg-type]
    for point in points:
        x, y, z = _force(point)
        if point[1] == number:
            place = 3 * point[3] + 3
            sums[place] += x
            sums[place + 1] += y
            sums[place + 2] += z
        if point[2] == number:
            place = 3 * point[4] + 3
            sums[place] -= x
            sums[place + 1] -= y
            sums[place + 2] -= z


def _force(point: Point) -> tuple[float, float, float]:
    """(x, y, z) force of a contact point on its first body, in the world [N]."""
    n, one, other = point[9], point[10], point[12]
    (nx, ny, nz), (ax, ay, az), (bx, by, bz) = point[7], point[11], point[13]
    return (
        n * nx + one * ax + other * bx,
        n * ny + one * ay + other * by,
        n * nz + one * az + other * bz,
    )


def gaps(client: int, number: int, other: int, within: float) -> list[Gap]:
    """See `Engine.gaps`; `number`, `other`: PyBullet's numbers of the bodies."""
    points = pybullet.getClosestPoints(number, other, within, physicsClientId=client)
    nearest: dict[tuple[int, int], float] = {}
    for point in points:
        pair = (point[3] + 1, point[4] + 1)
        if number == other:
            pair = (min(pair), max(pair))
        nearest[pair] = min(point[8], nearest.get(pair, within))
    if number == other:
        nearest = {pair: gap for pair, gap in nearest.items() if pair[0] != pair[1]}
    return [Gap(*pair, distance) for pair, distance in nearest.items()]
