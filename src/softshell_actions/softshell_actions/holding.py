"""Whether soft manipulators hold a thing, by what their links feel of it."""

from collections.abc import Collection, Iterable, Mapping, Sequence

#: A manipulator that feels so much of other bodies has hold of something [N].
FEELING = 0.3
#: So many of them hold a thing, or all where there are fewer.
FEWEST = 3


def holds_a_thing(
    manipulators: Sequence[Collection[str]], felt: Iterable[tuple[str, float]]
) -> bool:
    """Whether enough manipulators have hold of something.

    Args:
        manipulators: names of the links of each.
        felt: by contact with another body, the robot's link and the size of the force [N].
    """
    forces: dict[str, float] = {}
    for link, force in felt:
        forces[link] = forces.get(link, 0.0) + force
    having = sum(_force(links, forces) > FEELING for links in manipulators)
    return having >= min(FEWEST, len(manipulators)) > 0


def _force(links: Collection[str], forces: Mapping[str, float]) -> float:
    return sum(forces.get(link, 0.0) for link in links)
