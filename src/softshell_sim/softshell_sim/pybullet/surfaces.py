"""Surfaces in PyBullet, which has numbers for bodies, and multiplies or adds those of two."""

from collections.abc import Container
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_sim.bodies import Body, Surface
from softshell_sim.contact.surface_fit import Meeting, fit_products, fit_sums
from softshell_sim.contact.surfaces import SurfaceResidual, Surfaces
from softshell_sim.pybullet.quietly import pybullet

#: PyBullet's default for the distance at which it begins to process a contact [m].
ALL_CONTACTS = 1e18
#: PyBullet's default for the damping of a contact [N s/m].
DAMPING = 0.1
#: Largest coefficient of friction between two bodies in PyBullet; a larger one counts as this.
MOST_FRICTION = 10.0
#: Part of the depth of a rigid contact that is corrected in a step. It adds to the speed of a
#: bounce: up to this part of the impact's speed, depending on where within a step bodies meet.
RECOVERY = 0.04


@dataclass(frozen=True)
class Factors:
    """The numbers that PyBullet gets for a body.

    Args:
        friction, restitution: factors; PyBullet multiplies those of two bodies.
        bounces: whether PyBullet must not brake it before an impact; one of two bodies is enough.
        compliance: 1/stiffness [m/N]; PyBullet adds those of two bodies; None: rigid.
        damping: [N s/m]; PyBullet adds those of two bodies.
    """

    friction: float
    restitution: float
    bounces: bool
    compliance: float | None
    damping: float


def fit(surfaces: Surfaces) -> tuple[dict[Body, Factors], SurfaceResidual]:
    """The numbers for each body, and how much pairs then differ from what is wanted, at most."""
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
    """The number for PyBullet with which a bounce leaves about this part of the speed.

    `RECOVERY` adds to a bounce; half of it is subtracted, and the result is never above 1.
    """
    return max(min(restitution - 0.5 * RECOVERY, 1.0 - RECOVERY), 0.0)


def _products(own: list[float], meeting: Meeting, wanted: list[float]) -> tuple[Array, float]:
    """Factors of classes, and by how much their products differ at most from what is wanted."""
    target = np.array(wanted)
    values = fit_products(np.array(own), meeting, target)
    return values, float(np.abs(meeting.products(values) - target).max(initial=0.0))


def _bouncing(own: list[Surface], ends: list[tuple[int, int]], wanted: list[Surface]) -> set[int]:
    """Classes whose bodies get `Factors.bounces`: at least one of each pair that bounces.

    Of a pair it is the class that has fewer pairs without bounce, if neither has it yet.
    """
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
    """Compliance and damping of classes, which of them get these, and the largest differences.

    A body that gets a stiffness in PyBullet has no rigid contacts any more. So rigid classes get
    none: the numbers of the other class are enough. If both classes of a soft pair are rigid, the
    second one gets them.
    """
    told = np.array([one.stiffness is not None for one in own], dtype=bool)
    soft = np.array([surface.stiffness is not None for surface in wanted], dtype=bool)
    for pair in np.flatnonzero(soft & ~told[meeting.first] & ~told[meeting.second]):
        told[meeting.second[pair]] = True
    compliance, damping = np.zeros(meeting.count), np.where(told, 0.0, DAMPING)
    # PyBullet does not use the damping of a rigid pair.
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
    client: int, number: int, links: int, factors: Factors, frictionless: Container[int] = ()
) -> None:
    """Write the numbers of a body into PyBullet.

    Args:
        client: of PyBullet.
        number: of the body in PyBullet.
        links: number of its links.
        factors: of the body.
        frictionless: places of links that get no friction.
    """
    spring = {}
    if factors.compliance is not None:
        stiffness = 1.0 / max(factors.compliance, 1e-18)
        spring = {'contactStiffness': stiffness, 'contactDamping': factors.damping}
    for link in range(-1, links - 1):
        pybullet.changeDynamics(
            number,
            link,
            lateralFriction=0.0 if link + 1 in frictionless else factors.friction,
            restitution=factors.restitution,
            # By default PyBullet brakes a body before the impact, which leaves no bounce.
            contactProcessingThreshold=0.0 if factors.bounces else ALL_CONTACTS,
            physicsClientId=client,
            **spring,
        )
