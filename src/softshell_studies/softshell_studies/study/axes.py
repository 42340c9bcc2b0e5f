"""The values that a parameter takes in a study."""

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator
from scipy.stats import norm

from softshell_common.yaml_file import Number, Positive, StrictModel

Interval = tuple[Number, Number]
#: What says where values come from; each parameter has one of them.
SOURCES = ('values', 'range', 'uniform', 'log_uniform', 'normal')


class Axis(StrictModel):
    """Where the values of a parameter come from.

    Attributes:
        values: these, one after the other.
        range: from the first number to the second.
        count: so many values of a range, both ends among them.
        scale: of a range: its values are equally far apart, or by equal factors.
        uniform, log_uniform: random between two numbers; by equal chance, or by that of their
            logarithms.
        normal: random, of a mean and a standard deviation.
    """

    values: Annotated[tuple[Any, ...], Field(min_length=1)] | None = None
    range: Interval | None = None
    count: Annotated[int, Field(ge=2, strict=True)] | None = None
    scale: Literal['linear', 'log'] = 'linear'
    uniform: Interval | None = None
    log_uniform: tuple[Positive, Positive] | None = None
    normal: tuple[Number, Positive] | None = None

    @model_validator(mode='after')
    def _is_one(self) -> Self:
        given = [name for name in SOURCES if getattr(self, name) is not None]
        if len(given) != 1:
            told = ' and '.join(given) or 'none'
            raise ValueError(f'has {told}; expected one of {", ".join(SOURCES)}')
        for name in ('range', 'uniform', 'log_uniform'):
            interval = getattr(self, name)
            if interval is not None and not interval[0] < interval[1]:
                raise ValueError(f'{name} is empty: {interval[0]:g} to {interval[1]:g}')
        if self.range is None and (self.count is not None or self.scale != 'linear'):
            raise ValueError(f'has count or scale with {given[0]}; expected them with range')
        if self.range is not None and self.scale == 'log' and self.range[0] <= 0.0:
            raise ValueError(f'range begins at {self.range[0]:g}; expected more than 0 to be log')
        return self

    @property
    def is_numeric(self) -> bool:
        """Whether all of its values are numbers, or what is by default."""
        return all(value is None or isinstance(value, int | float) for value in self.extremes)

    @property
    def steps(self) -> Sequence[Any] | None:
        """The values of a grid; None: it has no steps."""
        if self.values is not None:
            return self.values
        if self.range is None or self.count is None:
            return None
        low, high = self.range
        spaced = np.geomspace if self.scale == 'log' else np.linspace
        return [float(value) for value in spaced(low, high, self.count)]

    @property
    def extremes(self) -> Sequence[Any]:
        """Values that a scenario has to bear, if it bears all: all of a list, ends of a range."""
        if self.values is not None:
            return self.values
        if self.normal is not None:
            return [self.normal[0]]
        interval = self.range or self.uniform or self.log_uniform
        assert interval is not None
        return interval

    def at(self, part: float) -> Any:
        """The value below which a part (0 to 1) of all lies; of a list one of equal parts."""
        if self.values is not None:
            return self.values[min(int(part * len(self.values)), len(self.values) - 1)]
        if self.normal is not None:
            mean, deviation = self.normal
            return float(norm.ppf(min(max(part, 1e-12), 1.0 - 1e-12), mean, deviation))
        interval = self.range or self.uniform or self.log_uniform
        assert interval is not None
        low, high = interval
        if self.log_uniform is not None or self.scale == 'log':
            return math.exp(math.log(low) + part * (math.log(high) - math.log(low)))
        return low + part * (high - low)
