"""What a large study will take, from two small ones: the line through two points."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """The two-point form of a line: y = y1 + (y2 - y1) / (x2 - x1) (x - x1).

    Attributes:
        fixed: what there is at 0, however few runs.
        each: what each run adds.
    """

    fixed: float
    each: float

    @classmethod
    def through(cls, first: tuple[float, float], second: tuple[float, float]) -> 'Line':
        """The line through (runs, value) of two studies of different size.

        Raises:
            ValueError: both have the same number of runs.
        """
        (few, less), (many, more) = first, second
        if few == many:
            raise ValueError(f'both studies have {few:g} runs; expected two sizes')
        each = (more - less) / (many - few)
        return cls(less - each * few, each)

    def at(self, runs: float) -> float:
        """The value for so many runs."""
        return self.fixed + self.each * runs
