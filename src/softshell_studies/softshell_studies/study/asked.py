"""The points of a search: the default first, then those that a sampler chooses."""

from collections.abc import Mapping
from typing import Any


class Asked:
    """The points of a search by number; each is set with `put` before it is run.

    Args:
        default: values of point 0, by path.
        trials: number of points that a sampler chooses.
        fresh: number of points that are run again at the end, with other seeds.

    Attributes:
        trials, fresh: as given.
    """

    def __init__(self, default: Mapping[str, Any], trials: int, fresh: int) -> None:
        self.trials, self.fresh = trials, fresh
        self._values: dict[int, dict[str, Any]] = {0: dict(default)}

    def __len__(self) -> int:
        return 1 + self.trials + self.fresh

    def __getitem__(self, number: int) -> dict[str, Any]:
        return self._values[number]

    def has(self, number: int) -> bool:
        """Whether the values of a point are set."""
        return number in self._values

    def put(self, number: int, values: Mapping[str, Any]) -> None:
        """Set the values of a point, by path."""
        self._values[number] = dict(values)
