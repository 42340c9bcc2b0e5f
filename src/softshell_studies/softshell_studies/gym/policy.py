"""What chooses actions: a script or a trained network, which is kept in a file."""

import io
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from softshell_common.whole_file import write_whole
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError

VERSION = 1
#: Networks that come with tasks; `./softshell train` makes them again.
TRAINED = Path(__file__).parent / 'trained'


class Policy(ABC):
    """Chooses an action by what is observed."""

    def begin(self) -> None:  # noqa: B027
        """An episode begins."""

    @abstractmethod
    def act(self, observation: Array) -> Array:
        """(actions,) from -1 to 1."""

    def by_sight(self) -> 'Policy':
        """The same by what is observed alone, without a memory, as far as that can be."""
        return self


@dataclass(eq=False)
class Network(Policy):
    """A multilayer perceptron: tanh between its layers, and at its end.

    Attributes:
        task: name of the environment that it was trained for.
        mean, spread: (observations,) by which what is observed is brought to about -1 to 1.
        weights: (after, before) of each layer.
        biases: (after,) of each layer.
        facts: what is known of it, such as its score.
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

    @classmethod
    def of_numbers(
        cls, task: str, mean: Array, spread: Array, sizes: Sequence[int], numbers: Array
    ) -> 'Network':
        """A network from all of its weights and biases in a row.

        Args:
            task, mean, spread: of the network.
            sizes: of its layers, observations first, actions last.
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


def save_policy(policy: Network, path: Path) -> None:
    """Write a network to a file: arrays of NumPy, no code.

    Raises:
        SoftshellError: it cannot be written; what was there is as it was.
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
    """A network from its file.

    Raises:
        SoftshellError: there is no such file, or it is none of a policy.
    """
    try:
        with np.load(path, allow_pickle=False) as content:
            told = json.loads(str(content['told']))
            names = [name for name in content.files if name != 'told']
            arrays = {name: content[name].astype(np.float64) for name in names}
        if told['version'] != VERSION:
            raise SoftshellError(
                f'{path} is a policy of version {told["version"]}; expected {VERSION}'
            )
        layers = (len(arrays) - 2) // 2
        policy = Network(
            str(told['task']), arrays['mean'], arrays['spread'],
            [arrays[f'weight_{number}'] for number in range(layers)],
            [arrays[f'bias_{number}'] for number in range(layers)],
            told['facts'],
        )  # fmt: skip
    except OSError as error:
        raise SoftshellError(f'{path} cannot be read: {error.strerror or error}') from error
    except (BadZipFile, EOFError, KeyError, TypeError, ValueError) as error:
        raise SoftshellError(f'{path} is no policy: {error}; expected one of `train`') from error
    _refuse_misfits(policy, path)
    return policy


def _refuse_misfits(policy: Network, path: Path) -> None:
    """See that layers fit to each other, and all numbers are finite.

    Raises:
        SoftshellError: they do not.
    """
    size = len(policy.mean)
    arrays = [policy.mean, policy.spread, *policy.weights, *policy.biases]
    fits = bool(policy.weights) and policy.spread.shape == policy.mean.shape == (size,)
    for weight, bias in zip(policy.weights, policy.biases, strict=True):
        fits = fits and weight.ndim == 2 and weight.shape == (len(bias), size)
        size = len(bias)
    if not fits or not all(np.isfinite(array).all() for array in arrays):
        raise SoftshellError(f'{path} is a damaged policy: its layers do not fit to each other')


def trained(task: str) -> Path:
    """The file of the network that comes with a task.

    Raises:
        SoftshellError: none does.
    """
    path = TRAINED / f'{task}.npz'
    if not path.exists():
        known = ', '.join(sorted(one.stem for one in TRAINED.glob('*.npz')))
        raise SoftshellError(f'no trained policy comes with {task}; with these one does: {known}')
    return path
