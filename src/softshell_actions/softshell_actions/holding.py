"""Whether soft manipulators hold an object, from the contact forces on their links."""

from collections.abc import Collection, Iterable, Mapping, Sequence

#: A manipulator grips an object if its contact forces with other bodies sum to more than this [N].
FEELING = 0.3
#: So many manipulators have to grip; all of them if the robot has fewer.
FEWEST = 3


def holds_a_thing(
    manipulators: Sequence[Collection[str]], felt: Iterable[tuple[str, float]]
) -> bool:
    """Whether enough manipulators grip an object.

    Args:
        manipulators: names of the links of each manipulator.
        felt: of each contact with another body, the robot's link and the size of the force [N].
    """
    forces: dict[str, float] = {}
    for link, force in felt:
        forces[link] = forces.get(link, 0.0) + force
    gripping = sum(_force(links, forces) > FEELING for links in manipulators)
    return gripping >= min(FEWEST, len(manipulators)) > 0


def _force(links: Collection[str], forces: Mapping[str, float]) -> float:
    return sum(forces.get(link, 0.0) for link in links)
