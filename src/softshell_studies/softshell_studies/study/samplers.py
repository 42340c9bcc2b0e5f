"""What a search takes from optuna: a sampler, its search space, and the file of its state."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from softshell_studies.study.axes import Axis
from softshell_studies.study.results import whole_rows, writing
from softshell_studies.study.study import Study

#: Of a trial of optuna: the number of its point. It is written last: a trial with it is whole.
POINT = 'point'


class Sampler:
    """Chooses points of a search; a file keeps what it has chosen and was told.

    Each point has random numbers of its own, so that a search that was interrupted chooses the
    points that it would have chosen without.

    Args:
        study: that is a search.
        path: of the file, which is created if it is missing, and which no other process uses. The
            part of it that was not written to its end is cut off.
        name: of the search in the file: always the same, also after that of the study has changed.

    Attributes:
        chosen: values of the points that it knows, by number of the point.
        told: numbers of the points whose results it knows.

    Raises:
        SoftshellError: the file cannot be written.
    """

    def __init__(self, study: Study, path: Path, name: str) -> None:
        import optuna

        form = study.form.optimize
        assert form is not None
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._path, self._kind, self._seed = path, form.sampler, study.form.seed
        self._space = {name: _distribution(axis) for name, axis in study.form.parameters.items()}
        with writing(path):
            # One that was killed leaves the lock of optuna behind, which would wait for it.
            path.with_name(f'{path.name}.lock').unlink(missing_ok=True)
            for _ in whole_rows(path, {}):
                pass  # only to cut it off
            self._search = optuna.create_study(
                storage=_storage_in(path),
                study_name=name,
                load_if_exists=True,
                direction='minimize' if form.goal == 'least' else 'maximize',
            )
        trials = [each for each in self._search.get_trials() if POINT in each.user_attrs]
        self._trials = {each.user_attrs[POINT]: each.number for each in trials}
        self.chosen = {each.user_attrs[POINT]: each.params for each in trials}
        self.told = {each.user_attrs[POINT] for each in trials if each.state.is_finished()}

    def choose(self, point: int) -> dict[str, Any]:
        """Values of a new point, by path.

        Raises:
            SoftshellError: the file cannot be written.
        """
        self._search.sampler = _sampler_of(self._kind, self._seed, point)
        with writing(self._path):
            trial = self._search.ask(self._space)
            trial.set_user_attr(POINT, point)
        self._trials[point] = trial.number
        self.chosen[point] = trial.params
        return trial.params

    def learn(self, point: int, values: Mapping[str, Any]) -> None:
        """Take in a point that the file has lost, with its values by path.

        Raises:
            SoftshellError: the file cannot be written.
        """
        from optuna.trial import TrialState, create_trial

        self._trials[point] = len(self._search.get_trials(deepcopy=False))
        self.chosen[point] = dict(values)
        trial = create_trial(
            state=TrialState.RUNNING,
            params=self.chosen[point],
            distributions=self._space,
            user_attrs={POINT: point},
        )
        with writing(self._path):
            self._search.add_trial(trial)

    def tell(self, point: int, worth: float | None) -> None:
        """Take in the value of a point; None: it has none.

        Raises:
            SoftshellError: the file cannot be written.
        """
        from optuna.trial import TrialState

        state = TrialState.FAIL if worth is None else TrialState.COMPLETE
        with writing(self._path):
            self._search.tell(self._trials[point], worth, state)
        self.told.add(point)


def _sampler_of(kind: str, seed: int, point: int) -> Any:
    """A sampler of optuna for one point: cmaes, tpe or random, with random numbers of its own."""
    import optuna

    seed = int(np.random.SeedSequence([seed, point]).generate_state(1, np.uint32)[0])
    match kind:
        case 'cmaes':
            return optuna.samplers.CmaEsSampler(seed=seed)
        case 'tpe':
            return optuna.samplers.TPESampler(seed=seed, constant_liar=True, multivariate=True)
        case _:
            return optuna.samplers.RandomSampler(seed=seed)


def _distribution(axis: Axis) -> Any:
    """The distribution of optuna for the values of a parameter."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution

    if axis.values is not None:
        return CategoricalDistribution(list(axis.values))
    low, high = axis.interval
    is_log = axis.log_uniform is not None or axis.scale == 'log'
    return FloatDistribution(low, high, log=is_log)


def _storage_in(path: Path) -> Any:
    """A storage of optuna in a file, which is created if it is missing."""
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock

    return JournalStorage(JournalFileBackend(str(path), JournalFileOpenLock(str(path))))
