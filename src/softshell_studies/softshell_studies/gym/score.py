"""Scores of policies: plays episodes of given seeds."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from softshell_sim.divergence import DivergedError
from softshell_studies.gym.policy import Policy
from softshell_studies.gym.task import Task


@dataclass(frozen=True)
class Episode:
    """The result of an episode.

    Attributes:
        seed: of the episode.
        steps: number of its steps.
        total: sum of its rewards.
        measured: measurements of the task at its end, among them the `score`.
    """

    seed: int
    steps: int
    total: float
    measured: Mapping[str, float]


def play(
    task: Task,
    policy: Policy,
    seed: int,
    steps: int,
    look: Callable[[int], None] = lambda step: None,
) -> Episode:
    """Play an episode.

    Args:
        task: that is played.
        policy: that chooses the actions.
        seed: of the episode; gives the same as `reset(seed=...)` of the environment.
        steps: most steps; the episode ends before if the task has failed.
        look: called after each step with its number, from 1.
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


def tried(
    task: Task,
    policy: Policy,
    seed: int,
    steps: int,
    look: Callable[[int], None] = lambda step: None,
) -> Episode:
    """As `play`; if the simulation diverges, the total is -inf and the score NaN."""
    try:
        return play(task, policy, seed, steps, look)
    except DivergedError:
        return Episode(seed, steps, -math.inf, {'score': math.nan})


def scores(task: Task, policy: Policy, seeds: Iterable[int], steps: int) -> list[Episode]:
    """Play an episode of each of the `seeds`; other arguments as in `tried`."""
    return [tried(task, policy, seed, steps) for seed in seeds]


def random_of(seed: int) -> np.random.Generator:
    """The same random generator as Gymnasium makes from a seed."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))


def mean_score(episodes: Iterable[Episode]) -> float:
    """Mean score of some episodes."""
    return float(np.mean([episode.measured['score'] for episode in episodes]))
