"""The commands `./softshell train` and `score`: policies for the learning tasks."""

import math
import time
from collections.abc import Mapping
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softshell_tools.installation import set_up
from softshell_tools.interrupts import noted_interrupts
from softshell_tools.requirement_sets import STUDIES

if TYPE_CHECKING:
    from softshell_studies.gym.policy import Network, Policy
    from softshell_studies.gym.score import Episode
    from softshell_studies.gym.task import Task


class Way(StrEnum):
    """How a network is trained: by a search with CMA-ES, or by imitating the scripted policy."""

    SEARCH = 'search'
    IMITATION = 'imitation'


TASK = Annotated[str, typer.Argument(metavar='TASK', help='The task, e.g. Walk, Roll, Reach.')]
SETTINGS = Annotated[
    list[str] | None, typer.Argument(metavar='NAME:=VALUE', help='Settings of the task.')
]

MINUTES = Annotated[
    float | None,
    typer.Option(metavar='MINUTES', help='Duration of a search.', show_default='5'),
]
EPISODES = Annotated[
    int | None,
    typer.Option(
        metavar='N', min=1, help='Episodes of each candidate of a search.', show_default='4'
    ),
]
#: Seed of the first episode that is scored; trainings play episodes of others.
NEW = 20_000


def register(app: typer.Typer) -> None:
    """Add the commands to the others."""
    app.command()(train)
    app.command()(score)


def train(
    task: TASK,
    settings: SETTINGS = None,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar='FILE', help='File for the policy.', show_default='out/policies/TASK.npz'
        ),
    ] = None,
    by: Annotated[
        Way, typer.Option(help='Search by rewards (CMA-ES), or imitate the scripted policy.')
    ] = Way.SEARCH,
    hidden: Annotated[
        str,
        typer.Option(
            metavar='N,N', help='Sizes of hidden layers.', show_default='none; imitation: 48'
        ),
    ] = '',
    minutes: MINUTES = None,
    episodes: EPISODES = None,
    seed: Annotated[int, typer.Option(metavar='N', min=0, help='Seed of all random numbers.')] = 0,
    scheduler: Annotated[
        str,
        typer.Option(
            metavar='ADDRESS', help='Dask cluster to search on.', show_default='this machine'
        ),
    ] = '',
) -> None:
    """Train a policy for a task.

    train Reach --minutes 5

    train Walk --by imitation --output walk.npz

    A search uses all cores; Ctrl-C ends it and keeps the best policy so far. Meanwhile that is in
    FILE.part, which a second Ctrl-C leaves there.
    """
    if by is Way.IMITATION:
        _refuse({'--minutes': minutes, '--episodes': episodes, '--scheduler': scheduler or None})
    set_up([STUDIES])
    from softshell_common.output_folder import see_writable
    from softshell_studies.gym.policy import save_policy
    from softshell_studies.gym.tasks import entry_of
    from softshell_studies.gym.train import Training

    unit, given = entry_of(task).unit, settings_of(settings or [])
    file = output or Path('out/policies') / f'{task}.npz'
    see_writable(file)
    if by is Way.IMITATION:
        network = _imitated(task, sizes_of(hidden or '48'), seed, given)
    else:
        training = Training(
            task, sizes_of(hidden), episodes=4 if episodes is None else episodes,
            seconds=60.0 * (5.0 if minutes is None else minutes), seed=seed,
            settings=tuple(sorted(given.items())),
        )  # fmt: skip
        network = _searched(training, scheduler, file, unit)
    save_policy(network, file)
    _part_of(file).unlink(missing_ok=True)
    typer.echo(f'{file}: {_scores(network.facts, unit)}')


def _refuse(options: Mapping[str, object]) -> None:
    """Refuse options of a search for an imitation, which would do nothing.

    Args:
        options: by name; None: not given.

    Raises:
        typer.BadParameter: one is given.
    """
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise typer.BadParameter(f'{", ".join(given)}: expected --by search with it')


