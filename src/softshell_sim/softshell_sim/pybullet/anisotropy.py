"""Anisotropic friction of links in PyBullet.

PyBullet's own anisotropic friction is wrong: it scales the two directions of friction by the
coefficients, but solves them as if both were equally stiff. A link that slips at an angle to the
axis then loses its friction across it. So these links have no friction in PyBullet. They get it as
external forces (`friction_forces.py`), computed from the normal forces of the step before.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_sim.bodies import Body
from softshell_sim.contact.anisotropic_friction import AnisotropicFriction
from softshell_sim.contact.friction_forces import Moving, friction_forces
from softshell_sim.pybullet.contacts import Point

#: A link: its body, and its place there.
LinkOf = tuple[Body, int]


class Touch(NamedTuple):
    """A contact of a link with anisotropic friction, at the end of a step.

    Attributes:
        link, other: the links that touch; the first has anisotropic friction.
        point: (3,) in the world [m].
        normal: (3,) unit vector of the contact in the world.
        force: normal force [N].
    """

    link: LinkOf
    other: LinkOf
    point: Array
    normal: Array
    force: float

    def among(self, bodies: Mapping[str, Body]) -> 'Touch':
        """The same contact between the bodies of these names."""
        ends = [(bodies[body.name], place) for body, place in self[:2]]
        return self._replace(link=ends[0], other=ends[1])


class Push(NamedTuple):
    """A friction force.

    Attributes:
        link, other: the links that touch; the force acts on the first, its opposite on the other.
        point: (3,) in the world [m].
        force: (3,) in the world [N].
    """

    link: LinkOf
    other: LinkOf
    point: Array
    force: Array


@dataclass
class Anisotropy:
    """Links with anisotropic friction, and their last contacts.

    Attributes:
        links: the links, with their friction.
        touches: contacts at the end of the last step.
        sums: (3,) sum of the friction forces in the last step for each pair of links, on the first
            link, in the world [N].
    """

    links: dict[LinkOf, AnisotropicFriction] = field(default_factory=dict)
    touches: list[Touch] = field(default_factory=list)
    sums: dict[tuple[LinkOf, LinkOf], Array] = field(default_factory=dict)

    def forget(self, body: Body, itself: bool = True) -> None:
        """Remove the contacts of a body and, if `itself`, its links."""
        self.touches = [each for each in self.touches if body not in (each[0][0], each[1][0])]
        if itself:
            self.links = {link: each for link, each in self.links.items() if link[0] is not body}

    def clear(self) -> None:
        """Remove all links and contacts."""
        self.links, self.touches, self.sums = {}, [], {}

    def pushes(
        self, places: Sequence[LinkOf], moving: Moving, coefficient: Callable[[Body, Body], float],
        step: float,
    ) -> list[Push]:  # fmt: skip
        """Compute the friction forces for a step, and add them to `sums`, which is empty.

        Args:
            places: the links of all `touches`.
            moving: the motion of these, in the same order.
            coefficient: of friction between two bodies, across the axis.
            step: duration of the step [s].
        """
        touches, number = self.touches, {link: k for k, link in enumerate(places)}
        ends = np.array([(number[each.link], number[each.other]) for each in touches])
        most, axes = np.zeros((len(touches), 2)), np.zeros((len(touches), 3))
        for k, touch in enumerate(touches):
            most[k] = coefficient(touch.link[0], touch.other[0]) * touch.force
            if touch.other not in self.links:
                friction = self.links[touch.link]
                most[k, 0] *= friction.along
                axes[k] = friction.axis
        points = np.array([each.point for each in touches])
        normals = np.array([each.normal for each in touches])
        forces = friction_forces(ends, points, normals, axes, most, moving, step)
        for touch, force in zip(touches, forces, strict=True):
            key = touch.link, touch.other
            self.sums[key] = self.sums.get(key, 0.0) + force
        return [
            Push(each.link, each.other, each.point, force)
            for each, force in zip(touches, forces, strict=True)
        ]

    def look(self, points: tuple[Point, ...], body_of: Mapping[int, Body]) -> None:
        """Store the contacts after a step in `touches`."""
        self.touches = []
        for point in points:
            if point[9] > 0.0 and (ends := self._ends(point, body_of)) is not None:
                self.touches.append(
                    Touch(*ends[:2], np.array(point[5]), np.array(point[7]), point[9])
                )

    def told(self, points: tuple[Point, ...], body_of: Mapping[int, Body]) -> tuple[Point, ...]:
        """PyBullet's contacts with the stored friction, divided in proportion to normal force."""
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
        """The links of a contact, first one with anisotropic friction, and a sign.

        The sign is -1 if the first link is PyBullet's second. None: neither has such friction.
        """
        one, other = (body_of[point[1]], point[3] + 1), (body_of[point[2]], point[4] + 1)
        if one in self.links:
            return one, other, 1.0
        return (other, one, -1.0) if other in self.links else None
