"""The command `./softshell action`."""

from pathlib import Path
from typing import Annotated

import typer

from softshell_tools.output_path import output_file
from softshell_tools.stack_arguments import StackCommand, assignments, parted


class ActionCommand(StackCommand):
    """A command about a running stack, or about a robot that need not run."""

    takes = ('robot', 'namespace')


OUTPUT = Annotated[
    Path | None,
    typer.Option(
        parser=output_file,
        metavar='FILE',
        help='File for the schema, or for the preview: .gif, .mp4.',
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command to the others."""
    app.command(cls=ActionCommand)(action)


def action(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar='NAME PARAMETER:=VALUE',
            help='The action, its parameters, gait:=GAIT, queue:=true; without: list the actions.',
        ),
    ] = None,
    list_: Annotated[bool, typer.Option('--list', help='List the actions of a robot.')] = False,
    describe: Annotated[
        str | None, typer.Option(metavar='NAME', help='Print everything about an action.')
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(metavar='PATH', help='Check a file, or all files of a folder, for a robot.'),
    ] = None,
    preview: Annotated[
        str | None,
        typer.Option(metavar='NAME|FILE', help='Draw an action, without simulation.'),
    ] = None,
    schema: Annotated[
        str | None,
        typer.Option(metavar='action|gait', help='Print the JSON schema of such files.'),
    ] = None,
    pose: Annotated[
        str | None,
        typer.Option(metavar='NAME', help='First pose of the preview.', show_default='start pose'),
    ] = None,
    output: OUTPUT = None,
) -> None:
    """Perform one action of the running robot: action walk distance:=0.5 namespace:=one

    Ctrl-C cancels it. Without a name, the robot's actions and their parameters are listed.

    The options need no running robot; robot:=NAME names it:

    action --describe walk robot:=quadruped

    action --preview walk distance:=0.3 --pose stand --output walk.gif
    """
    tokens = list(words or [])
    asked: dict[str, object] = {
        '--list': list_, '--describe': describe, '--check': check, '--preview': preview,
        '--schema': schema,
    }  # fmt: skip
    chosen = [option for option, value in asked.items() if value not in (None, False)]
    if len(chosen) > 1:
        raise typer.BadParameter(f'{" and ".join(chosen)}: expected only one of them')
    if pose is not None and preview is None:
        raise typer.BadParameter('--pose: expected --preview as well')
    if output is not None and preview is None and schema is None:
        raise typer.BadParameter('--output: expected --preview or --schema as well')
    if chosen:
        tell(chosen[0], str(asked[chosen[0]]), tokens, pose or '', output)
    else:
        perform(tokens)


def tell(option: str, what: str, tokens: list[str], pose: str, output: Path | None) -> None:
    """Print or draw something about the actions of a robot that need not run.

    Args:
        option: the option that was given.
        what: its value.
        tokens: words of the command line.
        pose: pose in which a preview begins; empty: the robot's start.
        output: file of a preview or a schema; None: the default.
    """
    given = assignments(tokens)
    if 'namespace' in given:
        raise typer.BadParameter(f'{option} needs no running robot; expected no namespace')
    from softshell_bringup.arguments import BY_NAME
    from softshell_tools import action_files

    request = action_files.Request(given.pop('robot', ''), str(BY_NAME['robot'].default))
    if option == '--schema' and request.robot:
        raise typer.BadParameter('robot: --schema is that of any robot; expected no robot')
    if given and option != '--preview':
        raise typer.BadParameter(f'unknown argument {next(iter(given))!r}; known: robot')
    match option:
        case '--list':
            action_files.list_actions(request)
        case '--describe':
            action_files.describe(request, what)
        case '--check':
            action_files.check(request, Path(what))
        case '--preview':
            action_files.preview(request, what, given, pose, output)
        case '--schema':
            action_files.schema(what, output)


def perform(tokens: list[str]) -> None:
    """Perform an action of the running robot, or list its actions.

    Args:
        tokens: words of the command line.

    Raises:
        typer.Exit: always, with the exit status.
    """
    name, given, namespace = parted(tokens, 'an action')
    from softshell_client.ros import act

    raise typer.Exit(act.perform(name, given, namespace) if name else act.list_actions(namespace))
