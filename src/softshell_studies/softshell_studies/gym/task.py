"""The base class of tasks: environments, trainings and scores use it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array


@dataclass(frozen=True)
class Part:
    """A part of an observation or an action: numbers that belong together.

    Attributes:
        name: of the part.
        size: how many numbers it has.
        unit: in an observation the unit; in an action the physical value of 1.
        meaning: in a few words.
    """

    name: str
    size: int
    unit: str
    meaning: str


def size_of(parts: tuple[Part, ...]) -> int:
    """The number of all numbers in some parts."""
    return sum(part.size for part in parts)


def part_of(parts: tuple[Part, ...], numbers: Array, name: str) -> Array:
    """(size,) the numbers of one part, by its name.

    Args:
        parts: of the observation or action.
        numbers: (size_of(parts),) all numbers.
        name: of the part.

    Raises:
        KeyError: there is no such part.
    """
    begin = 0
    for part in parts:
        if part.name == name:
            return numbers[begin : begin + part.size]
        begin += part.size
    raise KeyError(name)


class Task(ABC):
    """A task in a world of its own, in steps of equal time.

    Everything is in SI units. An episode depends only on the random numbers that `begin` draws and
    on the actions: the same ones give the same episode, bit for bit.

    Attributes:
        actions, observations: the parts of each.
        period: duration of a step [s].
    """

    actions: tuple[Part, ...]
    observations: tuple[Part, ...]
    period: float

    @abstractmethod
    def begin(self, random: np.random.Generator) -> None:
        """Begin an episode, with all its random numbers from `random`."""

    @abstractmethod
    def act(self, action: Array) -> None:
        """Do a step with an action: (actions,) numbers, which are clipped to -1 to 1."""

    @abstractmethod
    def observe(self) -> Array:
        """(observations,) measured now."""

    @abstractmethod
    def reward(self) -> float:
        """The reward of the last step."""

    @property
    def failed(self) -> bool:
        """Whether the episode must end because the task has failed."""
        return False

    @abstractmethod
    def measured(self) -> Mapping[str, float]:
        """Measurements so far, by name; `score` is always among them, and larger is better.

        The score of an episode is the one at its end.
        """

    @abstractmethod
    def picture(self) -> NDArray[np.uint8]:
        """(height, width, 3) a picture of the world."""

    @abstractmethod
    def close(self) -> None:
        """Close the world."""
