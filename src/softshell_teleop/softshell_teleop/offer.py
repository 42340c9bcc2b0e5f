"""What the running robot can be asked for."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

#: Lowest and highest value of a coordinate.
Range = tuple[float, float]
#: Range of a coordinate if it is not known: the action manager refuses values that are too large.
FREE = (-math.inf, math.inf)


class Parameter(Protocol):
    """A parameter of an action, e.g. a `ParameterDescription`."""

    name: str
    default_value: float
    minimum: float
    maximum: float
    unit: str
    meaning: str


class Action(Protocol):
    """An action, e.g. an `ActionDescription`."""

    name: str
    description: str
    parameters: Sequence[Parameter]


@dataclass(frozen=True)
class Offer:
    """What a robot can be asked for.

    Attributes:
        actions: names of its actions.
        walks: whether it follows velocities.
        poses: whether its base can be brought to a pose over its feet.
        height: range of the height in such a pose [m].
        roll, pitch: ranges of roll and pitch in such a pose [rad].
        gaits: names of its gaits, first the one on cmd_vel at the time of asking.
    """

    actions: frozenset[str] = frozenset()
    walks: bool = True
    poses: bool = True
    height: Range = FREE
    roll: Range = FREE
    pitch: Range = FREE
    gaits: tuple[str, ...] = ()


#: Of a robot that has not answered yet.
UNKNOWN = Offer()


def offer_of(
    actions: Iterable[Action], walks: bool, poses: bool, gaits: Iterable[str] = ()
) -> Offer:
    """What a robot with these actions can be asked for.

    The ranges of a pose are those of the action that brings the base to a pose: the only one with
    parameters `z`, `roll` and `pitch`.

    Args:
        actions: the robot's actions.
        walks, poses, gaits: see `Offer`.
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
