"""Conditions on rows of the journal of a study, over the numbers in them."""

import math
from collections.abc import Mapping
from typing import Any

from softshell_actions.language.expression import ExpressionError
from softshell_studies.study.condition import is_true


def meets(condition: str, row: Mapping[str, Any]) -> bool | None:
    """Whether a run meets a condition over its metrics and parameters.

    None if the condition has no value for this run, such as a quotient by a metric that is 0.

    Args:
        condition: see `is_true`. A parameter is named by the last word of its path.
        row: of the journal: `parameters` by path, and `metrics` by name. None is NaN.
    """
    numbers = numbers_of(row['parameters'])
    for name, value in row['metrics'].items():
        numbers[name] = math.nan if value is None else value
    try:
        return is_true(condition, numbers)
    except ExpressionError:
        return None


def numbers_of(values: Mapping[str, Any]) -> dict[str, float]:
    """Values that are numbers, by the last word of their path; NaN for None, the default."""
    return {
        path.rpartition('.')[2]: math.nan if value is None else float(value)
        for path, value in values.items()
        if value is None or isinstance(value, int | float)
    }
