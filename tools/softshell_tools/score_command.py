"""The command `./softshell score`: what policies achieve at the learning tasks."""

import math
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softshell_tools.installation import set_up
from softshell_tools.train_command import SETTINGS, TASK, settings_of

if TYPE_CHECKING:
    from softshell_studies.gym.policy import Network, Policy
    from softshell_studies.gym.score import Episode
    from softshell_studies.gym.task import Task

#: Seed of the first episode that is scored; trainings play episodes of others.
NEW = 20_000


def register(app: typer.Typer) -> None:
    """Add the command to the others."""
    app.command()(score)


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

    score Walk --policy out/walk.npz --film out/score

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
    from softshell_studies.gym.policy_check import refuse_misfit
    from softshell_studies.gym.robot_task import RobotTask
    from softshell_studies.gym.task import size_of

    robot = made.wiring.robot.name if isinstance(made, RobotTask) else None
    refuse_misfit(path, network, robot, size_of(made.observations), size_of(made.actions))


def _played(
    task: 'Task', policy: 'Policy', seed: int, steps: int, film: Path | None, name: str
) -> 'Episode':
    """Play an episode, as `tried`; make a video of it if a folder is given."""
    from softshell_studies.gym.score import tried
    from softshell_studies.gym.task_film import TaskFilm

    if film is None:
        return tried(task, policy, seed, steps)
    filmed = TaskFilm(task)
    episode = tried(task, policy, seed, steps, filmed.look)
    for path in filmed.save(film, name.lower()):
        typer.echo(str(path))
    return episode


def _episode(episode: 'Episode') -> str:
    """The result of an episode in words."""
    if episode.total == -math.inf:
        return f'seed {episode.seed}: the simulation diverged'
    told = ', '.join(f'{name} {value:.4g}' for name, value in episode.measured.items())
    return f'seed {episode.seed}: {told}, reward {episode.total:.4g}, {episode.steps} steps'
