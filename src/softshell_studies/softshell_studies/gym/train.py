"""Training a network by CMA-ES, without gradients: candidates play episodes on all cores.

CMA-ES as in Hansen, "The CMA Evolution Strategy: A Tutorial" (2016), by the library `cmaes`; for
networks with many weights its separable form as in Ros and Hansen (2008).
"""

import functools
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.kernels.compiled import processor
from softshell_kinematics.solving.threads import usable_cpus
from softshell_studies.gym.policy import Network, count_of, mean_and_spread
from softshell_studies.gym.robot_task import RobotTask
from softshell_studies.gym.score import Episode, mean_score, play, scores
from softshell_studies.gym.task import Task, size_of
from softshell_studies.gym.tasks import entry_of, make_task, scripted
from softshell_studies.study.results import versions
from softshell_studies.study.workers import gathered, workers_of

#: Networks with more weights and biases than this are searched by the separable form.
SEPARABLE = 600
#: Initial standard deviation of the candidates.
SIGMA = 0.4
#: Episodes of the scripted policy from which mean and spread of observations are taken, and the
#: seed of the first of them.
SEEN, SEEING = 4, 30_000
#: First seeds of the episodes by which the best network is chosen, and by which it is judged.
CHOOSING, JUDGING = 10_000, 20_000
#: By how many episodes a network is judged.
JUDGED = 20
#: What is told where the workers are lost.
LOST = 'the training has to begin anew'
#: After each so many generations, the mean and the best candidate are tried.
TRIED = 5


@dataclass(frozen=True)
class Training:
    """Settings of a training.

    Attributes:
        task: its name.
        hidden: sizes of the layers between observations and actions.
        population: candidates of a generation; None: the default of CMA-ES, rounded up to a
            multiple of 4.
        episodes: that each candidate plays; all candidates of a generation play the same ones.
        chosen, judged: by how many episodes the best network is chosen, and by how many it is
            judged at the end.
        seconds: after which no further generation begins [s, wall].
        generations: most generations.
        seed: of all random numbers; less than 2**32, as the search requires.
        settings: of the task that differ from their defaults.
    """

    task: str
    hidden: tuple[int, ...] = ()
    population: int | None = None
    episodes: int = 4
    chosen: int = 10
    judged: int = JUDGED
    seconds: float = 300.0
    generations: int = 100_000
    seed: int = 0
    settings: tuple[tuple[str, Any], ...] = ()

    def refuse_wrong(self) -> None:
        """Check the settings.

        Raises:
            SoftshellError: a number is out of its range, or there is no such task.
        """
        entry_of(self.task)
        for name, least in (
            ('episodes', 1), ('chosen', 1), ('judged', 1), ('generations', 1), ('seed', 0),
        ):  # fmt: skip
            if getattr(self, name) < least:
                raise SoftshellError(f'{name} is {getattr(self, name)}; expected {least} or more')
        if self.seed >= 2**32:
            raise SoftshellError(f'seed is {self.seed}; expected 0 to {2**32 - 1}')
        if self.population is not None and self.population < 4:
            raise SoftshellError(f'population is {self.population}; expected 4 or more')
        if not 0.0 < self.seconds < np.inf:
            raise SoftshellError(f'seconds is {self.seconds}; expected more than 0, and finite')
        if any(size < 1 for size in self.hidden):
            raise SoftshellError(f'hidden is {self.hidden}; expected sizes of 1 or more')


@dataclass(frozen=True)
class Generation:
    """The progress of a training after a generation.

    Attributes:
        number: of the generation, from 1.
        seconds: since the start [s, wall].
        total: mean over the candidates of their sums of rewards, but for those whose simulation
            diverged; NaN: all did.
        best: mean score of the best network so far, over the episodes by which it is chosen; NaN:
            none was tried yet.
    """

    number: int
    seconds: float
    total: float
    best: float


class _Kept(threading.local):
    """The task that a thread of a worker has made, and what it was asked for."""

    wanted: tuple[Any, ...] | None = None
    task: Task | None = None


_kept = _Kept()


def _task_of(name: str, settings: tuple[tuple[str, Any], ...]) -> Task:
    """The task of this thread: made once, and closed when another one is asked for."""
    if _kept.task is None or _kept.wanted != (name, settings):
        if _kept.task is not None:
            _kept.task.close()
        _kept.task = None
        _kept.task, _kept.wanted = make_task(name, **dict(settings)), (name, settings)
    return _kept.task


def play_all(
    network: Network, settings: tuple[tuple[str, Any], ...], seeds: Sequence[int]
) -> list[Episode]:
    """Play an episode of each seed with a network; this is run by the workers."""
    task, steps = _task_of(network.task, settings), entry_of(network.task).steps
    return scores(task, network, seeds, steps)


def _spread_of(name: str, task: Task) -> tuple[Array, Array]:
    """(observations,) mean and spread of what the scripted policy observes in some episodes."""
    policy, steps = scripted(name, task), entry_of(name).steps
    seen: list[Array] = []
    for seed in range(SEEN):
        play(task, policy, SEEING + seed, steps, lambda step: seen.append(task.observe()))
    return mean_and_spread(np.array(seen))


