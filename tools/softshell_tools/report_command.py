"""The command `./softshell report`."""

from pathlib import Path
from typing import Annotated

import typer

from softshell_tools.installation import set_up
from softshell_tools.output_path import output_file
from softshell_tools.stack_arguments import NamespaceCommand, namespace_alone


def register(app: typer.Typer) -> None:
    """Add the command to the others."""
    app.command(cls=NamespaceCommand)(report)


def report(
    bag: Annotated[
        Path, typer.Argument(metavar='BAG', help='Folder of the bag, or its MCAP file.')
    ],
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar='namespace:=NAME', help='Namespace of the stack in the bag.'),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            parser=output_file,
            metavar='FILE',
            help='File of the page.',
            show_default='BAG/report.html',
        ),
    ] = None,
) -> None:
    """Make an HTML page of a bag: gait, slip, tracking, contacts, power, faults.

    report out/walk namespace:=one
    """
    namespace = namespace_alone(words or [])
    set_up([])
    from softshell_recording.report.write import write_report

    file = write_report(bag, output, namespace, lambda line: typer.echo(f'softshell: {line}'))
    typer.echo(f'written: {file}')
