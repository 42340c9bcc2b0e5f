"""Points that are not known before: the default, then what a sampler asks for."""

from collections.abc import Mapping
from typing import Any


class Asked:
    """The points of a search by number; each is put there before it is run.

    Args:
        default: point 0.
        trials: how many a sampler asks for.
        fresh: how many are run once more in the end, with other seeds.
    """

    def __init__(self, default: Mapping[str, Any], trials: int, fresh: int) -> None:
        self.trials, self.fresh = trials, fresh
        self._values: dict[int, dict[str, Any]] = {0: dict(default)}

    def __len__(self) -> int:
        return 1 + self.trials + self.fresh

    def __getitem__(self, number: int) -> dict[str, Any]:
        return self._values[number]

    def has(self, number: int) -> bool:
        """Whether a point is known."""
        return number in self._values

    def put(self, number: int, values: Mapping[str, Any]) -> None:
        """Say what a point is."""
        self._values[number] = dict(values)
