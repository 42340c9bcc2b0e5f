"""The command `./softshell record`."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softshell_tools.installation import ROOT, set_up
from softshell_tools.output_path import output_folder
from softshell_tools.stack_arguments import check_domain

if TYPE_CHECKING:
    from rich.console import Console

    from softshell_recording.ros.record import Progress
    from softshell_recording.selection import Selection


def record(
    topics: Annotated[
        list[str] | None,
        typer.Argument(metavar='TOPIC', help="Topics, e.g. imu '/camera/*'.", show_default='all'),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            parser=output_folder,
            metavar='FOLDER',
            help='New folder for the bag.',
            show_default='out/record/DATE',
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar='TOPIC', help='Leave these out; may be repeated.')
    ] = None,
    duration: Annotated[
        float,
        typer.Option(metavar='SECONDS', min=0.0, help='How long.', show_default='until Ctrl-C'),
    ] = float('inf'),
) -> None:
    """Record topics into a bag that ros2 bag and Foxglove read.

    record --output out/walk

    Topics of this ROS domain are recorded as they appear, also latched ones. Ctrl-C ends it.
    """
    set_up([])
    check_domain()
    from rich.console import Console

    from softshell_recording.ros.record import record as program
    from softshell_recording.selection import Selection

    path = output or ROOT / 'out' / 'record' / time.strftime('%Y-%m-%d-%H%M%S')
    wanted = Selection(topics or (), exclude or ())
    console = Console(stderr=True, highlight=False, markup=False)
    ended = until_interrupted()
    with console.status('waiting for topics') as status:
        done = program(
            path,
            wanted,
            duration=duration,
            ended=ended,
            progress=lambda progress: status.update(line(progress)),
            tell=lambda text: console.print(f'softshell: {text}'),
        )
    tell_unused(wanted, console)
    if not done.count:
        refuse_empty(path)
    typer.echo(f'{line(done)}: {path}')


def tell_unused(wanted: 'Selection', console: 'Console') -> None:
    """Print which topics were named that are not there, if any."""
    if wanted.unused:
        text = f'softshell: there is no topic {" or ".join(wanted.unused)}'
        console.print(text)


def until_interrupted() -> Callable[[], bool]:
    """Handle signals that ask for the end, from now on.

    Returns:
        A function that returns whether one has come; the process then has to end by itself.
    """
    from softshell_bringup.ending import on_ending

    received: list[int] = []
    on_ending(lambda number, frame: received.append(number))
    return lambda: bool(received)


def refuse_empty(path: Path) -> None:
    """Remove an empty recording.

    Raises:
        SoftshellError: always.
    """
    from softshell_kinematics.errors import SoftshellError

    shutil.rmtree(path)
    raise SoftshellError(
        'no message was sent, so nothing is recorded: does a stack run on this ROS domain?'
    )


def line(progress: 'Progress') -> str:
    """The progress of a recording, in words."""
    return (
        f'{progress.topics} topics, {progress.count} messages, {progress.size / 1e6:.1f} MB '
        f'in {progress.seconds:.1f} s'
    )
