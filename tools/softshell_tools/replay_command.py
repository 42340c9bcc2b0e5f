"""The command `./softshell replay`."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softshell_tools.installation import set_up
from softshell_tools.record_command import tell_unused, until_interrupted
from softshell_tools.requirement_sets import WEB
from softshell_tools.stack_arguments import check_domain

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

#: Longest wait for the page, so that it misses no message [s].
COMING = 20.0


def progress_on(console: 'Console') -> 'Progress':
    """A bar with the time that remains."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn('{task.description}', markup=False), BarColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console)


@contextmanager
def page(console: 'Console', ended: Callable[[], bool]) -> Iterator[Callable[[], bool]]:
    """A context with a page in the browser, whose address is printed.

    What it gives is `ended`, which raises ProcessDiedError if the page has ended by itself.

    Args:
        console: where it is printed.
        ended: returns whether a signal has come; the page is not waited for then.

    Raises:
        ProcessDiedError: the page could not start, or ended; its last lines are printed.
    """
    from softshell_bringup.nodes import NODES
    from softshell_bringup.processes import ProcessDiedError
    from softshell_bringup.runner import Stack
    from softshell_common.onlooker import NODE, address_in

    addresses: list[str] = []

    def hear(name: str, line: str) -> None:
        if address := address_in(name, line):
            addresses.append(address)

    # A recording may be of any robot.
    rows = tuple(
        replace(
            row, optional=False, parameters=tuple({**dict(row.parameters), 'robot': ''}.items())
        )
        for row in NODES
        if row.name == NODE
    )
    with Stack({'gui': 'web'}, rows=rows, output=hear) as stack:

        def over() -> bool:
            if ended():
                return True
            stack.check()
            return False

        end = time.monotonic() + COMING
        try:
            while not (addresses or over()) and time.monotonic() < end:
                time.sleep(0.05)
            if addresses:
                console.print(f'open {addresses[0]}')
            elif not ended():
                text = f'warning: the page in the browser did not start within {COMING:g} s'
                console.print(text)
            yield over
        except ProcessDiedError as death:
            console.print('\n'.join(death.lines))
            raise


def page_of(
    bag: Path, console: 'Console', ended: Callable[[], bool]
) -> AbstractContextManager[Callable[[], bool]]:
    """See `page`; what is wrong with the bag is told before a page starts.

    Raises:
        SoftshellError: the bag cannot be opened.
    """
    from softshell_recording.reading import opened

    with opened(bag):
        return page(console, ended)


def replay(
    bag: Annotated[
        Path, typer.Argument(metavar='BAG', help='Folder of the bag, or its MCAP file.')
    ],
    topics: Annotated[
        list[str] | None,
        typer.Argument(metavar='TOPIC', help="Topics, e.g. imu '/camera/*'.", show_default='all'),
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar='TOPIC', help='Leave these out; may be repeated.')
    ] = None,
    rate: Annotated[
        float, typer.Option(metavar='FACTOR', min=0.01, help='Speed over that of the recording.')
    ] = 1.0,
    start: Annotated[
        float, typer.Option(metavar='SECONDS', min=0.0, help='Time of the recording to begin at.')
    ] = 0.0,
    loop: Annotated[bool, typer.Option('--loop', help='Repeat until Ctrl-C.')] = False,
    web: Annotated[
        bool, typer.Option('--web', help='Show it on a page in the browser, until Ctrl-C.')
    ] = False,
) -> None:
    """Publish the messages of a bag again, on their topics.

    replay out/walk --rate 2

    Refused if another node publishes on these topics, such as the bridge of a robot.
    """
    set_up([WEB] if web else [])
    check_domain()
    from rich.console import Console

    from softshell_recording.ros.replay import replay as program
    from softshell_recording.selection import Selection

    wanted = Selection(topics or (), exclude or ())
    console = Console(stderr=True, highlight=False, markup=False)
    ended = until_interrupted()
    with (
        progress_on(console) as bar,
        page_of(bag, console, ended) if web else nullcontext(ended) as over,
    ):
        task = bar.add_task('replaying', total=None)
        play = partial(
            program,
            bag,
            wanted,
            rate=rate,
            start=start,
            ended=over,
            progress=lambda now, end: bar.update(task, completed=now, total=end),
            tell=lambda text: console.print(f'softshell: {text}'),
        )
        count = play()
        tell_unused(wanted, console)
        while loop and not over():
            count += play()
        while web and not over():
            time.sleep(0.1)
    typer.echo(f'{count} messages sent')
