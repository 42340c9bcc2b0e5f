"""The command `./softshell train`: policies for the learning tasks."""

import time
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softshell_tools.installation import set_up
from softshell_tools.interrupts import noted_interrupts
from softshell_tools.output_path import output_file
from softshell_tools.requirement_sets import STUDIES
from softshell_tools.stack_arguments import assignments

if TYPE_CHECKING:
    from softshell_studies.gym.policy import Network


class Way(StrEnum):
    """How a network is trained: by a search with CMA-ES, or by imitating the scripted policy."""

    SEARCH = 'search'
    IMITATION = 'imitation'


TASK = Annotated[str, typer.Argument(metavar='TASK', help='The task, e.g. Walk, Roll, Reach.')]
SETTINGS = Annotated[
    list[str] | None, typer.Argument(metavar='NAME:=VALUE', help='Settings of the task.')
]
OUTPUT = Annotated[
    Path | None,
    typer.Option(
        parser=output_file,
        metavar='FILE',
        help='File for the policy.',
        show_default='out/policies/TASK.npz',
    ),
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


def register(app: typer.Typer) -> None:
    """Add the command to the others."""
    app.command()(train)


def train(
    task: TASK,
    settings: SETTINGS = None,
    output: OUTPUT = None,
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

    train Walk --by imitation --output out/walk.npz

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
        typer.BadParameter: a word is no `name:=value`, or a name is given twice.
        SoftshellError: a value is no number, text or boolean.
    """
    import yaml

    from softshell_common.yaml_loader import loaded
    from softshell_kinematics.errors import SoftshellError

    found = {}
    for name, value in assignments(words).items():
        try:
            found[name] = loaded(value)[1]
        except yaml.YAMLError:
            raise SoftshellError(f'{name} is {value!r}; expected a value as in YAML') from None
        if not isinstance(found[name], bool | int | float | str | None):
            raise SoftshellError(
                f'{name} is {value!r}; expected a number, a text or true or false'
            )
    return found
