"""Surfaces in PyBullet, which gives numbers to bodies and multiplies or adds those of two."""

from collections.abc import Container
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_sim.bodies import Body, Surface
from softshell_sim.contact.surface_fit import Meeting, fit_products, fit_sums
from softshell_sim.pybullet.quietly import pybullet
from softshell_sim.surfaces import SurfaceResidual, Surfaces

#: Distance [m] up to which PyBullet looks ahead to a contact, its default.
ALL_CONTACTS = 1e18
#: Of a contact of a body that was told no damping [N s/m], its default.
DAMPING = 0.1
#: Part of the depth of a rigid contact that a step makes good. A bounce gets that as speed on top,
#: up to this part of the impact's: by chance of where within a step bodies meet.
RECOVERY = 0.04


@dataclass(frozen=True)
class Factors:
    """What PyBullet is told of a body.

    Args:
        friction, restitution: of which it takes the products.
        bounces: whether PyBullet is to let it arrive at full speed; of two bodies one is enough.
        compliance: 1/stiffness [m/N], of which it takes the sum; None: PyBullet's rigid contact.
        damping: [N s/m], of which it takes the sum.
    """

    friction: float
    restitution: float
    bounces: bool
    compliance: float | None
    damping: float


def fit(surfaces: Surfaces) -> tuple[dict[Body, Factors], SurfaceResidual]:
    """What PyBullet is told of each body, and by how much pairs then differ at most."""
    classes, meetings = surfaces.classes(), list(surfaces.meetings())
    ends = [(first, second) for first, second, _, _ in meetings]
    wanted = [surface for _, _, surface, _ in meetings]
    meeting = Meeting.of(len(classes), ends, [weight for _, _, _, weight in meetings])
    own = [surfaces.of(bodies[0]) for bodies in classes]
    friction, worst_friction = _products(
        [one.friction for one in own], meeting, [surface.friction for surface in wanted]
    )
    restitution, worst_restitution = _products(
        [one.restitution for one in own],
        meeting,
        [told_restitution(surface.restitution) for surface in wanted],
    )
    compliance, damping, told, worst = _springs(own, meeting, wanted)
    bounces = _bouncing(own, ends, wanted)
    factors = {
        body: Factors(
            float(friction[place]),
            float(restitution[place]),
            place in bounces,
            float(compliance[place]) if told[place] else None,
            float(damping[place]),
        )
        for place, bodies in enumerate(classes)
        for body in bodies
    }
    return factors, SurfaceResidual(worst_friction, worst_restitution, *worst)


def told_restitution(restitution: float) -> float:
    """What PyBullet is told so that a bounce leaves this part of the speed, give or take.

    The part comes out in the middle of what recovery adds, and never above 1.
    """
    return max(min(restitution - 0.5 * RECOVERY, 1.0 - RECOVERY), 0.0)


def _products(own: list[float], meeting: Meeting, wanted: list[float]) -> tuple[Array, float]:
    """Factors of classes, and by how much their products differ at most from what is wanted."""
    target = np.array(wanted)
    values = fit_products(np.array(own), meeting, target)
    return values, float(np.abs(meeting.products(values) - target).max(initial=0.0))


def _bouncing(own: list[Surface], ends: list[tuple[int, int]], wanted: list[Surface]) -> set[int]:
    """Classes that are told to bounce: one of each pair that does, if it can be with no other."""
    still = [0] * len(own)
    for pair, surface in zip(ends, wanted, strict=True):
        for place in set(pair):
            still[place] += surface.restitution == 0.0
    found: set[int] = set()
    for pair, surface in zip(ends, wanted, strict=True):
        if surface.restitution > 0.0 and not found & set(pair):
            found.add(min(pair, key=lambda place: (still[place], -own[place].restitution, -place)))
    return found


def _springs(
    own: list[Surface], meeting: Meeting, wanted: list[Surface]
) -> tuple[Array, Array, NDArray[np.bool_], tuple[float, float]]:
    """Compliance and damping of classes, which of them are told so, and the differences.

    A body that is told its stiffness has no rigid contact as before with anything: so those that
    are rigid are not, the other's numbers are enough, but one of two that are given a soft pair.
    """
    told = np.array([one.stiffness is not None for one in own], dtype=bool)
    soft = np.array([surface.stiffness is not None for surface in wanted], dtype=bool)
    for pair in np.flatnonzero(soft & ~told[meeting.first] & ~told[meeting.second]):
        told[meeting.second[pair]] = True
    compliance, damping = np.zeros(meeting.count), np.where(told, 0.0, DAMPING)
    # Of a rigid pair PyBullet's damping means nothing.
    kept = meeting.only(soft)
    if not soft.any():
        return compliance, damping, told, (0.0, 0.0)
    springs = [surface for surface in wanted if surface.stiffness is not None]
    target = np.array([1.0 / (surface.stiffness or np.inf) for surface in springs])
    damped = np.array([surface.damping or 0.0 for surface in springs])
    compliance = fit_sums(compliance, told, kept, target)
    damping = fit_sums(damping, told, kept, damped)
    worst = [
        float(np.abs(kept.sums(values) - aim).max())
        for values, aim in ((compliance, target), (damping, damped))
    ]
    return compliance, damping, told, (worst[0], worst[1])


def tell(
    client: int, number: int, links: int, factors: Factors, slick: Container[int] = ()
) -> None:
    """Tell PyBullet of a body.

    Args:
        client, number: PyBullet's.
        links: how many it has.
        factors: of the body.
        slick: places of links that are to have no friction.
    """
    spring = {}
    if factors.compliance is not None:
        stiffness = 1.0 / max(factors.compliance, 1e-18)
        spring = {'contactStiffness': stiffness, 'contactDamping': factors.damping}
    for link in range(-1, links - 1):
        pybullet.changeDynamics(
            number,
            link,
            lateralFriction=0.0 if link + 1 in slick else factors.friction,
            restitution=factors.restitution,
            # PyBullet brakes a body before it arrives, which leaves nothing to bounce.
            contactProcessingThreshold=0.0 if factors.bounces else ALL_CONTACTS,
            physicsClientId=client,
            **spring,
        )
