"""Policies: they choose actions from observations. A trained one is a network in a file."""

import io
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softshell_common.whole_file import write_whole
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError

#: Version of the file format.
VERSION = 1
#: Folder of the networks that come with tasks; `./softshell train` makes them again.
TRAINED = Path(__file__).parent / 'trained'
#: Least spread of an observation, as part of the largest absolute value of all observations, or of
#: 1 if that is more.
LEAST = 1e-3


class Policy(ABC):
    """Chooses an action from an observation."""

    def begin(self) -> None:  # noqa: B027
        """Take note that an episode begins: forget what was kept of the one before."""

    @abstractmethod
    def act(self, observation: Array) -> Array:
        """(actions,) from -1 to 1, for an observation (observations,)."""

    def by_sight(self) -> 'Policy':
        """A variant that acts on the observation alone, without memory, where there is one."""
        return self


@dataclass(eq=False)
class Network(Policy):
    """A multilayer perceptron with tanh after each layer.

    Attributes:
        task: name of the task that it was trained for.
        mean, spread: (observations,) with which observations are normalised.
        weights: (outputs, inputs) of each layer.
        biases: (outputs,) of each layer.
        facts: about its training, such as its score.
    """

    task: str
    mean: Array
    spread: Array
    weights: Sequence[Array]
    biases: Sequence[Array]
    facts: Mapping[str, Any] = field(default_factory=dict)

    def act(self, observation: Array) -> Array:
        values = np.clip((observation - self.mean) / self.spread, -5.0, 5.0)
        for weight, bias in zip(self.weights, self.biases, strict=True):
            values = np.tanh(weight @ values + bias)
        return values

    def rounded(self) -> 'Network':
        """The same with numbers as precise as those in its file."""

        def short(array: Array) -> Array:
            return array.astype(np.float32).astype(np.float64)

        return replace(
            self, mean=short(self.mean), spread=short(self.spread),
            weights=[short(weight) for weight in self.weights],
            biases=[short(bias) for bias in self.biases],
        )  # fmt: skip

    @classmethod
    def of_numbers(
        cls, task: str, mean: Array, spread: Array, sizes: Sequence[int], numbers: Array
    ) -> 'Network':
        """A network from all its weights and biases in one array.

        Weights are divided by the square root of the number of inputs of their layer, so that
        numbers of about 1 suit all layers.

        Args:
            task: of the network.
            mean, spread: (observations,) by which observations are shifted and divided.
            sizes: of its layers; that of the observations first, that of the actions last.
            numbers: (count_of(sizes),).
        """
        weights, biases, begin = [], [], 0
        for before, after in pairwise(sizes):
            end = begin + before * after
            weights.append(numbers[begin:end].reshape(after, before) / np.sqrt(before))
            biases.append(numbers[end : end + after])
            begin = end + after
        return cls(task, mean, spread, weights, biases)


def count_of(sizes: Sequence[int]) -> int:
    """How many weights and biases a network with such layers has."""
    return sum((before + 1) * after for before, after in pairwise(sizes))


def mean_and_spread(rows: Array) -> tuple[Array, Array]:
    """(observations,) mean and standard deviation of observations, to normalise them.

    Args:
        rows: (n, observations).

    Returns:
        The means, and the deviations, which are at least `LEAST` of the largest absolute value in
        `rows`, or of 1 if that is more.
    """
    least = LEAST * max(1.0, float(np.abs(rows).max()))
    return rows.mean(axis=0), np.maximum(rows.std(axis=0), least)


def save_policy(policy: Network, path: Path) -> None:
    """Write a network to a file of NumPy arrays, which holds no code.

    Args:
        policy: the network.
        path: of the file, usually `.npz`; folders that are missing are made.

    Raises:
        SoftshellError: the file cannot be written; an existing file is unchanged.
    """
    told = {'version': VERSION, 'task': policy.task, 'facts': dict(policy.facts)}
    arrays = {'mean': policy.mean, 'spread': policy.spread}
    for number, (weight, bias) in enumerate(zip(policy.weights, policy.biases, strict=True)):
        arrays |= {f'weight_{number}': weight, f'bias_{number}': bias}
    buffer = io.BytesIO()
    short = {name: array.astype(np.float32) for name, array in arrays.items()}
    np.savez_compressed(buffer, allow_pickle=False, told=np.array(json.dumps(told)), **short)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, buffer.getvalue())
    except OSError as error:
        raise SoftshellError(f'{path} cannot be written: {error.strerror}') from error


