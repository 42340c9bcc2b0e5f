"""The runs of a study, as arrays."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_studies.study.columns import columns_of
from softshell_studies.study.results import read_manifest, rows_of
from softshell_studies.study.rows import meets

#: A parameter with at most so many different values has a group of runs for each.
FEW = 8


@dataclass(frozen=True, eq=False)
class Runs:
    """The finished runs of a study.

    Attributes:
        name: of the study.
        manifest: content of its `study.json`.
        parameters: (runs,) values of each varied parameter, by path; as text if they are not all
            numbers.
        metrics: (runs,) values of each metric, by name; NaN where there is none.
        labels: (runs,) whether each label is true, by name; False where it has no value, as for
            failed runs.
        point: (runs,) number of the combination of parameters.
        failed: (runs,) whether the run failed.
        errors: (runs,) why it failed; empty if it did not.
        number, seed: (runs,) of each run.
        fits: (runs,) whether the run did not fail and meets the condition `where` of a search.
        given: (runs,) values of the varied parameters, by path, as they were given.
    """

    name: str
    manifest: Mapping[str, Any]
    parameters: Mapping[str, NDArray[Any]]
    metrics: Mapping[str, Array]
    labels: Mapping[str, NDArray[np.bool_]]
    point: NDArray[np.int_]
    failed: NDArray[np.bool_]
    errors: tuple[str, ...]
    number: NDArray[np.int_]
    seed: NDArray[np.int_]
    fits: NDArray[np.bool_]
    given: tuple[Mapping[str, Any], ...]

    def metric(self, name: str) -> Array:
        """(runs,) values of a metric, by its name.

        Raises:
            UnknownNameError: there is no metric of this name.
        """
        if name not in self.metrics:
            raise UnknownNameError('metric', name, self.metrics)
        return self.metrics[name]

    @property
    def numeric(self) -> list[str]:
        """Paths of the numeric parameters with more than one value."""
        return [
            path
            for path, values in self.parameters.items()
            if values.dtype.kind == 'f' and len(np.unique(values)) > 1
        ]

    @property
    def dependent(self) -> str:
        """Why parameters do not vary independently of each other; empty: they do."""
        study = self.manifest['study']
        search = study.get('optimize')
        if search is not None and search.get('sampler') != 'random':
            return 'the points of a search gather where the metric is good'
        if search is None and study.get('sampling') == 'slices':
            return 'in slices, only two parameters vary at a time'
        return ''


def read_runs(folder: Path) -> Runs:
    """Read the finished runs from the folder of a study, which may still be running.

    Raises:
        SoftshellError: the folder holds no study or a damaged one, or no run is over.
    """
    manifest = read_manifest(folder)
    try:
        rows = list(rows_of(folder))
        columns = columns_of(manifest, rows)
    except OSError as error:
        raise SoftshellError(f'{folder}: {error.strerror}; expected the runs of a study') from None
    if not columns['run']:
        raise SoftshellError(f'{folder}: no run is over yet')
    paths = list(manifest['study']['parameters'])
    return Runs(
        name=manifest['name'],
        manifest=manifest,
        parameters={path: _values(columns[path]) for path in paths},
        metrics={name: np.array(columns[name]) for name in manifest['metrics']},
        labels={
            name: np.array([bool(value) for value in columns[f'is_{name}']])
            for name in manifest['study']['labels']
        },
        point=np.array(columns['point']),
        failed=np.array([bool(text) for text in columns['error']]),
        errors=tuple(columns['error']),
        number=np.array(columns['run']),
        seed=np.array(columns['seed']),
        fits=np.array([_fits(manifest, row) for row in rows]),
        given=tuple(row['parameters'] for row in rows),
    )


def _fits(manifest: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    """Whether a run did not fail, and meets the condition of a search if there is one."""
    where = (manifest['study'].get('optimize') or {}).get('where')
    if where is None or row['error']:
        return not row['error']
    return bool(meets(where, row))


def _values(values: list[Any]) -> NDArray[Any]:
    if all(isinstance(value, int | float) for value in values):
        return np.array(values, dtype=float)
    return np.array([str(value) for value in values])


def over_repeats(runs: Runs, values: Array) -> tuple[NDArray[np.int_], Array]:
    """Means of a metric over the repeats of each point.

    Args:
        runs: of the study.
        values: (runs,) of the metric; NaN is left out.

    Returns:
        (points,) index of the first run of each point, and (points,) means; NaN for a point
        without a finite value.
    """
    points, first, place = np.unique(runs.point, return_index=True, return_inverse=True)
    known = np.isfinite(values)
    return first, means_of(place[known], values[known], len(points))


def survived(runs: Runs) -> list[str]:
    """(points,) how many of the finished repeats of each point did not fail, as `2 of 3`."""
    _, place = np.unique(runs.point, return_inverse=True)
    well = np.bincount(place[~runs.failed], minlength=int(place.max()) + 1)
    return [f'{a} of {b}' for a, b in zip(well, np.bincount(place), strict=True)]


def means_of(group: NDArray[np.int_], values: Array, count: int) -> Array:
    """(count,) means of the values of each group; NaN for an empty group.

    Args:
        group: (values,) number of the group of each value.
        values: (values,) finite numbers.
        count: number of groups.
    """
    members = np.bincount(group, minlength=count)
    sums = np.bincount(group, values, count)
    return np.where(members > 0, sums / np.maximum(members, 1), np.nan)


def sensitivity(runs: Runs, values: Array) -> dict[str, float]:
    """How much of the variance of a metric each parameter explains by itself, from 0 to 1.

    The first-order Sobol index, S = Var(E[y | x]) / Var(y); it has this meaning only if parameters
    vary independently of each other, see `Runs.dependent`. Means are taken at each value of x or,
    if most values have one run only, over intervals with about equally many runs: `FEW`, or twice
    the cube root of the number of runs if that is more, which is Rice's rule for histograms. Such
    means also vary by chance; that part is subtracted, as in the correlation ratio ε² of Kelley
    (1935).

    Args:
        runs: of the study.
        values: (runs,) of the metric; NaN is left out.

    Returns:
        The index by path; parameters with one value only are left out.
    """
    known = np.isfinite(values)
    found = {}
    for path, column in runs.parameters.items():
        told = known if column.dtype.kind != 'f' else known & np.isfinite(column)
        x, y = column[told], values[told]
        total = float(((y - y.mean()) ** 2).sum()) if len(y) else 0.0
        levels, group = np.unique(x, return_inverse=True)
        if total == 0.0 or len(levels) < 2:
            continue
        if len(levels) > max(FEW, len(x) // 2) and x.dtype.kind == 'f':
            # Too few hide how the metric varies within them. With too many, too much is
            # subtracted for chance where points are spread evenly, as in a Sobol sequence.
            intervals = max(FEW, round(2.0 * len(x) ** (1.0 / 3.0)))
            # By rank, so that equal values are together.
            group = np.searchsorted(np.sort(x), x) * intervals // len(x)
        counts = np.bincount(group)
        used = counts > 0
        means = means_of(group, y, len(counts))[used]
        between = float((counts[used] * (means - y.mean()) ** 2).sum())
        within = total - between
        free = len(y) - int(used.sum())
        chance = (int(used.sum()) - 1) * within / free if free > 0 else 0.0
        found[path] = max(0.0, (between - chance) / total)
    return found
