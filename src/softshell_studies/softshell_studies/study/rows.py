"""Conditions on rows of the journal of a study."""

import math
from collections.abc import Mapping
from typing import Any

from softshell_studies.study.condition import is_true
from softshell_studies.study.study import numbers_of


def meets(condition: str, row: Mapping[str, Any]) -> bool:
    """Whether a run meets a condition over its metrics and parameters.

    Args:
        condition: see `is_true`. A parameter is named by the last word of its path.
        row: of the journal: `parameters` by path, and `metrics` by name. None is NaN.

    Raises:
        ExpressionError: the condition is wrong, or has an unknown name.
    """
    numbers = numbers_of(row['parameters'])
    for name, value in row['metrics'].items():
        numbers[name] = math.nan if value is None else value
    return is_true(condition, numbers)
