"""The runs of a study as columns."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from softshell_studies.study.rows import meets

#: Of each run.
ALWAYS = ('run', 'point', 'seed', 'session', 'seconds', 'error', 'trace')
#: Integers from here on are kept as floats, as they are in 64 bits nowhere.
LARGE = 2**63


class Kinds:
    """Of which types the values of each parameter are, over all runs of a study.

    Args:
        paths: of the parameters.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._kinds: dict[str, set[type]] = {path: set() for path in paths}

    def add(self, parameters: Mapping[str, Any]) -> None:
        """Take in the parameters of a run, by path; those it does not have are by default."""
        for path, kinds in self._kinds.items():
            value = parameters.get(path)
            is_large = isinstance(value, int) and abs(value) >= LARGE
            kinds.add(float if is_large else type(value))

    def as_texts(self, path: str) -> None:
        """Have the values of a parameter written as texts."""
        self._kinds[path] = {str}

    def of(self, path: str) -> type:
        """The type that all values of a parameter can have: `float` for numbers of several types.

        What is by default is NaN among numbers; of values that are not alike there are texts.
        """
        kinds = self._kinds[path]
        if len(kinds) == 1:
            return next(iter(kinds))
        return float if kinds <= {int, float, bool, type(None)} else str


def columns_of(
    manifest: Mapping[str, Any], rows: Iterable[Mapping[str, Any]], kinds: Kinds | None = None
) -> dict[str, list[Any]]:
    """Columns by name: what is always told, parameters by path, metrics, and labels as `is_NAME`.

    Args:
        manifest: of the study.
        rows: of its journal.
        kinds: of all rows, if these are only some of them.
    """
    study = manifest['study']
    rows = list(rows)
    if kinds is None:
        kinds = Kinds(study['parameters'])
        for row in rows:
            kinds.add(row['parameters'])
    columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in ALWAYS}
    for path in study['parameters']:
        values = [row['parameters'].get(path) for row in rows]
        columns[path] = _as(kinds.of(path), values)
    for name in manifest['metrics']:
        columns[name] = [_float(row['metrics'].get(name)) for row in rows]
    for label, condition in study['labels'].items():
        columns[f'is_{label}'] = [_label(row, condition) for row in rows]
    return columns


def _as(kind: type, values: list[Any]) -> list[Any]:
    if kind is float:
        return [_float(value) for value in values]
    return [str(value) for value in values] if kind is str else values


def _float(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _label(row: Mapping[str, Any], condition: str) -> bool | None:
    """Whether a run has a label; None of one that failed, or for which it has no value."""
    return None if row['error'] else meets(condition, row)
