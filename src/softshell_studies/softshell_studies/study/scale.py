"""Estimates time or memory of a large study from two small ones."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A straight line: a fixed value plus a value for each run.

    Attributes:
        fixed: value for 0 runs.
        each: what each run adds.
    """

    fixed: float
    each: float

    @classmethod
    def through(cls, first: tuple[float, float], second: tuple[float, float]) -> 'Line':
        """The line through (runs, value) of two studies.

        Raises:
            ValueError: both studies have the same number of runs.
        """
        (few, less), (many, more) = first, second
        if few == many:
            raise ValueError(f'both studies have {few:g} runs; expected two sizes')
        each = (more - less) / (many - few)
        return cls(less - each * few, each)

    def at(self, runs: float) -> float:
        """The value for so many runs."""
        return self.fixed + self.each * runs
