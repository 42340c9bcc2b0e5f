"""Finding the parameters that are best: runs that a sampler of optuna asks for, on Dask.

Point 0 is what the scenario has by default. Where a point is run more than once, the best and the
default are run once more in the end with seeds that the search has not seen, for of many that are
alike by chance the best looks better than it is.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softshell_common.whole_file import write_whole
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.threads import usable_cpus
from softshell_studies.study.asked import Asked
from softshell_studies.study.axes import Axis
from softshell_studies.study.batches import Batches, Progress, task_of
from softshell_studies.study.condition import is_true
from softshell_studies.study.results import BEST, Results, rows_of
from softshell_studies.study.study import Study, numbers_of
from softshell_studies.study.workers import workers_of

if TYPE_CHECKING:
    pass

#: What the sampler knows.
SAMPLER = 'sampler.log'


@dataclass(frozen=True)
class Found:
    """What a search has found.

    Attributes:
        values: the best parameters, by path.
        default: what they are by default.
        metric: that is to be least or most.
        best, by_default: (repeats,) of it, with seeds that the search has not seen where there
            are several.
    """

    values: Mapping[str, Any]
    default: Mapping[str, Any]
    metric: str
    best: tuple[float, ...]
    by_default: tuple[float, ...]

    @property
    def gain(self) -> float:
        """How much larger the best is than the default, as part of that; negative: smaller."""
        before = float(np.mean(self.by_default))
        return (float(np.mean(self.best)) - before) / abs(before) if before else math.nan

    def table(self) -> str:
        """What was found, as lines of text."""
        rows = [
            f'{path}: {_shown(value)} (default {_shown(self.default[path])})'
            for path, value in self.values.items()
        ]
        told = ', '.join(
            f'{name} {np.mean(values):.5g}'
            + (f' ± {_error(values):.2g}' if len(values) > 1 else '')
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
    """Search, or go on with it; arguments as of `sweep`.

    Returns:
        The results, closed, and what was found; None where it was ended before.

    Raises:
        SoftshellError: there is no such cluster, or it has no workers; the results cannot be
            written; no point is as it has to be.
    """
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
    write_whole(folder / BEST, json.dumps(_told(found), indent=1).encode())
    return results, found


class _Search:
    """Points on their way between optuna and the workers.

    Args:
        study: whose points it asks for.
        folder: of the results; what is in it is told to the sampler first.
    """

    def __init__(self, study: Study, folder: Path) -> None:
        import optuna

        assert isinstance(study.points, Asked)
        assert study.form.optimize is not None
        self._study, self._points, self._form = study, study.points, study.form.optimize
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._space = {
            path: _distribution(study.form.parameters[path]) for path in study.form.parameters
        }
        is_least = self._form.goal == 'least'
        self._optuna: optuna.Study = optuna.create_study(
            storage=_storage(folder / SAMPLER),
            study_name=study.name,
            load_if_exists=True,
            sampler=_sampler(self._form.sampler, study.form.seed),
            direction='minimize' if is_least else 'maximize',
        )
        self._rows: dict[int, list[Mapping[str, Any]]] = {}
        trials = self._optuna.get_trials(deepcopy=False)  # of an earlier time
        for trial in trials:
            self._points.put(trial.number + 1, trial.params)
        for row in rows_of(folder):
            self._points.put(row['point'], row['parameters'])
            self._rows.setdefault(row['point'], []).append(row)
        self._told = {trial.number + 1 for trial in trials if trial.state.is_finished()}
        for point in sorted(self._rows):
            self._tell(point)

    def run(self, batches: Batches, ended: Callable[[], bool]) -> None:
        """Have all runs done that are not."""
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
        """Have the runs of a point done that are not."""
        repeats = self._study.form.repeats
        done = {row['run'] for row in self._rows.get(point, ())}
        numbers = range(point * repeats, (point + 1) * repeats)
        batches.submit([number for number in numbers if number not in done])

    def _collected(self, batches: Batches) -> list[int]:
        """Points all of whose runs are over by what has come back."""
        whole = []
        for record in batches.collect():
            run = self._study.run(record.run)
            row = {'run': run.number, 'parameters': run.values, 'metrics': record.metrics}
            self._rows.setdefault(run.point, []).append(row)
            if self._is_whole(run.point):
                whole.append(run.point)
        return whole

    def _again(self) -> dict[int, Mapping[str, Any]]:
        """Points that are run once more in the end: the default, and the best."""
        last = self._form.trials
        return {last + 1: self._points[0], last + 2: self._points[self._best()]}

    def found(self) -> Found:
        """What came out, once all is done."""
        point = self._best()
        last = self._form.trials
        judged = (last + 2, last + 1) if self._points.fresh else (point, 0)
        best, default = (tuple(self._values(one)) for one in judged)
        return Found(self._points[point], self._points[0], self._form.metric, best, default)

    def _ask(self, point: int) -> None:
        """Have the sampler choose a point, if it is one of its own and not known yet."""
        if point == 0 or self._points.has(point):
            return
        trial = self._optuna.ask(self._space)
        assert trial.number == point - 1
        self._points.put(point, trial.params)

    def _tell(self, point: int) -> None:
        """Tell the sampler what a point is worth, once all of its runs are over.

        One that failed, or is not as it has to be, is told to be as bad as the worst that is.
        """
        from optuna.trial import TrialState

        is_asked = 0 < point <= self._form.trials
        if not is_asked or point in self._told or not self._is_whole(point):
            return
        self._told.add(point)
        worth = self._worth(point)
        if worth is None:
            known = [w for each in self._told if (w := self._worth(each)) is not None]
            if not known:
                self._optuna.tell(point - 1, state=TrialState.FAIL)
                return
            worth = max(known) if self._form.goal == 'least' else min(known)
        self._optuna.tell(point - 1, worth)

    def _is_whole(self, point: int) -> bool:
        return len(self._rows.get(point, ())) == self._study.form.repeats

    def _values(self, point: int) -> list[float]:
        """The metric of each run of a point; NaN of one that failed or has none."""
        found = (row['metrics'].get(self._form.metric) for row in self._rows.get(point, ()))
        return [math.nan if value is None else float(value) for value in found]

    def _worth(self, point: int) -> float | None:
        """Mean of the metric; None if any run failed, or is not as it has to be."""
        values = self._values(point)
        if not np.isfinite(values).all() or not all(map(self._fits, self._rows[point])):
            return None
        return float(np.mean(values))

    def _fits(self, row: Mapping[str, Any]) -> bool:
        if self._form.where is None:
            return True
        names = {
            name: math.nan if value is None else value for name, value in row['metrics'].items()
        }
        return is_true(self._form.where, {**numbers_of(row['parameters']), **names})

    def _best(self) -> int:
        """The point that is worth most, the default among them.

        Raises:
            SoftshellError: none is as it has to be.
        """
        worth = {
            point: value
            for point in range(self._form.trials + 1)
            if (value := self._worth(point)) is not None
        }
        if not worth:
            raise SoftshellError(
                f'no point is as it has to be: {self._form.where or "a run without an error"}; '
                'expected one at least, as the default'
            )
        chosen = min if self._form.goal == 'least' else max
        best: int = chosen(worth, key=worth.__getitem__)
        return best


def _storage(path: Path) -> Any:
    """Where the sampler keeps what it knows, so that it goes on as if it had not been ended."""
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock

    return JournalStorage(JournalFileBackend(str(path), JournalFileOpenLock(str(path))))


def _distribution(axis: Axis) -> Any:
    """What a sampler of optuna takes for an axis."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution

    if axis.values is not None:
        return CategoricalDistribution(list(axis.values))
    low, high = axis.extremes
    is_log = axis.log_uniform is not None or axis.scale == 'log'
    return FloatDistribution(low, high, log=is_log)


def _sampler(name: str, seed: int) -> Any:
    import optuna

    match name:
        case 'cmaes':
            return optuna.samplers.CmaEsSampler(seed=seed)
        case 'tpe':
            return optuna.samplers.TPESampler(seed=seed, constant_liar=True, multivariate=True)
        case _:
            return optuna.samplers.RandomSampler(seed=seed)


def _told(found: Found) -> dict[str, Any]:
    def known(value: float) -> float | None:
        return value if math.isfinite(value) else None

    return {
        'metric': found.metric,
        'best': dict(found.values),
        'default': dict(found.default),
        'value': known(float(np.mean(found.best))),
        'by_default': known(float(np.mean(found.by_default))),
        'values': [known(value) for value in found.best],
        'values_by_default': [known(value) for value in found.by_default],
        'gain': known(found.gain),
    }


def _error(values: tuple[float, ...]) -> float:
    """Standard error of a mean."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


def _shown(value: object) -> str:
    return f'{value:.4g}' if isinstance(value, float) else str(value)
