"""Which shapes may touch in MuJoCo, and how it is told.

MuJoCo's own collision rules take the larger friction of two shapes, and mix their other numbers.
So they are switched off between bodies: every pair of shapes that may touch is an explicit
`<pair>` of the model, each of which MuJoCo tries in every step. Links of one robot that are rigid
all touch each other alike. There its rules give what pairs would, and trees of boxes tell it who
may be near: it need not try thousands of pairs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from softshell_sim.bodies import Body
from softshell_sim.contact.surfaces import Surfaces
from softshell_sim.mujoco.member import Member

#: Most robots whose links touch by MuJoCo's rules: each has a bit of its 32.
MOST_MASKS = 31

#: A shape: places of its member, of its link there, and of the shape in the link.
Place = tuple[int, int, int]


def masks_of(members: Iterable[Member], surfaces: Surfaces) -> dict[Body, int]:
    """Masks, one bit each, of robots whose links touch each other by MuJoCo's own rules.

    Links that are springs do not: their numbers depend on the masses of both.
    """
    alike = (
        member.body
        for member in members
        if member.self_collision and surfaces.between(member.body, member.body).stiffness is None
    )
    return {body: 1 << bit for bit, body in zip(range(MOST_MASKS), alike, strict=False)}


def add_pairs(spec: Any, members: Sequence[Member], masks: Mapping[Body, int]) -> None:
    """Tell a model which shapes may touch, and which links do not.

    Args:
        spec: the model, with all shapes, which are named by their place.
        members: its bodies.
        masks: of those whose shapes have one (see `masks_of`).
    """
    for one, other in _touching(members, masks):
        first, second = ('/'.join(map(str, place)) for place in (one, other))
        spec.add_pair(geomname1=first, geomname2=second, condim=3)
    for number, member in enumerate(members):
        if member.body in masks:
            for link, other_link in sorted({(min(pair), max(pair)) for pair in member.passing}):
                spec.add_exclude(bodyname1=f'{number}/{link}', bodyname2=f'{number}/{other_link}')


def _touching(
    members: Sequence[Member], masks: Mapping[Body, int]
) -> Iterator[tuple[Place, Place]]:
    """All pairs of shapes that may touch, but those that have a mask together."""
    every = [
        [
            (number, place, count)
            for place, shapes in enumerate(member.shapes)
            for count in range(len(shapes))
        ]
        for number, member in enumerate(members)
    ]
    for number, member in enumerate(members):
        paired = member.self_collision and member.body not in masks
        for one, other in combinations(every[number], 2) if paired else ():
            links = one[1], other[1]
            if links[0] != links[1] and not {links, links[::-1]} & member.passing:
                yield one, other
    for (first, shapes), (second, others) in combinations(zip(members, every, strict=True), 2):
        if not (first.stands and second.stands):
            yield from ((one, other) for one in shapes for other in others)
