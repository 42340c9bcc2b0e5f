"""Masses, motion and kinetic energy of bodies in PyBullet."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numba import njit

from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import rotation_from_quaternion
from softshell_sim.contact.friction_forces import Moving
from softshell_sim.pybullet.loading import Pose
from softshell_sim.pybullet.quietly import pybullet


@dataclass(frozen=True, eq=False)
class Inertias:
    """Masses and moments of inertia of the links of a body, the root first.

    Args:
        mass: (links,) [kg]; 0 for a root link that stands still.
        moments: (links, 3) principal moments of inertia about the centres of mass [kg m^2].
        ballast: (links,) what of it is ballast about the joint's axis [kg m^2] (`rotors.py`).
        axis: (links, 3) that axis in the principal axes of the link.
    """

    mass: Array
    moments: Array
    ballast: Array
    axis: Array


def inertias(
    client: int, number: int, links: int, fixed: bool, ballast: Mapping[int, float]
) -> Inertias:
    """The inertias of a body.

    Args:
        client: of PyBullet.
        number: of the body in PyBullet.
        links: number of its links.
        fixed: whether its root link stands still.
        ballast: by PyBullet's number of the joint [kg m^2].
    """
    infos = [
        pybullet.getDynamicsInfo(number, link, physicsClientId=client)
        for link in range(-1, links - 1)
    ]
    mass, moments = np.array([info[0] for info in infos]), np.array([info[2] for info in infos])
    if fixed:
        mass[0], moments[0] = 0.0, 0.0
    more, axis = np.zeros(links), np.zeros((links, 3))
    for joint, value in ballast.items():
        more[joint + 1] = value
        axis[joint + 1] = pybullet.getJointInfo(number, joint, physicsClientId=client)[13]
    return Inertias(mass, moments, more, axis)


def kinetic_energy(client: int, number: int, inertia: Inertias) -> float:
    """Sum over all links of m v²/2 + ω·Iω/2 [J], v at the centre of mass; NaN if one is NaN.

    It is that of the links without their ballast.
    """
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
    moving = np.array(turns), np.array(speeds), np.array(rates)
    return float(_energy(inertia.mass, inertia.moments, inertia.ballast, inertia.axis, *moving))


def moving_links(
    client: int, number: int, root_in_inertial: Pose, inertia: Inertias, places: list[int]
) -> Moving:
    """The motion of some links of a body; a link whose state is not finite counts as fixed.

    Args:
        client: of PyBullet.
        number: of the body in PyBullet.
        root_in_inertial: pose of the root link in its inertial frame.
        inertia: of the body.
        places: of the links, ascending; 0 is the root link.
    """
    rows = []
    if places[0] == 0:
        centre, axes = pybullet.getBasePositionAndOrientation(number, physicsClientId=client)
        _, turn = pybullet.multiplyTransforms(centre, axes, *root_in_inertial)
        rows.append(
            (centre, axes, turn, *pybullet.getBaseVelocity(number, physicsClientId=client))
        )
    links = [place - 1 for place in places if place > 0]
    if links:
        states = pybullet.getLinkStates(
            number, links, computeLinkVelocity=1, computeForwardKinematics=1,
            physicsClientId=client,
        )  # fmt: skip
        rows += [(state[0], state[1], *state[5:8]) for state in states]
    state = np.array([[value for part in row for value in part] for row in rows])
    mass, moves = inertia.mass[places], np.isfinite(state).all(axis=1)
    state[~moves] = 0.0
    state[~moves, 6] = state[~moves, 10] = 1.0
    centres, quaternions, turns, speeds, rates = np.split(state, [3, 7, 11, 14], axis=1)
    moves &= mass > 0.0
    inverse = np.zeros((len(places), 3))
    inverse[moves] = 1.0 / inertia.moments[places][moves]
    axes = rotation_from_quaternion(quaternions)
    return Moving(
        centres, speeds, rates, rotation_from_quaternion(turns),
        np.divide(1.0, mass, out=np.zeros(len(places)), where=moves),
        np.einsum('lij,lj,lkj->lik', axes, inverse, axes),
    )  # fmt: skip


@njit(cache=True)
def _energy(
    mass: Array,
    moments: Array,
    ballast: Array,
    axis: Array,
    turns: Array,
    speeds: Array,
    rates: Array,
) -> float:
    """Kinetic energy of links [J].

    Args:
        mass, moments, ballast, axis: see `Inertias`.
        turns: (links, 4) quaternions x, y, z, w of the principal axes in the world.
        speeds, rates: (links, 3) in the world [m/s], [rad/s].
    """
    total = 0.0
    for link in range(len(mass)):
        x, y, z, w = -turns[link, 0], -turns[link, 1], -turns[link, 2], turns[link, 3]
        p, q, r = rates[link, 0], rates[link, 1], rates[link, 2]
        # Rotation of a vector v by the inverse quaternion (u, w): v + 2 u × (u × v + w v).
        a, b, c = y * r - z * q + w * p, z * p - x * r + w * q, x * q - y * p + w * r
        turned = (
            p + 2.0 * (y * c - z * b),
            q + 2.0 * (z * a - x * c),
            r + 2.0 * (x * b - y * a),
        )
        about = 0.0
        for k in range(3):
            total += 0.5 * mass[link] * speeds[link, k] ** 2
            total += 0.5 * moments[link, k] * turned[k] ** 2
            about += axis[link, k] * turned[k]
        total -= 0.5 * ballast[link] * about**2
    return total
