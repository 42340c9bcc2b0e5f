"""The command `./softshell replay`."""

from pathlib import Path
from typing import Annotated

import typer

from softshell_tools.installation import set_up
from softshell_tools.record_command import until_interrupted


def replay(
    bag: Annotated[Path, typer.Argument(metavar='BAG', help='Its folder, or its file in MCAP.')],
    topics: Annotated[
        list[str] | None,
        typer.Argument(metavar='[TOPIC]...', help="Which ones, e.g. imu '/camera/*'.  [all]"),
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar='TOPIC', help='Leave these out; may be repeated.')
    ] = None,
    rate: Annotated[
        float, typer.Option(metavar='FACTOR', min=0.01, help='So many times as fast.')
    ] = 1.0,
    start: Annotated[
        float, typer.Option(metavar='SECONDS', min=0.0, help='From so long after its beginning.')
    ] = 0.0,
    loop: Annotated[bool, typer.Option('--loop', help='Again and again, until Ctrl-C.')] = False,
) -> None:
    """Send what was recorded once more, on the topics it came from.

    replay out/walk --rate 2

    Only where nobody else sends on them: not where a robot stands.
    """
    set_up([])
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from softshell_recording.ros.replay import replay as program
    from softshell_recording.selection import Selection

    console = Console(stderr=True, highlight=False)
    ended = until_interrupted()
    columns = (TextColumn('{task.description}'), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task('replaying', total=None)
        count = 0
        while True:
            count += program(
                bag,
                Selection(topics or (), exclude or ()),
                rate=rate,
                start=start,
                ended=ended,
                progress=lambda now, end: bar.update(task, completed=now, total=end),
                tell=lambda text: console.print(f'softshell: {text}', markup=False),
            )
            if ended() or not loop:
                break
    typer.echo(f'{count} messages sent')
