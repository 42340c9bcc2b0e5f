"""The command `./softshell bench`."""

import ast
import os
import sys
from typing import Annotated

import typer

from softshell_tools.installation import ROOT, set_up
from softshell_tools.parts import benchmarks, sets_of
from softshell_tools.workspace import Workspace

#: Option that keeps the output.
RECORD = '--record'


def register(app: typer.Typer) -> None:
    """Add the command to the others."""
    passed_on = {'allow_extra_args': True, 'ignore_unknown_options': True}
    app.command(context_settings={**passed_on, 'allow_interspersed_args': False})(bench)


def bench(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help='The benchmark; without it: list them.')] = '',
) -> None:
    """Run a benchmark of tests/benchmarks. Other arguments are passed on to it: bench ik --help

    With --record after its name, its output is kept in docs/figures, with machine and date.
    """
    known = benchmarks(ROOT)
    if not name:
        typer.echo('\n'.join(known) or 'there are no benchmarks')
        return
    if name not in known:
        from softshell_kinematics.errors import UnknownNameError

        raise UnknownNameError('benchmark', name, known)
    arguments = [argument for argument in context.args if argument != RECORD]
    sets = sets_of(name, arguments)
    helps = bool({'-h', '--help'} & {*arguments})
    if helps:  # installs nothing
        if absent := [each for each in sets if not Workspace(ROOT).has_set(each)]:
            typer.echo(ast.get_docstring(ast.parse(known[name].read_text(encoding='utf-8'))))
            typer.echo(f'\nIts arguments: ./softshell setup {" ".join(absent)}, then this again')
            return
    elif sets:
        set_up(sets)
    command = [sys.executable, str(known[name]), *arguments]
    if arguments != context.args and not helps:
        from softshell_tools.figures import record

        raise typer.Exit(record(name, command))
    os.execv(command[0], command)