def train(
    training: Training,
    *,
    scheduler: str = '',
    workers: int | None = None,
    keep: Callable[[Network], None] = lambda network: None,
    progress: Callable[[Generation], None] = lambda generation: None,
    ended: Callable[[], bool] = lambda: False,
) -> Network:
    """Train a network, and judge it by episodes that were not used in the training.

    Args:
        training: the settings.
        scheduler, workers: as in `sweep`.
        keep: called with each network that is better than all before.
        progress: called after each generation.
        ended: asked after each generation; if it returns True, the training ends there.

    Returns:
        The best network; its facts hold its score and that of the scripted policy.

    Raises:
        SoftshellError: a setting is wrong, there are no workers, they cannot play, are lost or
            have gone, or playing a network killed one of them again and again.
    """
    training.refuse_wrong()
    with closing(make_task(training.task, **dict(training.settings))) as task:
        return _trained(training, task, scheduler, workers, keep, progress, ended)


def _trained(
    training: Training,
    task: Task,
    scheduler: str,
    workers: int | None,
    keep: Callable[[Network], None],
    progress: Callable[[Generation], None],
    ended: Callable[[], bool],
) -> Network:
    """The network of `train`; the task is for what this process plays.

    Raises:
        SoftshellError: as `train`.
    """
    from distributed.scheduler import KilledWorker

    sizes = (size_of(task.observations), *training.hidden, size_of(task.actions))
    mean, spread = _spread_of(training.task, task)
    blank = functools.partial(Network.of_numbers, training.task, mean, spread, sizes)
    search, settings = _search(training, count_of(sizes)), dict(training.settings)

    def keep_known(best: Network) -> None:
        keep(replace(best.rounded(), facts={**_robot_of(task), 'settings': settings}))

    begin = time.monotonic()
    with workers_of(scheduler, workers or usable_cpus(), LOST) as client:

        def played(networks: Sequence[Network], seeds: Sequence[int]) -> list[list[Episode]]:
            futures = [
                client.submit(play_all, one, training.settings, seeds, pure=False)
                for one in networks
            ]
            try:
                return gathered(client, futures, LOST)
            except KilledWorker as error:
                times = error.allowed_failures + 1  # a scheduler of its own may have its own
                raise SoftshellError(
                    f'a worker that played {training.task} died, {times} times; its memory may '
                    'be too small'
                ) from error

        best, number = _searched(training, search, blank, played, keep_known, progress, ended)
    best = best.rounded()
    facts = facts_of(
        task, training.task, best, training.judged, generations=number, seed=training.seed,
        seconds=round(time.monotonic() - begin, 1), settings=settings,
    )  # fmt: skip
    return replace(best, facts=facts)


def _searched(
    training: Training,
    search: Any,
    blank: Callable[[Array], Network],
    played: Callable[[Sequence[Network], Sequence[int]], list[list[Episode]]],
    keep: Callable[[Network], None],
    progress: Callable[[Generation], None],
    ended: Callable[[], bool],
) -> tuple[Network, int]:
    """The best network of a search, and the number of its generations.

    Args:
        training, keep, progress, ended: as in `train`.
        search: the optimizer of the library `cmaes`.
        blank: makes a network from its weights and biases.
        played: plays episodes of the given seeds with each network.
    """
    random, begin = np.random.default_rng(training.seed), time.monotonic()
    choosing = range(CHOOSING, CHOOSING + training.chosen)
    best, chosen = blank(search.mean.copy()), float('nan')
    for number in range(1, training.generations + 1):
        asked = [search.ask() for _ in range(search.population_size)]
        seeds = random.integers(0, 10_000, training.episodes).tolist()
        runs = played([blank(numbers) for numbers in asked], seeds)
        totals = [float(np.mean([one.total for one in run])) for run in runs]
        search.tell([(x, -total) for x, total in zip(asked, totals, strict=True)])
        seconds = time.monotonic() - begin
        over = seconds > training.seconds or number == training.generations or ended()
        if over or number % TRIED == 0:
            good = [blank(search.mean.copy()), blank(asked[int(np.argmax(totals))])]
            for network, run in zip(good, played(good, choosing), strict=True):
                score = mean_score(run)
                if np.isfinite(score) and not score <= chosen:
                    best, chosen = network, score
                    keep(best)
        finite = [total for total in totals if np.isfinite(total)]
        mean = float(np.mean(finite)) if finite else float('nan')
        progress(Generation(number, seconds, mean, chosen))
        if over:
            break
    return best, number


def _search(training: Training, numbers: int) -> Any:
    """The optimizer for networks with so many weights and biases."""
    import cmaes

    kind = cmaes.SepCMA if numbers > SEPARABLE else cmaes.CMA
    usual = 4 + int(3 * np.log(numbers))
    size = training.population or 4 * -(-usual // 4)
    return kind(mean=np.zeros(numbers), sigma=SIGMA, seed=training.seed, population_size=size)


def facts_of(
    task: Task, name: str, network: Network, judged: int = JUDGED, **more: Any
) -> dict[str, Any]:
    """What is stored with a network: its score, that of the scripted policy, and `more`.

    A score is NaN if the simulation diverged in one of the episodes. It is repeated where
    `judged_on` is the same: on other processors and versions numbers are rounded differently,
    which leads episodes apart.
    """
    steps, seeds = entry_of(name).steps, range(JUDGING, JUDGING + judged)
    found = {
        key: mean_score(scores(task, policy, seeds, steps))
        for key, policy in (('score', network), ('score_by_hand', scripted(name, task)))
    }
    return {**found, 'episodes': judged, 'judged_on': judged_on(), **_robot_of(task), **more}


def judged_on() -> dict[str, str]:
    """What a score depends on beside network and task: the kind of processor, and versions."""
    return {'processor': processor(), **versions()}


def _robot_of(task: Task) -> dict[str, Any]:
    """The name of the robot of a task, as a fact; none if it has no robot."""
    return {'robot': task.wiring.robot.name} if isinstance(task, RobotTask) else {}
