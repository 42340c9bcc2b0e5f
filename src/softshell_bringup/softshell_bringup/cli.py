"""The commands of `./softshell`. Whatever a command needs is imported only when it runs."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from softshell_bringup.nodes import ARGUMENTS

app = typer.Typer(
    name='./softshell',
    help='A hexapod that walks, closes into a ball, and handles things with soft fingers.',
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={'help_option_names': ['-h', '--help']},
)
PASS_ON = {'allow_extra_args': True, 'ignore_unknown_options': True}


def root() -> Path:
    """The repository."""
    return Path(os.environ.get('SOFTSHELL_ROOT') or Path(__file__).resolve().parents[3])


def stack_arguments() -> str:
    """The arguments of the stack, one paragraph each, for the help."""
    listed = [f'{a.name}:={a.default_text} {a.description} ({a.valid})' for a in ARGUMENTS]
    return '\n\n'.join(['Arguments, with their defaults:', *listed])


def assignments(tokens: list[str]) -> dict[str, str]:
    """Arguments given as `name:=value`.

    Raises:
        typer.BadParameter: a token is none.
    """
    given: dict[str, str] = {}
    for token in tokens:
        name, separator, value = token.partition(':=')
        if not separator or not name:
            raise typer.BadParameter(f'{token!r}; expected name:=value')
        if name in given:
            raise typer.BadParameter(f'{name} is given twice')
        given[name] = value
    return given


@app.command()
def demo(
    arguments: Annotated[
        list[str] | None, typer.Argument(help='Arguments of the stack, as of up: name:=value ...')
    ] = None,
    output: Annotated[Path, typer.Option(help='Folder of figures, pictures and video.')] = Path(
        'out/demo'
    ),
    pictures: Annotated[bool, typer.Option(help='Render the pictures and the video.')] = True,
) -> None:
    """Stand up, walk, turn, lie down: the whole stack in simulation, with figures and a video."""
    from softshell_bringup.demo import main as program

    raise typer.Exit(program(root() / output, assignments(arguments or []), pictures))


@app.command('test', context_settings=PASS_ON)
def run_tests(
    context: typer.Context,
    long: Annotated[bool, typer.Option('--long', help='Also what takes minutes.')] = False,
    lint: Annotated[bool, typer.Option(help='Check style and types as well.')] = True,
) -> None:
    """Lint, unit and system tests. Other arguments are passed on to pytest: test -k gate."""
    from softshell_bringup.checks import run_checks

    raise typer.Exit(run_checks(root(), context.args, long=long, lint=lint))


@app.command(context_settings=PASS_ON, epilog=stack_arguments())
def up(
    context: typer.Context,
    show_args: Annotated[bool, typer.Option('--show-args', help='List the arguments.')] = False,
) -> None:
    """Run the robot's nodes in the foreground: up bridge:=sim real_time_factor:=0

    Ctrl-C ends all of them. --show-args lists the arguments, which are those of
    ros2 launch softshell_bringup softshell.launch.py
    """
    if show_args:
        from rich.console import Console
        from rich.table import Table

        table = Table('argument', 'default', 'valid', 'meaning')
        for argument in ARGUMENTS:
            default = argument.default_text or "''"
            table.add_row(argument.name, default, argument.valid, argument.description)
        Console().print(table)
        return
    from softshell_bringup.up import up as program

    raise typer.Exit(program(assignments(context.args)))


@app.command(context_settings=PASS_ON)
def teleop(context: typer.Context) -> None:
    """Drive the robot from the keyboard. Needs a running stack: ./softshell up"""
    from ament_index_python.packages import get_package_prefix

    package, executable = 'softshell_teleop', 'keyboard'
    program = str(Path(get_package_prefix(package)) / 'lib' / package / executable)
    command = [sys.executable, program, *context.args]
    os.execv(command[0], command)


@app.command()
def action(
    name: Annotated[str, typer.Argument(help='The action; without it they are listed.')] = '',
    parameters: Annotated[
        list[str] | None, typer.Argument(help='Its parameters: name:=value ...')
    ] = None,
    namespace: Annotated[str, typer.Option(help='Namespace of the action manager.')] = '',
    timeout: Annotated[float, typer.Option(help='[s] to wait for the action manager.')] = 5.0,
) -> None:
    """Perform one action of the running robot: action walk length:=0.1. Ctrl-C cancels it."""
    from softshell_bringup.act import list_actions, perform

    if not name:
        raise typer.Exit(list_actions(namespace, timeout))
    raise typer.Exit(perform(name, assignments(parameters or []), namespace, timeout))


@app.command()
def doctor() -> None:
    """What is installed, what is missing, and what runs on this ROS domain."""
    from softshell_bringup.doctor import examine

    raise typer.Exit(examine(root()))


@app.command(context_settings=PASS_ON)
def bench(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help='The benchmark; without it they are listed.')] = '',
) -> None:
    """Run a benchmark of tests/benchmarks. Other arguments are passed on to it."""
    folder = root() / 'tests' / 'benchmarks'
    known = sorted(path.stem for path in folder.glob('[!_]*.py'))
    if not name:
        typer.echo('\n'.join(known) or 'there are no benchmarks yet')
        return
    if name not in known:
        from softshell_common.errors import UnknownNameError

        raise UnknownNameError('benchmark', name, known)
    command = [sys.executable, str(folder / f'{name}.py'), *context.args]
    os.execv(command[0], command)


def main() -> None:
    """Run the command line; an error of the caller is one message and status 1."""
    from softshell_common.errors import SoftshellError

    try:
        app(prog_name='./softshell')
    except SoftshellError as error:
        print(f'error: {error}', file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == '__main__':
    main()
