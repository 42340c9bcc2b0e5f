"""Links of PyBullet that have another friction along an axis than across it.

PyBullet scales the directions of friction by such coefficients, and then takes each row of its
solver to be as stiff as the other: a link that slips askew loses its friction across the axis. So
PyBullet knows no friction of these links, and they get it as forces (`friction_forces.py`), from
the normal forces of the step before.
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

#: A body, and the place of a link in it.
LinkOf = tuple[Body, int]


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
        self, places: Sequence[LinkOf], moving: Moving, coefficient: Callable[[Body, Body], float],
        step: float,
    ) -> list[Push]:  # fmt: skip
        """Forces of friction for a step, which are remembered.

        Args:
            places: the links of all touches.
            moving: how these move.
            coefficient: of friction of two bodies, across the axis.
            step: of time [s].
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
        self.sums = {}
        for touch, force in zip(touches, forces, strict=True):
            key = touch.link, touch.other
            self.sums[key] = self.sums.get(key, 0.0) + force
        return [
            Push(each.link, each.other, each.point, force)
            for each, force in zip(touches, forces, strict=True)
        ]

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
