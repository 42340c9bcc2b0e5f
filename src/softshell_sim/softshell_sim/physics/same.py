"""Equality of values that hold arrays."""

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def is_same(one: Any, other: Any) -> bool:
    """Whether two values are equal: dataclasses and tuples by their parts, arrays by elements."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if is_dataclass(one):
        names = [field.name for field in fields(one)]
        return all(is_same(getattr(one, name), getattr(other, name)) for name in names)
    return bool(one == other)
