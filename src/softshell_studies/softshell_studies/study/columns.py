"""The runs of a study as columns."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from softshell_studies.study.condition import is_true
from softshell_studies.study.study import numbers_of

#: Of each run.
ALWAYS = ('run', 'point', 'seed', 'session', 'seconds', 'error', 'trace')


def columns_of(
    manifest: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]
) -> dict[str, list[Any]]:
    """Columns by name: what is always told, parameters by path, metrics, and labels as `is_NAME`.

    Args:
        manifest: of the study.
        rows: of its journal.
    """
    study = manifest['study']
    rows = list(rows)
    columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in ALWAYS}
    for path in study['parameters']:
        values = [row['parameters'].get(path) for row in rows]
        columns[path] = values if len({type(value) for value in values}) < 2 else _alike(values)
    for name in manifest['metrics']:
        columns[name] = [_float(row['metrics'].get(name)) for row in rows]
    for label, condition in study['labels'].items():
        columns[f'is_{label}'] = [_label(row, condition) for row in rows]
    return columns


def _alike(values: list[Any]) -> list[Any]:
    """Values of one type: numbers where all are, NaN for what is by default, else texts."""
    if all(value is None or isinstance(value, int | float) for value in values):
        return [_float(value) for value in values]
    return [str(value) for value in values]


def _float(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _label(row: Mapping[str, Any], condition: str) -> bool | None:
    """Whether a run has a label; None of one that failed."""
    if row['error']:
        return None
    measured = {name: _float(value) for name, value in row['metrics'].items()}
    return is_true(condition, {**numbers_of(row['parameters']), **measured})
