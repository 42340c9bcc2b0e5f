"""What is to be done, step by step: what an environment, a training and a baseline ask of it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array


@dataclass(frozen=True)
class Part:
    """Numbers of an observation or an action that belong together.

    Attributes:
        name: of them.
        size: how many.
        unit: of each in an observation; in an action what 1 stands for, with its unit.
        meaning: in a few words.
    """

    name: str
    size: int
    unit: str
    meaning: str


def size_of(parts: tuple[Part, ...]) -> int:
    """How many numbers there are."""
    return sum(part.size for part in parts)


def part_of(parts: tuple[Part, ...], numbers: Array, name: str) -> Array:
    """The numbers of a part, by its name.

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
    """Something to be done in a world of its own, in equal steps.

    Everything is in SI units. An episode depends on the numbers that `begin` draws, and on the
    actions: the same again give the same again, bit for bit.

    Attributes:
        actions, observations: what the numbers of each are.
        period: that a step lets pass [s].
    """

    actions: tuple[Part, ...]
    observations: tuple[Part, ...]
    period: float

    @abstractmethod
    def begin(self, random: np.random.Generator) -> None:
        """Begin an episode."""

    @abstractmethod
    def act(self, action: Array) -> None:
        """Let a period pass; (actions,) from -1 to 1, which what is beyond is brought to."""

    @abstractmethod
    def observe(self) -> Array:
        """(observations,) what is seen now."""

    @abstractmethod
    def reward(self) -> float:
        """Of the last step."""

    @property
    def failed(self) -> bool:
        """Whether there is no going on."""
        return False

    @abstractmethod
    def measured(self) -> Mapping[str, float]:
        """What came out so far, in the task's own terms, `score` among it: more of it is better.

        The score is defined at any time, and told of the end of an episode.
        """

    @abstractmethod
    def picture(self) -> NDArray[np.uint8]:
        """(height, width, 3) what the world looks like."""

    @abstractmethod
    def close(self) -> None:
        """End the world."""
