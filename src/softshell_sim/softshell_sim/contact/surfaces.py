"""The surface between two bodies: the blend of theirs, or one that the pair was given."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from softshell_sim.bodies import Body, Surface

#: Default surfaces of ground, robots and objects. Source: the defaults of Klamp't.
TERRAIN = Surface(0.3, 0.1, 8e5, 2e5)
ROBOT = Surface(1.0, 0.1)
OBJECT = Surface(0.5)
#: A user is warned if friction or restitution of a pair differs by more than this.
NOTABLE = 0.01
#: Thickness of the layer round a robot or an object [m]; terrain has none. Source: Klamp't.
LAYER = 0.0025
#: Weights of pairs where an engine cannot fit all their surfaces: of a pair that was given its own
#: surface, and of one with a body that never moves, such as ground. Other pairs have 1.
GIVEN, GROUND = 1e3, 3.0


def blend(one: Surface, other: Surface) -> Surface:
    """The surface between two bodies, of which one has the surface `one`, and one `other`.

    Restitution is the arithmetic mean; friction, stiffness and damping are harmonic means. A rigid
    surface is infinitely stiff, so with it stiffness and damping are twice those of the other.
    Source: the Klamp't manual on simulation.
    """
    return Surface(
        _harmonic(one.friction, other.friction),
        0.5 * (one.restitution + other.restitution),
        _softer(one.stiffness, other.stiffness),
        _softer(one.damping, other.damping),
    )


def _harmonic(one: float, other: float) -> float:
    return 2.0 * one * other / (one + other) if one + other > 0.0 else 0.0


def _softer(one: float | None, other: float | None) -> float | None:
    if one is None:
        return None if other is None else 2.0 * other
    return 2.0 * one if other is None else _harmonic(one, other)


@dataclass(frozen=True)
class Touching:
    """The properties of a body that decide how it touches others.

    Args:
        surface: its surface.
        stands: whether it never moves; two such bodies do not touch.
        itself: whether its own links touch each other.
    """

    surface: Surface
    stands: bool = False
    itself: bool = False


@dataclass(frozen=True, eq=False)
class SavedSurfaces:
    """Surfaces by names of bodies, as `Surfaces.save` gives them.

    Args:
        own: surface of each body.
        pairs: surfaces that pairs were given; a pair is the set of its names, a single name if its
            links touch each other.
    """

    own: Mapping[str, Surface]
    pairs: Mapping[frozenset[str], Surface]


class Surfaces:
    """The surfaces of all bodies of an engine, and of pairs of them."""

    def __init__(self) -> None:
        self._bodies: dict[Body, Touching] = {}
        self._pairs: dict[frozenset[Body], Surface] = {}

    def enter(self, body: Body, touching: Touching) -> None:
        """Add a body."""
        self._bodies[body] = touching

    def set(self, body: Body, surface: Surface) -> None:
        """Set the surface of a body; surfaces that pairs were given stay."""
        old = self._bodies[body]
        self._bodies[body] = Touching(surface, old.stands, old.itself)

    def set_pair(self, one: Body, other: Body, surface: Surface | None) -> None:
        """Set the surface of a pair, instead of the blend; None: the blend again."""
        pair = frozenset((one, other))
        if surface is None:
            self._pairs.pop(pair, None)
        else:
            self._pairs[pair] = surface

    def forget(self, body: Body) -> None:
        """Remove a body and its pairs."""
        self._bodies.pop(body, None)
        self._pairs = {pair: given for pair, given in self._pairs.items() if body not in pair}

    def clear(self) -> None:
        """Remove all bodies and pairs."""
        self._bodies.clear()
        self._pairs.clear()

    def save(self) -> SavedSurfaces:
        """All surfaces, as a copy."""
        own = {body.name: touching.surface for body, touching in self._bodies.items()}
        pairs = {frozenset(b.name for b in pair): given for pair, given in self._pairs.items()}
        return SavedSurfaces(own, pairs)

    def restore(self, saved: SavedSurfaces) -> None:
        """Bring back what `save` returned; there have to be bodies of the same names."""
        named = {body.name: body for body in self._bodies}
        for name, surface in saved.own.items():
            self.set(named[name], surface)
        self._pairs = {
            frozenset(named[name] for name in pair): given for pair, given in saved.pairs.items()
        }

    def of(self, body: Body) -> Surface:
        """The surface of a body."""
        return self._bodies[body].surface

    def given(self, one: Body, other: Body) -> Surface | None:
        """The surface that a pair was given; None: it has the blend."""
        return self._pairs.get(frozenset((one, other)))

    def between(self, one: Body, other: Body) -> Surface:
        """The surface between two bodies, or between the links of one."""
        return self.given(one, other) or blend(self.of(one), self.of(other))

    def classes(self) -> list[list[Body]]:
        """Classes of bodies that touch all others alike; a body with a given pair is one alone."""
        named = {body for pair in self._pairs for body in pair}
        found: dict[object, list[Body]] = {}
        for body, touching in self._bodies.items():
            key = body if body in named else (touching.surface, touching.stands)
            found.setdefault(key, []).append(body)
        return list(found.values())

    def meetings(self) -> Iterator[tuple[int, int, Surface, float]]:
        """Pairs of classes that can touch.

        A class is paired with itself if two of its bodies can touch, or links of one body.

        Yields:
            Places of the two classes in `classes()`, the surface between them, and its weight.
        """
        classes = self.classes()
        for place, bodies in enumerate(classes):
            first = self._bodies[bodies[0]]
            among = len(bodies) > 1 and not first.stands
            if among or any(self._bodies[body].itself for body in bodies):
                yield place, place, *self._between(bodies[0], bodies[-1])
            for number, others in enumerate(classes[:place]):
                if not (first.stands and self._bodies[others[0]].stands):
                    yield number, place, *self._between(others[0], bodies[0])

    def _between(self, one: Body, other: Body) -> tuple[Surface, float]:
        ground = self._bodies[one].stands or self._bodies[other].stands
        weight = GIVEN if self.given(one, other) else GROUND if ground else 1.0
        return self.between(one, other), weight


@dataclass(frozen=True)
class SurfaceResidual:
    """The largest differences between the surfaces that pairs have and those they should have.

    Args:
        friction, restitution: differences.
        compliance, damping: differences of 1/stiffness [m/N] and damping [N s/m].
    """

    friction: float = 0.0
    restitution: float = 0.0
    compliance: float = 0.0
    damping: float = 0.0

    def __str__(self) -> str:
        """The differences in words; empty: there are none."""
        parts = (
            ('friction', self.friction, 1e-6, ''),
            ('restitution', self.restitution, 1e-6, ''),
            ('1/stiffness', self.compliance, 1e-12, ' m/N'),
            ('damping', self.damping, 1e-6, ' N s/m'),
        )
        return ', '.join(
            f'{name} by {value:.2g}{unit}' for name, value, least, unit in parts if value > least
        )

    @property
    def misleads(self) -> bool:
        """Whether friction or restitution differ by so much that a user has to be warned."""
        return max(self.friction, self.restitution) > NOTABLE
