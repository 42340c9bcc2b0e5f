"""Learning by imitation: a network learns to act as the scripted policy does.

As in DAgger (Ross, Gordon and Bagnell, 2011): in the first round the scripted policy acts, in the
later ones the network; in all of them the scripted policy gives the action that is right for each
observation.
"""

from collections.abc import Callable, Sequence

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_sim.divergence import DivergedError
from softshell_studies.gym.policy import Network, Policy, count_of, mean_and_spread
from softshell_studies.gym.score import random_of
from softshell_studies.gym.task import Task

#: Number of episodes in each round; seed of the first episode.
EPISODES, FIRST = (10, 8, 8, 8), 40_000
#: Standard deviation of the noise that is added to each number of an action in the first round.
NOISE = 0.05
#: Steps of gradient descent in each round, size of a batch, and initial learning rate.
STEPS, BATCH, RATE = 4000, 256, 3e-3
#: Targets are limited to ± this: tanh of the last layer never reaches 1.
INSIDE = 0.98


def imitate(
    task: Task,
    teacher: Policy,
    name: str,
    hidden: Sequence[int],
    steps: int,
    seed: int = 0,
    progress: Callable[[int, float], None] = lambda round_, off: None,
) -> Network:
    """Train a network to act as a policy does.

    Args:
        task: in which episodes are played.
        teacher: the policy to imitate.
        name: of the task.
        hidden: sizes of the layers between observations and actions.
        steps: most steps of an episode.
        seed: of all random numbers.
        progress: called after each round with its number and the root-mean-square error of the
            actions.

    Returns:
        The trained network.
    """
    random = np.random.default_rng(seed)
    teacher = teacher.by_sight()
    seen: list[Array] = []
    right: list[Array] = []
    pupil: Network | None = None
    number = FIRST
    for round_, episodes in enumerate(EPISODES):
        for _ in range(episodes):
            _play(task, teacher, pupil, number, steps, random, seen, right)
            number += 1
        rows, targets = np.array(seen), np.clip(np.array(right), -INSIDE, INSIDE)
        if pupil is None:
            mean, spread = mean_and_spread(rows)
            sizes = (rows.shape[1], *hidden, targets.shape[1])
            first = 0.5 * random.normal(size=count_of(sizes))
            pupil = Network.of_numbers(name, mean, spread, sizes, first)
        progress(round_, fit(pupil, rows, targets, random))
    assert pupil is not None
    return pupil


def _play(
    task: Task,
    teacher: Policy,
    pupil: Network | None,
    seed: int,
    steps: int,
    random: np.random.Generator,
    seen: list[Array],
    right: list[Array],
) -> None:
    """Play an episode by the pupil, or by the teacher with noise if there is no pupil yet.

    Adds each observation to `seen`, and the action of the teacher for it to `right`.
    """
    task.begin(random_of(seed))
    teacher.begin()
    for _ in range(steps):
        observation = task.observe()
        action = np.clip(teacher.act(observation), -1.0, 1.0)
        seen.append(observation)
        right.append(action)
        if pupil is not None:
            action = pupil.act(observation)
        else:
            action = action + NOISE * random.normal(size=len(action))
        try:
            task.act(action)
        except DivergedError:
            return
        if task.failed:
            return


def fit(network: Network, rows: Array, targets: Array, random: np.random.Generator) -> float:
    """Fit a network to target actions: least squares by Adam (Kingma and Ba, 2015).

    Args:
        network: its weights and biases are changed.
        rows: (n, observations).
        targets: (n, actions).
        random: chooses the batches.

    Returns:
        The root-mean-square error of the actions afterwards.
    """
    scaled = np.clip((rows - network.mean) / network.spread, -5.0, 5.0)
    values = [np.array(one) for pair in zip(network.weights, network.biases, strict=True)
              for one in pair]  # fmt: skip
    slow = [np.zeros_like(one) for one in values]
    fast = [np.zeros_like(one) for one in values]
    for step in range(1, STEPS + 1):
        batch = random.integers(0, len(scaled), BATCH)
        grown = _gradient(values, scaled[batch], targets[batch])
        rate = RATE * (1.0 - step / (STEPS + 1))
        for k, change in enumerate(grown):
            slow[k] = 0.9 * slow[k] + 0.1 * change
            fast[k] = 0.999 * fast[k] + 0.001 * change**2
            mean, square = slow[k] / (1.0 - 0.9**step), fast[k] / (1.0 - 0.999**step)
            values[k] -= rate * mean / (np.sqrt(square) + 1e-8)
    network.weights, network.biases = values[0::2], values[1::2]
    off = _layers(values, scaled)[-1] - targets
    return float(np.sqrt(np.mean(off**2)))


def _layers(values: Sequence[Array], rows: Array) -> list[Array]:
    """Outputs of all layers; the first item is the input itself."""
    found = [rows]
    for weight, bias in zip(values[0::2], values[1::2], strict=True):
        found.append(np.tanh(found[-1] @ weight.T + bias))
    return found


def _gradient(values: Sequence[Array], rows: Array, targets: Array) -> list[Array]:
    """Gradient of half the mean over rows of the squared error, by each weight and bias.

    Computed by backpropagation.
    """
    layers = _layers(values, rows)
    back = (layers[-1] - targets) * (1.0 - layers[-1] ** 2) / len(rows)
    found: list[Array] = []
    for place in range(len(values) // 2 - 1, -1, -1):
        found = [back.T @ layers[place], back.sum(axis=0), *found]
        if place:
            back = (back @ values[2 * place]) * (1.0 - layers[place] ** 2)
    return found