def _scores(facts: Mapping[str, Any], unit: str) -> str:
    """The score of a policy, and that of the scripted one."""
    return (
        f'score {facts["score"]:.4g} {unit}, scripted policy {facts["score_by_hand"]:.4g} {unit}, '
        f'mean of {facts["episodes"]} episodes'
    )


def _part_of(file: Path) -> Path:
    return file.with_name(f'{file.name}.part')


def _searched(training: Any, scheduler: str, file: Path, unit: str) -> 'Network':
    """Search for a network, showing its progress; the best so far is kept in FILE.part."""
    from rich.console import Console

    from softshell_studies.gym.policy import save_policy
    from softshell_studies.gym.train import Generation, train

    console = Console(stderr=True, markup=False)
    with noted_interrupts() as interrupt, console.status('starting') as status:

        def tell(generation: Generation) -> None:
            status.update(
                f'generation {generation.number}, {generation.seconds:.0f} of '
                f'{training.seconds:.0f} s, reward {generation.total:.4g}, best score '
                f'{generation.best:.4g} {unit}'
            )

        return train(
            training, scheduler=scheduler, progress=tell, ended=lambda: interrupt.came,
            keep=lambda network: save_policy(network, _part_of(file)),
        )  # fmt: skip


def _imitated(
    name: str, hidden: tuple[int, ...], seed: int, settings: dict[str, Any]
) -> 'Network':
    """Train a network to imitate the scripted policy, and score it."""
    from dataclasses import replace

    from rich.console import Console

    from softshell_studies.gym.imitate import EPISODES, imitate
    from softshell_studies.gym.tasks import entry_of, make_task, scripted
    from softshell_studies.gym.train import JUDGED, facts_of

    begin, task = time.monotonic(), make_task(name, **settings)
    teacher, steps = scripted(name, task), entry_of(name).steps
    with Console(stderr=True, markup=False).status('playing') as status:
        network = imitate(
            task, teacher, name, hidden, steps, seed,
            lambda number, off: status.update(
                f'round {number + 1} of {len(EPISODES)}, actions off by {off:.3g} rms'
            ),
        ).rounded()  # fmt: skip
        status.update(f'judging by {JUDGED} episodes')
        facts = facts_of(task, name, network, seed=seed, settings=settings)
    return replace(network, facts={**facts, 'seconds': round(time.monotonic() - begin, 1)})


def score(
    task: TASK,
    settings: SETTINGS = None,
    policy: Annotated[
        Path | None,
        typer.Option(
            metavar='FILE', help='File written by train.', show_default='the scripted policy'
        ),
    ] = None,
    episodes: Annotated[int, typer.Option(metavar='N', min=1, help='Number of episodes.')] = 10,
    seed: Annotated[
        int, typer.Option(metavar='N', min=0, help='Seed of the first episode.')
    ] = NEW,
    film: Annotated[
        Path | None, typer.Option(metavar='FOLDER', help='Make a video of the first episode.')
    ] = None,
) -> None:
    """Let a policy do a task, and print its score.

    score Reach

    score Walk --policy walk.npz --film out/score

    A policy plays with the settings and the robot with which it was trained.
    """
    set_up([])
    from softshell_studies.gym.score import mean_score
    from softshell_studies.gym.tasks import entry_of, make_task, scripted

    entry, given = entry_of(task), settings_of(settings or [])
    network = None if policy is None else _loaded(policy, task, given)
    stored = {} if network is None else network.facts.get('settings', {})
    with closing(make_task(task, **{**stored, **given})) as made:
        if policy is not None and network is not None:
            _refuse_misfit(policy, network, made)
        actor: Policy = scripted(task, made) if network is None else network
        played = []
        for number in range(seed, seed + episodes):
            folder = film if number == seed else None
            played.append(_played(made, actor, number, entry.steps, folder, task))
            typer.echo(_episode(played[-1]))
    typer.echo(f'mean score {mean_score(played):.4g} {entry.unit}')


