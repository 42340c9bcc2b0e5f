"""A search for the best parameters: a sampler of optuna chooses points, workers of Dask run them.

Point 0 has the default values. If each point has several repeats, the best point and the default
are run again at the end, with seeds that were not used in the search: the best of many noisy
results looks better than it is.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from softshell_common.whole_file import write_whole
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.solving.threads import usable_cpus
from softshell_studies.study.asked import Asked
from softshell_studies.study.batches import Batches, Progress, task_of
from softshell_studies.study.results import BEST, Results, read_manifest, rows_of, writing
from softshell_studies.study.rows import meets
from softshell_studies.study.samplers import Sampler
from softshell_studies.study.study import Study
from softshell_studies.study.workers import workers_of

#: File with the state of the sampler, in the folder of the results.
SAMPLER = 'sampler.log'


@dataclass(frozen=True)
class Found:
    """The result of a search.

    Attributes:
        values: the best values of the parameters, by path.
        default: their default values, by path.
        metric: name of the optimized metric.
        best, by_default: (repeats,) values of the metric at both points, NaN for a run that
            failed or violates the condition of the search; with several repeats, from seeds that
            were not used in the search.
    """

    values: Mapping[str, Any]
    default: Mapping[str, Any]
    metric: str
    best: tuple[float, ...]
    by_default: tuple[float, ...]

    @property
    def gain(self) -> float:
        """Relative change of the metric from the default to the best; negative: smaller.

        NaN if any run at one of both points failed or violates the condition.
        """
        before = float(np.mean(self.by_default))
        return (float(np.mean(self.best)) - before) / abs(before) if before else math.nan

    def table(self) -> str:
        """The result as lines of text."""
        rows = [
            f'{path}: {_shown(value)} (default {_shown(self.default[path])})'
            for path, value in self.values.items()
        ]
        told = ', '.join(
            f'{name} {_summary(values)}'
            for name, values in (('best', self.best), ('default', self.by_default))
        )
        gain = f', {100.0 * self.gain:+.1f} %' if math.isfinite(self.gain) else ''
        return '\n'.join([f'{self.metric}: {told}{gain}', *rows])


def optimise(
    study: Study,
    folder: Path,
    *,
    place: Path | None = None,
    scheduler: str = '',
    workers: int | None = None,
    record: Path | None = None,
    progress: Callable[[Progress], None] = lambda progress: None,
    ended: Callable[[], bool] = lambda: False,
) -> tuple[Results, Found | None]:
    """Do a search, or continue one that was ended; with arguments as in `sweep`.

    Returns:
        The results, closed, and what the search has found; None if it was ended before.

    Raises:
        SoftshellError: the study is no search; there is no such cluster, or it has no workers, or
            none that can do its runs; the results cannot be written; no point meets the condition
            of the search.
    """
    points = study.points
    if not isinstance(points, Asked):
        raise SoftshellError(
            f'{study.name} has no optimize; expected a search, or a call of sweep'
        )
    # The points of this call: another one with the same study chooses its own.
    study = replace(study, points=Asked(points[0], points.trials, points.fresh))
    task = task_of(study, place, record)
    with Results(folder, study) as results:
        search = _Search(study, folder)
        if len(results.done) < len(study):
            with workers_of(scheduler, workers or usable_cpus()) as client:
                batches = Batches(study, task, results, client, progress)
                search.run(batches, ended)
                batches.close()
        if len(results.done) < len(study):
            return results, None
        found = search.found()
    with writing(folder / BEST):
        write_whole(folder / BEST, json.dumps(_told(found), indent=1).encode())
    return results, found


class _Search:
    """Takes points from the sampler to the workers, and their results back.

    Args:
        study: whose points are searched.
        folder: of the results; the sampler first learns from the runs that are in it.
    """

    def __init__(self, study: Study, folder: Path) -> None:
        assert isinstance(study.points, Asked)
        assert study.form.optimize is not None
        self._study, self._points, self._form = study, study.points, study.form.optimize
        self._sampler = Sampler(study, folder / SAMPLER, read_manifest(folder)['name'])
        self._rows: dict[int, list[Mapping[str, Any]]] = {}
        for point, values in self._sampler.chosen.items():
            self._points.put(point, values)
        for row in rows_of(folder):
            self._points.put(row['point'], row['parameters'])
            self._rows.setdefault(row['point'], []).append(row)
        for point in sorted(self._rows):
            if 0 < point <= self._form.trials and point not in self._sampler.chosen:
                self._sampler.learn(point, self._points[point])
            self._tell(point)

    def run(self, batches: Batches, ended: Callable[[], bool]) -> None:
        """Do all runs that are not done yet."""
        left = [point for point in range(self._form.trials + 1) if not self._is_whole(point)]
        while not ended() and (left or len(batches)):
            while left and len(batches) < batches.workers:
                self._ask(left[0])
                self._submit(batches, left.pop(0))
            for point in self._collected(batches):
                self._tell(point)
        if ended() or not self._points.fresh:
            return
        for point, values in self._again().items():
            self._points.put(point, values)
            self._submit(batches, point)
        while len(batches) and not ended():
            self._collected(batches)

    def _submit(self, batches: Batches, point: int) -> None:
        """Submit the runs of a point that are not done yet."""
        repeats = self._study.form.repeats
        done = {row['run'] for row in self._rows.get(point, ())}
        numbers = range(point * repeats, (point + 1) * repeats)
        batches.submit([number for number in numbers if number not in done])

    def _collected(self, batches: Batches) -> list[int]:
        """Points whose last missing run has come back; waits a while for runs."""
        whole = []
        for record in batches.collect():
            run = self._study.run(record.run)
            row = {'run': run.number, 'parameters': run.values, 'metrics': record.metrics}
            self._rows.setdefault(run.point, []).append(row)
            if self._is_whole(run.point):
                whole.append(run.point)
        return whole

    def _again(self) -> dict[int, Mapping[str, Any]]:
        """Values of the points that are run again at the end: the default and the best."""
        last = self._form.trials
        return {last + 1: self._points[0], last + 2: self._points[self._best()]}

    def found(self) -> Found:
        """The result, once all runs are done.

        Raises:
            SoftshellError: no point meets the condition of the search.
        """
        point = self._best()
        last = self._form.trials
        judged = (last + 2, last + 1) if self._points.fresh else (point, 0)
        best, default = (tuple(self._values(one)) for one in judged)
        return Found(self._points[point], self._points[0], self._form.metric, best, default)

    def _ask(self, point: int) -> None:
        """Let the sampler choose a point, unless it is the default or already chosen."""
        if point == 0 or self._points.has(point):
            return
        self._points.put(point, self._sampler.choose(point))

    def _tell(self, point: int) -> None:
        """Tell the sampler the value of a point, once all of its runs are over.

        If a run failed or violates the condition, the value told is the worst of all valid points.
        """
        is_asked = 0 < point <= self._form.trials
        if not is_asked or point in self._sampler.told or not self._is_whole(point):
            return
        worth = self._worth(point)
        if worth is None:
            known = [w for each in self._sampler.told if (w := self._worth(each)) is not None]
            worst = max if self._form.goal == 'least' else min
            worth = worst(known, default=None)
        self._sampler.tell(point, worth)

    def _is_whole(self, point: int) -> bool:
        return len(self._rows.get(point, ())) == self._study.form.repeats

    def _values(self, point: int) -> list[float]:
        """The metric of each run of a point; NaN of one that failed or violates the condition."""
        found = (
            row['metrics'].get(self._form.metric) if self._fits(row) else None
            for row in self._rows.get(point, ())
        )  # fmt: skip
        return [math.nan if value is None else float(value) for value in found]

    def _worth(self, point: int) -> float | None:
        """Mean of the metric; None if any run is missing, failed or violates the condition."""
        values = self._values(point)
        if not self._is_whole(point) or not np.isfinite(values).all():
            return None
        return float(np.mean(values))

    def _fits(self, row: Mapping[str, Any]) -> bool:
        """Whether a run meets the condition of the search."""
        return self._form.where is None or bool(meets(self._form.where, row))

    def _best(self) -> int:
        """The best point; the default is one of the candidates.

        Raises:
            SoftshellError: no point meets the condition.
        """
        worth = {
            point: value
            for point in range(self._form.trials + 1)
            if (value := self._worth(point)) is not None
        }
        if not worth:
            wanted = f'meets {self._form.where!r}' if self._form.where else 'ran without an error'
            raise SoftshellError(
                f'no point of {self._study.name} {wanted}; expected at least one, such as the '
                'default'
            )
        chosen = min if self._form.goal == 'least' else max
        best: int = chosen(worth, key=worth.__getitem__)
        return best


def _told(found: Found) -> dict[str, Any]:
    """The content of `best.json`; what is not finite is null."""

    def known(value: float) -> float | None:
        return value if math.isfinite(value) else None

    return {
        'metric': found.metric,
        'best': dict(found.values),
        'default': dict(found.default),
        'value': known(_mean(found.best)),
        'by_default': known(_mean(found.by_default)),
        'values': [known(value) for value in found.best],
        'values_by_default': [known(value) for value in found.by_default],
        'gain': known(found.gain),
    }


def _mean(values: tuple[float, ...]) -> float:
    """Mean of the values that are finite; NaN: none is."""
    finite = [value for value in values if math.isfinite(value)]
    return float(np.mean(finite)) if finite else math.nan


def _summary(values: tuple[float, ...]) -> str:
    """Mean of the values that are finite, its standard error, and how many others there are."""
    finite = [value for value in values if math.isfinite(value)]
    text = f'{_mean(values):.5g}'
    if len(finite) > 1:
        text += f' ± {np.std(finite, ddof=1) / np.sqrt(len(finite)):.2g}'
    return text + unfit_among(len(values) - len(finite), len(values))


def unfit_among(unfit: int, runs: int) -> str:
    """The number of runs that failed or violate the condition, in brackets; empty: none."""
    return f' ({unfit} of {runs} runs failed or violate the condition)' if unfit else ''


def _shown(value: object) -> str:
    return f'{value:.4g}' if isinstance(value, float) else str(value)
