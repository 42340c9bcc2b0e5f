"""The commands `./softshell call` and `./softshell set`."""

from typing import Annotated

import typer

from softshell_tools.stack_arguments import NamespaceCommand, parted


def register(app: typer.Typer) -> None:
    """Add these commands to the others."""
    app.command('call', cls=NamespaceCommand)(call_)
    app.command('set', cls=NamespaceCommand)(set_)


def call_(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar='SERVICE ENTRY:=VALUE',
            help='The service, entries of its request in YAML; without: list the services.',
        ),
    ] = None,
) -> None:
    """Call a service of the running stack, and print its answer.

    call bridge/emergency_stop

    call bridge/step duration:=0.1

    Status 1 if the node could not do it.
    """
    name, given, namespace = parted(words or (), 'a service')
    from softshell_client.ros import call

    if name.strip('/'):
        status = call.call(name, given, namespace)
    else:
        status = call.list_services(namespace)
    raise typer.Exit(status)


def set_(
    node: Annotated[str, typer.Argument(help='Its name, e.g. bridge or action_manager.')],
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar='PARAMETER:=VALUE', help='Parameters; without: list those of the node.'
        ),
    ] = None,
) -> None:
    """Set parameters of a node of the running stack.

    set bridge speed:=0.2

    They hold until the stack ends; a file gives them at its start: up params_file:=FILE
    """
    node, given, namespace = parted([node, *(words or ())], 'a node')
    if not node.strip('/'):
        raise typer.BadParameter('expected the name of a node')
    from softshell_client.ros import tune

    if given:
        status = tune.set_parameters(node, given, namespace)
    else:
        status = tune.list_parameters(node, namespace)
    raise typer.Exit(status)
