"""What the robot that runs can be asked for."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

#: Lowest and highest value of a coordinate.
Range = tuple[float, float]
#: Of a coordinate whose range is not known: the action manager refuses what is too far.
FREE = (-math.inf, math.inf)


class Parameter(Protocol):
    """A parameter of an action, e.g. a `ParameterDescription`."""

    name: str
    minimum: float
    maximum: float


class Action(Protocol):
    """An action, e.g. an `ActionDescription`."""

    name: str
    parameters: Sequence[Parameter]


@dataclass(frozen=True)
class Offer:
    """What a robot can be asked for.

    Attributes:
        actions: names.
        walks: whether it follows velocities.
        poses: whether its base can be brought to a pose over its feet.
        height: range of that pose [m].
        roll, pitch: ranges of that pose [rad].
        gaits: names, the one that it walked by when it told first.
    """

    actions: frozenset[str] = frozenset()
    walks: bool = True
    poses: bool = True
    height: Range = FREE
    roll: Range = FREE
    pitch: Range = FREE
    gaits: tuple[str, ...] = ()


#: Of a robot that has not told yet.
UNKNOWN = Offer()


def offer_of(
    actions: Iterable[Action], walks: bool, poses: bool, gaits: Iterable[str] = ()
) -> Offer:
    """What a robot with these actions can be asked for.

    The ranges of a pose are those of the action that brings the base to a pose: it alone has
    height, roll and pitch as parameters, by the names that they have in all messages.

    Args:
        actions: of the robot.
        walks, poses, gaits: as of `Offer`.
    """
    ranges: list[dict[str, Range]] = []
    names, known = set(), tuple(gaits)
    for action in actions:
        names.add(action.name)
        found = {one.name: (one.minimum, one.maximum) for one in action.parameters}
        if found.keys() >= {'z', 'roll', 'pitch'}:
            ranges.append(found)
    if len(ranges) != 1:
        return Offer(frozenset(names), walks, poses, gaits=known)
    (one,) = ranges
    return Offer(frozenset(names), walks, poses, one['z'], one['roll'], one['pitch'], known)
