"""What a search takes from optuna: samplers, their search space, and the file of their state."""

from pathlib import Path
from typing import Any

from softshell_studies.study.axes import Axis


def sampler_of(name: str, seed: int) -> Any:
    """A sampler of optuna.

    Args:
        name: cmaes, tpe or random.
        seed: of its random numbers.
    """
    import optuna

    match name:
        case 'cmaes':
            return optuna.samplers.CmaEsSampler(seed=seed)
        case 'tpe':
            return optuna.samplers.TPESampler(seed=seed, constant_liar=True, multivariate=True)
        case _:
            return optuna.samplers.RandomSampler(seed=seed)


def distribution_of(axis: Axis) -> Any:
    """The distribution of optuna for the values of a parameter."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution

    if axis.values is not None:
        return CategoricalDistribution(list(axis.values))
    low, high = axis.extremes
    is_log = axis.log_uniform is not None or axis.scale == 'log'
    return FloatDistribution(low, high, log=is_log)


def storage_in(path: Path) -> Any:
    """A storage for the trials of a sampler, so that a search that was ended can go on.

    Args:
        path: of its file, which is created if it is missing.
    """
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock

    return JournalStorage(JournalFileBackend(str(path), JournalFileOpenLock(str(path))))
