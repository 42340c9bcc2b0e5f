"""How well a policy does a task: episodes of certain seeds."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from softshell_studies.gym.policy import Policy
from softshell_studies.gym.task import Task


@dataclass(frozen=True)
class Episode:
    """What became of an episode.

    Attributes:
        seed: of it.
        steps: that it had.
        total: sum of rewards.
        measured: at its end, the `score` among it.
    """

    seed: int
    steps: int
    total: float
    measured: Mapping[str, float]


class Nothing(Policy):
    """Does nothing.

    Args:
        actions: how many numbers an action has.
    """

    def __init__(self, actions: int) -> None:
        self._action = np.zeros(actions)

    def act(self, observation: np.ndarray) -> np.ndarray:
        """No action."""
        return self._action


def play(
    task: Task,
    policy: Policy,
    seed: int,
    steps: int,
    look: Callable[[int], None] = lambda step: None,
) -> Episode:
    """Play an episode.

    Args:
        task: is done.
        policy: does it.
        seed: of the episode; the same as in `reset(seed=...)` of the environment.
        steps: at most.
        look: called after each step.
    """
    task.begin(random_of(seed))
    policy.begin()
    total, step = 0.0, 0
    for step in range(1, steps + 1):
        task.act(policy.act(task.observe()))
        total += task.reward()
        look(step)
        if task.failed:
            break
    return Episode(seed, step, total, dict(task.measured()))


def scores(task: Task, policy: Policy, seeds: Iterable[int], steps: int) -> list[Episode]:
    """Play an episode of each seed."""
    return [play(task, policy, seed, steps) for seed in seeds]


def random_of(seed: int) -> np.random.Generator:
    """The generator that Gymnasium makes of a seed."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))


def mean_score(episodes: Iterable[Episode]) -> float:
    """Mean of their scores."""
    return float(np.mean([episode.measured['score'] for episode in episodes]))
