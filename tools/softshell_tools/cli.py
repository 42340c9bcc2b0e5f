"""The commands of `./softshell`. A command imports what it needs only when it runs."""

import gc
import os
import signal
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer

from softshell_tools import (
    action_command,
    bench_command,
    call_command,
    gallery_command,
    identification,
    record_command,
    reference_command,
    replay_command,
    report_command,
    score_command,
    servo_commands,
    soft_command,
    sweep_command,
    train_command,
)
from softshell_tools.installation import ROOT, set_up
from softshell_tools.output_path import output_folder
from softshell_tools.parts import (
    DEFAULT_PARTS,
    NAMED_PATHS,
    PARTS,
    misnamed,
    named_paths,
    sets_for,
)
from softshell_tools.requirement_sets import SETS
from softshell_tools.stack_arguments import (
    NamespaceCommand,
    StackCommand,
    assignments,
    check_domain,
    namespace_alone,
    sets_of_stack,
)

app = typer.Typer(
    name='./softshell',
    help='ROS 2 for Shell, a hexapod, and for other robots that are described by data.',
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={'help_option_names': ['-h', '--help']},
)
PASS_ON = {'allow_extra_args': True, 'ignore_unknown_options': True}
#: Disk space that the files of a demo may take [B]; usual are about 4 MB.
DEMO_SIZE = 20e6
#: Words of a command line after this one are for ROS.
ROS_ARGS = '--ros-args'


@app.command(cls=StackCommand)
def demo(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar='NAME:=VALUE', help='Arguments of the stack, e.g. robot:=arm.'),
    ] = None,
    scenario: Annotated[
        str,
        typer.Option(
            metavar='NAME|FILE',
            help='A demo of the robot, e.g. tour, or a file.',
            show_default='demo',
        ),
    ] = '',
    output: Annotated[
        Path | None,
        typer.Option(
            parser=output_folder,
            metavar='FOLDER',
            help='For figures, pictures and video.',
            show_default='out/demo',
        ),
    ] = None,
) -> None:
    """Run a demo of the robot in simulation, and make figures and a video of it.

    demo robot:=quadruped bridge:=mock --scenario my_demo.yaml --output out/mine
    """
    given = assignments(arguments or [])
    if sets := sets_of_stack(given):
        set_up(sets)
    from softshell_bringup.ending import on_ending
    from softshell_common.output_folder import OutputFolder

    folder = OutputFolder(output or ROOT / 'out' / 'demo', DEMO_SIZE)
    from softshell_recording.demo import main as program

    received = [signal.SIGINT]

    def interrupt(number: int, frame: object) -> None:
        received.append(signal.Signals(number))
        raise KeyboardInterrupt

    # A closed terminal or `timeout` ends the demo as Ctrl-C does: all its processes end.
    on_ending(interrupt, (signal.SIGTERM, signal.SIGHUP))
    try:
        raise typer.Exit(program(folder, given, scenario))
    except KeyboardInterrupt:
        typer.echo('\ninterrupted', err=True)
        raise typer.Exit(128 + received[-1]) from None


@app.command(
    'test',
    context_settings=PASS_ON,
    epilog='\n\n'.join(['Parts:', *(f'{name}: {what}' for name, what in PARTS.items())]),
)
def run_tests(
    context: typer.Context,
    everything: Annotated[bool, typer.Option('--all', help='All parts, with all sets.')] = False,
    part: Annotated[
        list[str] | None,
        typer.Option(
            metavar='NAME',
            help='Only this part; may be repeated.',
            show_default=', '.join(DEFAULT_PARTS),
        ),
    ] = None,
) -> None:
    """Run lint, unit and system tests; tests that need sets which are not installed are skipped.

    Other arguments are passed on to pytest: test -k gate. Skipped tests are listed at the end.
    """
    parts = chosen_parts(context.args, part or [], everything)
    set_up([*SETS] if everything else sets_for(parts))
    from softshell_tools.checks import run_parts

    raise typer.Exit(run_parts(ROOT, parts, context.args))


