"""The command `./softshell record`."""

import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softshell_tools.installation import ROOT, set_up

if TYPE_CHECKING:
    from softshell_recording.ros.record import Progress


def record(
    topics: Annotated[
        list[str] | None,
        typer.Argument(metavar='[TOPIC]...', help="Which ones, e.g. imu '/camera/*'.  [all]"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(metavar='FOLDER', help='The bag, a new folder.  [out/record/DATE]'),
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar='TOPIC', help='Leave these out; may be repeated.')
    ] = None,
    duration: Annotated[
        float, typer.Option(metavar='SECONDS', min=0.0, help='Until Ctrl-C, or for so long.')
    ] = float('inf'),
) -> None:
    """Record topics into a bag that ros2 bag and Foxglove read.

    record --output out/walk

    All that run on this ROS domain, as they appear, latched ones as well; Ctrl-C ends it.
    """
    set_up([])
    from rich.console import Console

    from softshell_recording.ros.record import record as program
    from softshell_recording.selection import Selection

    path = output or ROOT / 'out' / 'record' / time.strftime('%Y-%m-%d-%H%M%S')
    wanted = Selection(topics or (), exclude or ())
    console = Console(stderr=True, highlight=False)
    ended = until_interrupted()
    with console.status('waiting for topics') as status:
        done = program(
            path,
            wanted,
            duration=duration,
            ended=ended,
            progress=lambda progress: status.update(line(progress)),
            tell=lambda text: console.print(f'softshell: {text}', markup=False),
        )
    if wanted.unused:
        text = f'softshell: no topic is called {" or ".join(wanted.unused)}'
        console.print(text, markup=False)
    if not done.count:
        refuse_empty(path)
    typer.echo(f'{line(done)}: {path}')


def until_interrupted() -> Callable[[], bool]:
    """What tells whether somebody wants this process to end, from now on: it ends by itself."""
    received: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *signals: received.append(signals[0]))
    return lambda: bool(received)


def refuse_empty(path: Path) -> None:
    """Remove a recording in which nothing is.

    Raises:
        SoftshellError: always.
    """
    from softshell_kinematics.errors import SoftshellError

    shutil.rmtree(path)
    raise SoftshellError('nothing was sent, so nothing is recorded: does a stack run here?')


def line(progress: 'Progress') -> str:
    """How far it is, for people."""
    return (
        f'{progress.topics} topics, {progress.count} messages, {progress.size / 1e6:.1f} MB '
        f'in {progress.seconds:.1f} s'
    )
