"""Masses and kinetic energy of bodies in PyBullet."""

from dataclasses import dataclass

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import rotation_from_quaternion
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
    others = range(len(inertia.mass) - 1)
    _, turn = pybullet.getBasePositionAndOrientation(number, physicsClientId=client)
    moves = [(turn, *pybullet.getBaseVelocity(number, physicsClientId=client))]
    if others:
        states = pybullet.getLinkStates(
            number, list(others), computeLinkVelocity=1, physicsClientId=client
        )
        moves += [(state[1], state[6], state[7]) for state in states]
    if not all(np.isfinite(part).all() for move in moves for part in move):
        return float('nan')
    energy = 0.0
    for (turn, linear, angular), mass, moments in zip(
        moves, inertia.mass.tolist(), inertia.moments, strict=True
    ):
        rate = rotation_from_quaternion(np.array(turn)).T @ np.array(angular)
        energy += 0.5 * (mass * float(np.dot(linear, linear)) + float(moments @ (rate * rate)))
    return energy