def load_policy(path: Path) -> Network:
    """Read a network from its file, at `path`.

    Raises:
        SoftshellError: there is no such file, or it is no policy file or a damaged one.
    """
    try:
        with np.load(path, allow_pickle=False) as content:
            told = json.loads(str(content['told']))
            arrays = {name: content[name] for name in content.files if name != 'told'}
        if told['version'] != VERSION:
            raise SoftshellError(
                f'{path} is a policy of version {told["version"]}; expected {VERSION}'
            )
        mean, spread, weights, biases = _layers_of(arrays, path)
        policy = Network(str(told['task']), mean, spread, weights, biases, told['facts'])
    except OSError as error:
        raise SoftshellError(f'{path} cannot be read: {error.strerror or error}') from error
    except SoftshellError:
        raise
    except Exception as error:  # on damaged bytes NumPy raises anything, as of its tokenizer
        reason = ' '.join(str(error).split()) or type(error).__name__
        raise SoftshellError(
            f'{path} is no policy: {reason}; expected a file that `train` has written'
        ) from error
    _refuse_misfits(policy, path)
    return policy


def _layers_of(
    arrays: Mapping[str, NDArray[Any]], path: Path
) -> tuple[Array, Array, list[Array], list[Array]]:
    """Mean, spread, weights and biases from the arrays of a file, by name.

    Raises:
        SoftshellError: one is missing, is of nothing that is known, or has no real numbers.
    """
    layers = range((len(arrays) - 2) // 2)
    names = 'mean', 'spread', *(f'{kind}_{k}' for k in layers for kind in ('weight', 'bias'))
    real = {name: array.dtype.kind in 'fiu' for name, array in arrays.items()}
    if set(arrays) != set(names) or not all(real.values()):
        told = (name if real[name] else f'{name} of {arrays[name].dtype}' for name in arrays)
        raise SoftshellError(
            f'{path} is a damaged policy: it has {", ".join(told) or "no arrays"}; expected mean, '
            'spread, and weight_N and bias_N of each layer N from 0, all of real numbers'
        )
    numbers = {name: array.astype(np.float64) for name, array in arrays.items()}
    weights = [numbers[f'weight_{k}'] for k in layers]
    return numbers['mean'], numbers['spread'], weights, [numbers[f'bias_{k}'] for k in layers]


def _refuse_misfits(policy: Network, path: Path) -> None:
    """Check that the sizes of the layers match, and that numbers are finite and spreads positive.

    Raises:
        SoftshellError: they do not match, a number is not finite, a spread is not positive, or
            the facts have no names.
    """
    if not isinstance(policy.facts, Mapping):
        raise SoftshellError(
            f'{path} is a damaged policy: its facts are {policy.facts!r}; expected values by name'
        )
    size = policy.mean.size
    arrays = [policy.mean, policy.spread, *policy.weights, *policy.biases]
    fits = bool(policy.weights) and policy.spread.shape == policy.mean.shape == (size,)
    for weight, bias in zip(policy.weights, policy.biases, strict=True):
        fits = fits and bias.shape == (bias.size,) and weight.shape == (bias.size, size)
        size = bias.size
    finite = all(np.isfinite(array).all() for array in arrays)
    if not fits or not finite or not (policy.spread > 0.0).all():
        raise SoftshellError(
            f'{path} is a damaged policy: the sizes of its layers do not match, a number is not '
            'finite, or a spread is not above 0'
        )


def trained(task: str) -> Path:
    """The file of the network that comes with a task.

    Raises:
        SoftshellError: no network comes with this task.
    """
    path = TRAINED / f'{task}.npz'
    if not path.exists():
        known = ', '.join(sorted(one.stem for one in TRAINED.glob('*.npz')))
        raise SoftshellError(f'no trained policy comes with task {task}; one comes with {known}')
    return path