def chosen_parts(arguments: list[str], named: list[str], everything: bool) -> list[str]:
    """The parts of the checks to run, in their order.

    Args:
        arguments: arguments for pytest; if they contain paths, only these and lint are run.
        named: parts that were asked for by name.
        everything: whether all parts were asked for.

    Raises:
        typer.BadParameter: a part is unknown, or --all comes with parts; a part is named without
            `--part`, or a path is not there.
    """
    if problem := misnamed(ROOT, arguments):
        raise typer.BadParameter(problem)
    for name in named:
        if name not in PARTS:
            raise typer.BadParameter(f'unknown part {name!r}; known: {", ".join(PARTS)}')
    if everything and named:
        raise typer.BadParameter(f'--all runs every part; expected it without --part {named[0]}')
    if paths := named_paths(ROOT, arguments):
        if everything or named:
            part = '--all' if everything else f'--part {named[0]}'
            raise typer.BadParameter(f'{part} comes with {paths[0]}; expected only one of the two')
        return ['lint', NAMED_PATHS]
    wanted = [*PARTS] if everything else named or DEFAULT_PARTS
    return [name for name in PARTS if name in wanted]


@app.command(cls=StackCommand, context_settings=PASS_ON)
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

        from softshell_bringup.arguments import ARGUMENTS

        table = Table('argument', 'default', 'valid', 'meaning')
        for argument in ARGUMENTS:
            default = argument.default_text or "''"
            table.add_row(argument.name, default, argument.valid, argument.description)
        Console(markup=False).print(table)
        return
    given = assignments(context.args)
    if sets := sets_of_stack(given):
        set_up(sets)
    from softshell_bringup.up import up as program

    raise typer.Exit(program(given))


@app.command(cls=NamespaceCommand, context_settings=PASS_ON)
def teleop(context: typer.Context) -> None:
    """Drive the robot from the keyboard: teleop namespace:=one

    Needs a running stack: ./softshell up. Words after --ros-args are passed on to the node, e.g.
    another key map: teleop --ros-args -p key_map:=my_keys.yaml
    """
    tokens = context.args
    split = tokens.index(ROS_ARGS) if ROS_ARGS in tokens else len(tokens)
    namespace = namespace_alone(tokens[:split])
    check_domain()
    from ament_index_python.packages import get_package_prefix

    package, executable = 'softshell_teleop', 'keyboard'
    program = str(Path(get_package_prefix(package)) / 'lib' / package / executable)
    remapped = [ROS_ARGS, '-r', f'__ns:=/{namespace}'] if namespace else []
    command = [sys.executable, program, *remapped, *tokens[split:]]
    os.execv(command[0], command)


@app.command()
def doctor() -> None:
    """Print what is installed, what is missing, and what runs on this ROS domain."""
    from softshell_tools.doctor import examine

    raise typer.Exit(examine(ROOT))


@app.command(context_settings={**PASS_ON, 'help_option_names': []})
def setup(context: typer.Context) -> None:
    """Install sets of requirements before their first use: setup [SET ...] [--all]"""
    from softshell_tools.first_use import setup_command
    from softshell_tools.workspace import Workspace

    raise typer.Exit(setup_command(Workspace(ROOT), context.args))


servo_commands.register(app)
action_command.register(app)
bench_command.register(app)
call_command.register(app)
report_command.register(app)
app.command()(identification.identify)
app.command()(soft_command.soft)
sweep_command.register(app)
train_command.register(app)
score_command.register(app)
gallery_command.register(app)
reference_command.register(app)
app.command()(record_command.record)
app.command()(replay_command.replay)


def main() -> None:
    """Run the command line; a SoftshellError is printed, with exit status 1."""
    gc.set_threshold(20_000)  # searches for unused objects took a tenth of the time, in imports
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that lacks a letter shows its code
            stream.reconfigure(errors='backslashreplace')
    try:
        app(prog_name='./softshell')
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        from softshell_kinematics.errors import SoftshellError

        if not isinstance(error, SoftshellError):
            raise
        print(f'error: {error}', file=sys.stderr)
        sys.exit(1)


if __name__ == '__main__':
    main()
