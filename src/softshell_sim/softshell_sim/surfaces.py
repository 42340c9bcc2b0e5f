"""Which surface two bodies have between them: blended, or given for the pair."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from softshell_sim.bodies import Body, Surface

#: Surfaces that are a good start, of ground, robots and objects. Source: the defaults of Klamp't.
TERRAIN = Surface(0.3, 0.1, 8e5, 2e5)
ROBOT = Surface(1.0, 0.1)
OBJECT = Surface(0.5)
#: Difference of friction or restitution that a user is warned of.
NOTABLE = 0.01
#: Thickness of the layer round a robot or an object [m]; terrain has none. Source: Klamp't.
LAYER = 0.0025
#: Where not all pairs can have their surface, one that was given, and one with a body that never
#: moves, as ground does, counts this many times as much as others.
GIVEN, GROUND = 1e3, 3.0


def blend(one: Surface, other: Surface) -> Surface:
    """The surface between two bodies.

    Restitution is the arithmetic mean, friction, stiffness and damping are harmonic means. What is
    rigid is infinitely stiff, so with it the other's stiffness counts twice. Source: the Klamp't
    manual on simulation.
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
    """A body as far as its surface is concerned.

    Args:
        surface: how it touches others.
        stands: whether it never moves: two such bodies do not touch.
        itself: whether its links touch each other.
    """

    surface: Surface
    stands: bool = False
    itself: bool = False


@dataclass(frozen=True, eq=False)
class SavedSurfaces:
    """Surfaces by names of bodies, as `Surfaces.save` gives them.

    Args:
        own: of each body.
        pairs: of pairs that were given theirs, each as one or two names.
    """

    own: Mapping[str, Surface]
    pairs: Mapping[frozenset[str], Surface]


class Surfaces:
    """The surfaces of all bodies of an engine, and of pairs of them."""

    def __init__(self) -> None:
        self._bodies: dict[Body, Touching] = {}
        self._pairs: dict[frozenset[Body], Surface] = {}

    def enter(self, body: Body, touching: Touching) -> None:
        """Take a new body."""
        self._bodies[body] = touching

    def set(self, body: Body, surface: Surface) -> None:
        """Give a body another surface; what pairs were given stays."""
        old = self._bodies[body]
        self._bodies[body] = Touching(surface, old.stands, old.itself)

    def set_pair(self, one: Body, other: Body, surface: Surface | None) -> None:
        """Give a pair a surface that counts instead of the blend; None: the blend again."""
        pair = frozenset((one, other))
        if surface is None:
            self._pairs.pop(pair, None)
        else:
            self._pairs[pair] = surface

    def forget(self, body: Body) -> None:
        """Drop a body and its pairs."""
        self._bodies.pop(body, None)
        self._pairs = {pair: given for pair, given in self._pairs.items() if body not in pair}

    def clear(self) -> None:
        """Drop everything."""
        self._bodies.clear()
        self._pairs.clear()

    def save(self) -> SavedSurfaces:
        """All surfaces, as a copy."""
        own = {body.name: touching.surface for body, touching in self._bodies.items()}
        pairs = {frozenset(b.name for b in pair): given for pair, given in self._pairs.items()}
        return SavedSurfaces(own, pairs)

    def restore(self, saved: SavedSurfaces) -> None:
        """Bring back what was saved while there were bodies of the same names."""
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
        """The surface that a pair was given, if any."""
        return self._pairs.get(frozenset((one, other)))

    def between(self, one: Body, other: Body) -> Surface:
        """The surface between two bodies, or between the links of one."""
        return self.given(one, other) or blend(self.of(one), self.of(other))

    def classes(self) -> list[list[Body]]:
        """Bodies that touch all others alike, together; one that a pair is given for is alone."""
        named = {body for pair in self._pairs for body in pair}
        found: dict[object, list[Body]] = {}
        for body, touching in self._bodies.items():
            key = body if body in named else (touching.surface, touching.stands)
            found.setdefault(key, []).append(body)
        return list(found.values())

    def meetings(self) -> Iterator[tuple[int, int, Surface, float]]:
        """Pairs of classes that can touch: their places, their surface, and how much it matters.

        A class meets itself if two of its bodies can touch, or one its own links.
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
    """By how much the surfaces of pairs differ from what was asked for, at most.

    Args:
        friction, restitution: differences.
        compliance, damping: differences of 1/stiffness [m/N] and damping [N s/m].
    """

    friction: float = 0.0
    restitution: float = 0.0
    compliance: float = 0.0
    damping: float = 0.0

    def __str__(self) -> str:
        """What differs, in words; empty: nothing does."""
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
        """Whether friction or restitution differ so much that somebody should know."""
        return max(self.friction, self.restitution) > NOTABLE
