"""Masses and kinetic energy of bodies in PyBullet."""

from dataclasses import dataclass

import numpy as np
from numba import njit

from softshell_kinematics.arrays import Array
from softshell_sim.quietly import pybullet


@dataclass(frozen=True, eq=False)
class Inertias:
    """What moves of a body, link by link, the root first.

    Args:
        mass: (links,) [kg]; 0 for a root that stands still.
        moments: (links, 3) principal moments, about the centres of mass [kg m^2].
    """

    mass: Array
    moments: Array


def inertias(client: int, number: int, links: int, fixed: bool) -> Inertias:
    """Those of PyBullet's body of this number."""
    infos = [
        pybullet.getDynamicsInfo(number, link, physicsClientId=client)
        for link in range(-1, links - 1)
    ]
    mass, moments = np.array([info[0] for info in infos]), np.array([info[2] for info in infos])
    if fixed:
        mass[0], moments[0] = 0.0, 0.0
    return Inertias(mass, moments)


def kinetic_energy(client: int, number: int, inertia: Inertias) -> float:
    """Of all links [J]: of each m v²/2 + ω·Iω/2, at its centre of mass; NaN if one moves so."""
    _, turn = pybullet.getBasePositionAndOrientation(number, physicsClientId=client)
    linear, angular = pybullet.getBaseVelocity(number, physicsClientId=client)
    turns, speeds, rates = [turn], [linear], [angular]
    if len(inertia.mass) > 1:
        states = pybullet.getLinkStates(
            number, range(len(inertia.mass) - 1), computeLinkVelocity=1, physicsClientId=client
        )
        turns += [state[1] for state in states]
        speeds += [state[6] for state in states]
        rates += [state[7] for state in states]
    return float(
        _energy(inertia.mass, inertia.moments, np.array(turns), np.array(speeds), np.array(rates))
    )


@njit(cache=True)
def _energy(mass: Array, moments: Array, turns: Array, speeds: Array, rates: Array) -> float:
    """Of links with principal axes turned by (links, 4) quaternions, x, y, z, w [J]."""
    total = 0.0
    for link in range(len(mass)):
        x, y, z, w = -turns[link, 0], -turns[link, 1], -turns[link, 2], turns[link, 3]
        p, q, r = rates[link, 0], rates[link, 1], rates[link, 2]
        # v + 2 u × (u × v + w v), u and w of the inverse
        a, b, c = y * r - z * q + w * p, z * p - x * r + w * q, x * q - y * p + w * r
        turned = (
            p + 2.0 * (y * c - z * b),
            q + 2.0 * (z * a - x * c),
            r + 2.0 * (x * b - y * a),
        )
        for axis in range(3):
            total += 0.5 * mass[link] * speeds[link, axis] ** 2
            total += 0.5 * moments[link, axis] * turned[axis] ** 2
    return total