def _loaded(path: Path, task: str, given: Mapping[str, Any]) -> 'Network':
    """The policy in a file, for this task and these settings of it.

    Raises:
        SoftshellError: it is no policy, or was trained for another task or with other settings.
    """
    from softshell_kinematics.errors import SoftshellError
    from softshell_studies.gym.policy import load_policy

    network = load_policy(path)
    if network.task != task:
        raise SoftshellError(f'{path} is a policy for {network.task}; expected one for {task}')
    stored = network.facts.get('settings', {})
    if not isinstance(stored, Mapping):
        raise SoftshellError(f'{path}: its settings are {stored!r}; expected values by name')
    for name, value in given.items():
        if stored.get(name, value) != value:
            raise SoftshellError(
                f'{name}:={value}, but {path} was trained with {name}:={stored[name]}; expected '
                'the same, or none'
            )
    return network


def _refuse_misfit(path: Path, network: 'Network', made: 'Task') -> None:
    """Check that a policy, from the file at `path`, fits a task.

    Raises:
        SoftshellError: it was trained with another robot or other settings.
    """
    from softshell_kinematics.errors import SoftshellError
    from softshell_studies.gym.robot_task import RobotTask
    from softshell_studies.gym.task import size_of

    robot = made.wiring.robot.name if isinstance(made, RobotTask) else None
    trained_with = network.facts.get('robot', robot)
    if trained_with != robot:
        raise SoftshellError(
            f'{path} was trained with robot {trained_with!r}; expected a policy for {robot!r}'
        )
    seen, done = size_of(made.observations), size_of(made.actions)
    if (len(network.mean), len(network.biases[-1])) != (seen, done):
        raise SoftshellError(
            f'{path} takes {len(network.mean)} numbers and returns {len(network.biases[-1])}; '
            f'expected {seen} and {done}: it was trained with other settings'
        )


def _played(
    task: 'Task', policy: 'Policy', seed: int, steps: int, film: Path | None, name: str
) -> 'Episode':
    """Play an episode, as `tried`; make a video of it if a folder is given."""
    from softshell_sim.divergence import DivergedError
    from softshell_studies.gym.score import Episode, play, tried
    from softshell_studies.gym.task_film import TaskFilm

    if film is None:
        return tried(task, policy, seed, steps)
    filmed = TaskFilm(task)
    try:
        episode = play(task, policy, seed, steps, filmed.look)
    except DivergedError:
        episode = Episode(seed, steps, -math.inf, {'score': math.nan})
    for path in filmed.save(film, name.lower()):
        typer.echo(str(path))
    return episode


def _episode(episode: 'Episode') -> str:
    """The result of an episode in words."""
    if episode.total == -math.inf:
        return f'seed {episode.seed}: the simulation diverged'
    told = ', '.join(f'{name} {value:.4g}' for name, value in episode.measured.items())
    return f'seed {episode.seed}: {told}, reward {episode.total:.4g}, {episode.steps} steps'


def sizes_of(text: str) -> tuple[int, ...]:
    """Sizes of layers from a text such as `16,16`.

    Raises:
        SoftshellError: it is no list of whole numbers from 1.
    """
    from softshell_kinematics.errors import SoftshellError

    try:
        sizes = tuple(int(word) for word in text.split(',') if word.strip())
    except ValueError:
        sizes = (0,)
    if any(size < 1 for size in sizes):
        raise SoftshellError(f'hidden is {text!r}; expected sizes such as 16,16')
    return sizes


def settings_of(words: list[str]) -> dict[str, Any]:
    """Settings from words `name:=value`, with values in YAML.

    Raises:
        SoftshellError: a word is no `name:=value`, or its value no number, text or boolean.
    """
    import yaml

    from softshell_kinematics.errors import SoftshellError

    found = {}
    for word in words:
        name, separator, value = word.partition(':=')
        if not separator or not name:
            raise SoftshellError(f'{word!r} is no setting; expected name:=value')
        try:
            found[name] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise SoftshellError(f'{name} is {value!r}; expected a value as in YAML') from None
        if isinstance(found[name], list | dict):
            raise SoftshellError(
                f'{name} is {value!r}; expected a number, a text or true or false'
            )
    return found
