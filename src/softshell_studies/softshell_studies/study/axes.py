"""The values of a varied parameter of a study."""

import json
import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import AfterValidator, Field, model_validator
from scipy.stats import norm

from softshell_common.yaml_file import Number, Positive, StrictModel, Whole

Interval = tuple[Number, Number]
#: Fields that give the values; a parameter has exactly one of them.
SOURCES = ('values', 'range', 'uniform', 'log_uniform', 'normal')
#: Most points times repeats of a study, and so most values of a range: memory holds each.
MOST_RUNS = 1_000_000
#: Quantile of the value that is checked inside an interval. By the golden ratio it is no whole
#: number, so that an interval is refused for a parameter that has to be one.
INSIDE = 0.6180339887


def _is_json(value: Any) -> Any:
    """A value that JSON can hold.

    Raises:
        ValueError: it cannot hold it, as a date or NaN.
    """
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        raise ValueError(
            'expected a finite number, a text (a date in quotes), true, false, null, or a list '
            'or mapping of these'
        ) from None
    return value


#: A value of a parameter.
Value = Annotated[Any, AfterValidator(_is_json)]


class Axis(StrictModel):
    """The values of a varied parameter.

    Attributes:
        values: a list of values.
        range: lowest and highest number.
        count: number of values of a range, with both ends; only for grids and slices.
        scale: of a range: linear, with equal differences, or log, with equal ratios.
        uniform: lowest and highest number; random, all numbers between them equally probable.
        log_uniform: lowest and highest number; random, all logarithms between theirs equally
            probable.
        normal: mean and standard deviation; random with a normal distribution.
    """

    values: Annotated[tuple[Value, ...], Field(min_length=1)] | None = None
    range: Interval | None = None
    count: Annotated[Whole, Field(ge=2, le=MOST_RUNS)] | None = None
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
                low, high = interval
                raise ValueError(f'{name} is {low:g} to {high:g}; expected the lower number first')
        if self.range is None and (self.count is not None or self.scale != 'linear'):
            raise ValueError(f'has count or scale with {given[0]}; expected them only with range')
        if self.range is not None and self.scale == 'log' and self.range[0] <= 0.0:
            raise ValueError(
                f'range begins at {self.range[0]:g}; expected more than 0 with scale: log'
            )
        return self

    @property
    def is_numeric(self) -> bool:
        """Whether all of its values are numbers or None."""
        return all(value is None or isinstance(value, int | float) for value in self.to_check)

    @property
    def number(self) -> int | None:
        """How many values a grid has; None if it has no fixed values."""
        return len(self.values) if self.values is not None else self.count

    @property
    def steps(self) -> Sequence[Any] | None:
        """The values of a grid; None if it has no fixed values."""
        if self.values is not None:
            return self.values
        if self.range is None or self.count is None:
            return None
        low, high = self.range
        spaced = np.geomspace if self.scale == 'log' else np.linspace
        return [float(value) for value in spaced(low, high, self.count)]

    @property
    def interval(self) -> Interval:
        """Lowest and highest number of `range`, `uniform` or `log_uniform`."""
        interval = self.range or self.uniform or self.log_uniform
        assert interval is not None
        return interval

    @property
    def to_check(self) -> Sequence[Any]:
        """The values to check: all of a grid; otherwise the ends or the mean, and one more."""
        if self.steps is not None:
            return self.steps
        known = self.interval if self.normal is None else self.normal[:1]
        return [*known, self.at(INSIDE)]

    def at(self, part: float) -> Any:
        """The quantile: the value below which a part (0 to 1) of all values lies."""
        if self.values is not None:
            return self.values[min(int(part * len(self.values)), len(self.values) - 1)]
        if self.normal is not None:
            mean, deviation = self.normal
            return float(norm.ppf(min(max(part, 1e-12), 1.0 - 1e-12), mean, deviation))
        low, high = self.interval
        if self.log_uniform is not None or self.scale == 'log':
            return math.exp(math.log(low) + part * (math.log(high) - math.log(low)))
        return low + part * (high - low)
