"""Links of PyBullet that have another friction along an axis than across it.

PyBullet scales the directions of friction by such coefficients, and then takes each row of its
solver to be as stiff as the other: a link that slips askew loses its friction across the axis. So
PyBullet knows no friction of these links, and they get it as forces, from the normal forces of the
step before. At each contact that force is sought which would stop the link within the step, were
it alone and nothing else acting; of those that friction can have the nearest is taken. It never
turns a slip around, so it is stable; what is held creeps as fast as its force needs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numba import njit

from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import rotation_from_quaternion
from softshell_sim.anisotropic_friction import UPRIGHT, AnisotropicFriction
from softshell_sim.bodies import Body
from softshell_sim.pybullet_contacts import Point
from softshell_sim.pybullet_energy import Inertias
from softshell_sim.pybullet_loading import Numbers
from softshell_sim.quietly import pybullet

#: A body, and the place of a link in it.
LinkOf = tuple[Body, int]
#: Iterations, each of which about doubles the digits of a force.
ITERATIONS = 40


class Touch(NamedTuple):
    """A contact of a link with anisotropic friction, at the end of a step.

    Attributes:
        link, other: that touch.
        point: (3,) in the world [m].
        normal: (3,) unit vector of their surface in the world.
        force: along the normal [N].
    """

    link: LinkOf
    other: LinkOf
    point: Array
    normal: Array
    force: float

    def among(self, bodies: Mapping[str, Body]) -> 'Touch':
        """The same of bodies that have the same names."""
        ends = [(bodies[body.name], place) for body, place in self[:2]]
        return self._replace(link=ends[0], other=ends[1])


class Moving(NamedTuple):
    """A link and how it moves.

    Attributes:
        centre, velocity, angular: (3,) of its mass, in the world [m], [m/s], [rad/s].
        turn: (3, 3) of its frame in the world.
        mobility: 1/mass [1/kg].
        turning: (3, 3) inverse of its inertia in the world [1/(kg m^2)].
    """

    centre: Array
    velocity: Array
    angular: Array
    turn: Array
    mobility: float
    turning: Array

    def velocity_at(self, point: Array) -> Array:
        """(3,) of a point of it [m/s]."""
        return self.velocity + np.cross(self.angular, point - self.centre)

    def mobility_at(self, point: Array) -> float:
        """How much a force at a point changes its velocity there, whatever way, at most [1/kg]."""
        x, y, z = point - self.centre
        arm = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        return self.mobility + float(np.linalg.eigvalsh(arm @ self.turning @ arm.T)[2])


def moving_links(client: int, numbers: Numbers, inertia: Inertias, places: list[int]) -> list[Moving]:
    """How links of a body move.

    Args:
        client: PyBullet's.
        numbers, inertia: of the body.
        places: of the links in it.
    """
    found = []
    for place in places:
        if place == 0:
            centre, axes = pybullet.getBasePositionAndOrientation(
                numbers.body, physicsClientId=client
            )
            rates = pybullet.getBaseVelocity(numbers.body, physicsClientId=client)
            _, turn = pybullet.multiplyTransforms(centre, axes, *numbers.root_in_inertial)
        else:
            centre, axes, _, _, _, turn, *rates = pybullet.getLinkState(
                numbers.body, place - 1, computeLinkVelocity=1, computeForwardKinematics=1,
                physicsClientId=client,
            )  # fmt: skip
        mobility, turning = 0.0, np.zeros((3, 3))
        if inertia.mass[place] > 0.0:
            principal = rotation_from_quaternion(axes)
            mobility = 1.0 / float(inertia.mass[place])
            turning = principal @ np.diag(1.0 / inertia.moments[place]) @ principal.T
        found.append(
            Moving(
                np.array(centre), np.array(rates[0]), np.array(rates[1]),
                rotation_from_quaternion(turn), mobility, turning,
            )
        )  # fmt: skip
    return found


class Push(NamedTuple):
    """A force of friction.

    Attributes:
        link, other: those that touch; the force acts on the first, its reverse on the other.
        point: (3,) in the world [m].
        force: (3,) [N].
    """

    link: LinkOf
    other: LinkOf
    point: Array
    force: Array


@dataclass
class Anisotropy:
    """Friction of links along and across an axis, and where they touched last.

    Attributes:
        links: their friction.
        touches: contacts at the end of the last step.
        sums: (3,) forces of friction in the last step, by both links [N].
    """

    links: dict[LinkOf, AnisotropicFriction] = field(default_factory=dict)
    touches: list[Touch] = field(default_factory=list)
    sums: dict[tuple[LinkOf, LinkOf], Array] = field(default_factory=dict)

    def forget(self, body: Body, itself: bool = True) -> None:
        """Drop the contacts of a body, and by default its links."""
        self.touches = [each for each in self.touches if body not in (each[0][0], each[1][0])]
        if itself:
            self.links = {link: each for link, each in self.links.items() if link[0] is not body}

    def clear(self) -> None:
        """Drop everything."""
        self.links, self.touches, self.sums = {}, [], {}

    def pushes(
        self, moving: Mapping[LinkOf, Moving], coefficient: Callable[[Body, Body], float],
        step: float,
    ) -> list[Push]:  # fmt: skip
        """Forces of friction for a step, which are remembered.

        Args:
            moving: the links of all touches.
            coefficient: of friction of two bodies, across the axis.
            step: of time [s].
        """
        mobility: dict[LinkOf, float] = {}
        for touch in self.touches:
            for link in touch[:2]:
                more = moving[link].mobility_at(touch.point)
                mobility[link] = mobility.get(link, 0.0) + more
        found, self.sums = [], {}
        for touch in self.touches:
            one, other = moving[touch.link], moving[touch.other]
            slip = one.velocity_at(touch.point) - other.velocity_at(touch.point)
            across = coefficient(touch.link[0], touch.other[0])
            along, axis = across, np.zeros(3)
            if touch.other not in self.links:
                friction = self.links[touch.link]
                along, axis = across * friction.along, one.turn @ np.array(friction.axis)
            stop = step * (mobility[touch.link] + mobility[touch.other])
            force = friction_force(
                slip, touch.normal, axis, np.array([along, across]) * touch.force, stop
            )
            found.append(Push(touch.link, touch.other, touch.point, force))
            key = touch.link, touch.other
            self.sums[key] = self.sums.get(key, 0.0) + force
        return found

    def look(self, points: tuple[Point, ...], body_of: Mapping[int, Body]) -> None:
        """Take the contacts that there are after a step."""
        self.touches = []
        for point in points:
            if point[9] > 0.0 and (ends := self._ends(point, body_of)) is not None:
                self.touches.append(
                    Touch(*ends[:2], np.array(point[5]), np.array(point[7]), point[9])
                )

    def told(self, points: tuple[Point, ...], body_of: Mapping[int, Body]) -> tuple[Point, ...]:
        """PyBullet's contacts with the friction of the last step, shared out by normal force."""
        ends = [self._ends(point, body_of) for point in points]
        normal: dict[tuple[LinkOf, LinkOf], float] = {}
        for point, each in zip(points, ends, strict=True):
            if each is not None:
                normal[each[:2]] = normal.get(each[:2], 0.0) + point[9]
        found = []
        for point, each in zip(points, ends, strict=True):
            if each is not None and normal[each[:2]] > 0.0 and each[:2] in self.sums:
                share = each[2] * point[9] / normal[each[:2]]
                point = (*point[:10], share, tuple(self.sums[each[:2]]), 0.0, *point[13:])
            found.append(point)
        return tuple(found)

    def _ends(
        self, point: Point, body_of: Mapping[int, Body]
    ) -> tuple[LinkOf, LinkOf, float] | None:
        """The links of a contact, first one with such friction, and its sign; None: there is none.

        The sign is -1 where PyBullet has them the other way round.
        """
        one, other = (body_of[point[1]], point[3] + 1), (body_of[point[2]], point[4] + 1)
        if one in self.links:
            return one, other, 1.0
        return (other, one, -1.0) if other in self.links else None


@njit(cache=True)
def friction_force(slip: Array, normal: Array, axis: Array, most: Array, stop: float) -> Array:
    """(3,) force of friction on a link that slips [N].

    Of the forces f that stop the slip v, |f + v / stop|² least, in the ellipse of friction: with
    a multiplier λ of the ellipse, f = −v / (stop + λ / most²) along each of its axes.

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
        # Newton on 1 / |f / limits| − 1, which is nearly straight in λ, from where it is below 0.
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
    return wanted[0] * one + wanted[1] * other
